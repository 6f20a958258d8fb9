import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { choose } from "./changed.ts";
import { reachOf } from "./reach.ts";
import { filesOf, stages } from "./stages.ts";

const project = {
  "package.json": "{}",
  "api/main.ts": 'import { redeem } from "./vouchers/redeem.ts";',
  "api/vouchers/redeem.ts": 'import type { Voucher } from "./voucher.ts";\nexport const redeem = 1;',
  "api/vouchers/voucher.ts": "export type Voucher = object;",
  "api/migrations/0001.sql": "create table a ();",
  "api/db.ts": 'const folder = new URL("./migrations", import.meta.url);',
  "api/db.test.ts": 'import "./db.ts";',
  "api/vouchers/redeem.test.ts": 'import { redeem } from "./redeem.ts";',
  "test/e2e/start.test.ts": 'spawn(process.execPath, ["api/main.ts"]);',
  "contracts/Pool.sol": "contract Pool {}",
  "scripts/deploy/artifacts.ts": "export const artifacts = {};",
  "test/support/chain.ts": 'import { artifacts } from "../../scripts/deploy/artifacts.ts";',
  "test/contracts/Pool.t.sol": 'import {Pool} from "../../contracts/Pool.sol";',
  "web/page.tsx": 'import { createClient } from "@hearth/oracles-client-sdk/core";',
  "sdk/src/core.ts": "export const createClient = 1;",
};
let root: string;
before(async () => {
  root = await mkdtemp(join(tmpdir(), "hearth-reach-"));
  for (const [path, text] of Object.entries(project)) {
    await mkdir(dirname(join(root, path)), { recursive: true });
    await writeFile(join(root, path), text);
  }
});
after(() => rm(root, { recursive: true, force: true }));

const reach = (...changed: string[]) => Object.fromEntries(reachOf(root, Object.keys(project), changed));

test("finds what imports a changed file, and what starts it as a program, by their distance", () => {
  assert.deepEqual(reach("api/vouchers/redeem.ts"), {
    "api/vouchers/redeem.ts": 0,
    "api/main.ts": 1,
    "api/vouchers/redeem.test.ts": 1,
    "test/e2e/start.test.ts": 2,
  });
});

test("ignores imports of types", () => {
  assert.deepEqual(reach("api/vouchers/voucher.ts"), { "api/vouchers/voucher.ts": 0 });
});

test("finds what uses a folder of migrations, a contract, and a package of this project", () => {
  assert.deepEqual(Object.keys(reach("api/migrations/0001.sql")), [
    "api/migrations/0001.sql",
    "api/db.ts",
    "api/db.test.ts",
  ]);
  assert.deepEqual(
    new Set(Object.keys(reach("contracts/Pool.sol"))),
    new Set([
      "contracts/Pool.sol",
      "scripts/deploy/artifacts.ts",
      "test/contracts/Pool.t.sol",
      "test/support/chain.ts",
    ]),
  );
  assert.ok("web/page.tsx" in reach("sdk/src/core.ts"));
});

test("treats every file as a user of the list of packages", () => {
  assert.equal(Object.keys(reach("package.json")).length, Object.keys(project).length);
});

test("finds what uses a file that is gone", () => {
  const kept = Object.keys(project).filter((file) => file !== "api/vouchers/redeem.ts");
  assert.ok(reachOf(root, kept, ["api/vouchers/redeem.ts"]).has("api/main.ts"));
});

test("chooses the nearest files for two minutes, always those that changed, and names the rest", () => {
  const [files] = stages.filter(({ name }) => name === "files");
  assert.ok(files !== undefined);
  const [first = "", second = "", third = "", fourth = ""] = filesOf(files);
  const reached = new Map([
    [fourth, 0],
    [third, 1],
    [second, 2],
    [first, 3],
  ]);
  const durations = { [fourth]: 1_000, [third]: 5, [second]: 5, [first]: 5 };
  const all = choose([files], reached, { ...durations, [fourth]: 5 });
  assert.deepEqual([all.units.flatMap((unit) => unit.files).sort(), all.left], [[first, second, third, fourth], []]);
  const { units, left } = choose([files], reached, durations);
  assert.deepEqual(
    units.flatMap((unit) => unit.files),
    [fourth],
  );
  assert.deepEqual(left, [third, second, first]);
});

test("chooses the tests of the changed noun before others, and of one process no more than a minute", () => {
  const [contracts, api] = ["contracts", "api"].map((name) => stages.find((stage) => stage.name === name));
  assert.ok(contracts !== undefined && api !== undefined);
  const reached = new Map([
    ["contracts/pool/Pool.sol", 0],
    ...[...filesOf(contracts), "api/scheme/pool/swap.test.ts", "api/app.test.ts"].map((file) => [file, 2] as const),
  ]);
  const durations = { contracts: 10 * filesOf(contracts).length, "api/scheme/pool/swap.test.ts": 90 };
  const { units, left } = choose([contracts, api], reached, durations);
  const chosen = units.flatMap(({ files }) => files);
  const ofPool = filesOf(contracts).filter((file) => file.startsWith("test/contracts/pool/"));
  assert.ok(ofPool.length > 0);
  for (const file of [...ofPool, "api/scheme/pool/swap.test.ts"]) assert.ok(chosen.includes(file), file);
  assert.equal(chosen.filter((file) => file.startsWith("test/contracts/")).length, 6);
  assert.equal(chosen.length + left.length, reached.size - 1);
});
