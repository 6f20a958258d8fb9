import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import type { Stage } from "./stages.ts";
import { inputsOf, keepPass, passOf } from "./unchanged.ts";

const stage: Stage = { name: "contracts", runner: "mocha", files: ["test/*.ts"], inputs: ["contracts/**"] };

describe("a stage that has passed", () => {
  let root: string;
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  };

  before(() => {
    root = mkdtempSync(join(tmpdir(), "hearth-unchanged-"));
    execFileSync("git", ["init", "-q"], { cwd: root });
    write("test/pool.ts", 'import "../support/chain.ts";\n');
    write("support/chain.ts", 'import "./anvil.ts";\n');
    write("support/anvil.ts", "");
    write("contracts/Pool.sol", "contract Pool {}\n");
    write("package-lock.json", "{}");
    write("web/page.ts", "");
  });
  after(() => rmSync(root, { recursive: true, force: true }));

  const changes = {
    "a test of it": "test/pool.ts",
    "what a test uses through other files": "support/anvil.ts",
    "a file that it names": "contracts/Pool.sol",
    "the list of packages": "package-lock.json",
  };
  for (const [what, path] of Object.entries(changes)) {
    test(`is run again when ${what} changes`, () => {
      const before = inputsOf(stage, root);
      assert.ok(before !== undefined);
      write(path, 'import "../support/chain.ts"; // other\n');
      assert.notEqual(inputsOf(stage, root), before);
    });
  }

  test("is run again when a file that it names is new", () => {
    const before = inputsOf(stage, root);
    write("contracts/Claims.sol", "contract Claims {}\n");
    assert.notEqual(inputsOf(stage, root), before);
  });

  test("is left out while it is as it was, whatever else changes", () => {
    const file = join(root, ".node/passed.json");
    const inputs = inputsOf(stage, root) ?? "";
    assert.equal(passOf(stage, inputs, file), undefined);
    const pass = { inputs, at: "2026-01-01T00:00:00.000Z", passed: 3, skipped: 0 };
    keepPass(stage, pass, file);
    write("web/page.ts", "changed");
    assert.deepEqual(passOf(stage, inputsOf(stage, root), file), pass);
    assert.equal(passOf({ ...stage, name: "fuzz" }, inputs, file), undefined);
    assert.equal(passOf(stage, "another hash", file), undefined);
  });

  test("runs every time where it names no inputs", () => {
    const { inputs: _none, ...nameless } = stage;
    assert.equal(inputsOf(nameless, root), undefined);
    assert.equal(passOf(nameless, undefined, join(root, ".node/passed.json")), undefined);
  });
});
