// Which OpenZeppelin library serves instead of own code is a rule of this project, so no linter knows it.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { productionFiles, readTexts } from "../solc.ts";

const PACKAGE = "@openzeppelin/contracts";
/** The contracts' texts without comments. */
const sources = [...readTexts(productionFiles())].map(([file, text]): [file: string, code: string] => [
  file,
  text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/.*/g, ""),
]);
/** The file of each place that matches. */
const filesWith = (pattern: RegExp) =>
  sources.flatMap(([file, code]) => Array.from(code.matchAll(new RegExp(pattern, "g")), () => file));
const isInterface = (name: string) => /^I[A-Z]/.test(name);
const imported = new Set(
  sources.flatMap(([, code]) =>
    [...code.matchAll(/import \{([^}]*)\} from "@openzeppelin\/contracts\//g)]
      .flatMap(([, names = ""]) => names.split(",").map((name) => name.trim()))
      .filter((name) => !isInterface(name)),
  ),
);

const page = readFileSync("docs/contracts.md", "utf8");
const section = /\n## OpenZeppelin parts\n([\s\S]*?)\n## /.exec(page)?.[1] ?? "";
/** The table's rows: the parts that a row names, and what it says of them. */
const rows = [...section.matchAll(/^\| *(`[^|]*?) *\| *([^|]*?) *\|$/gm)].map(([, parts = "", use = ""]) => ({
  parts: [...parts.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name),
  use,
}));
const partsThat = (isMeant: (use: string) => boolean) => rows.flatMap(({ parts, use }) => (isMeant(use) ? parts : []));

describe("OpenZeppelin in the contracts", () => {
  it("has one place that tries a permit, and everyone who needs one goes through it", () => {
    assert.deepEqual(filesWith(/\.permit\(/), ["contracts/shared/Permits.sol"]);
    assert.deepEqual(filesWith(/function tryPermit\(/), ["contracts/shared/Permits.sol"]);
    const users = filesWith(/\bPermits\.tryPermit\(/);
    assert.deepEqual(users, [
      "contracts/itmo/Itmo.sol",
      "contracts/oracles/OracleRegistry.sol",
      "contracts/pool/Pool.sol",
    ]);
  });

  it("has one role check that refuses, and one place each where a role is asked from inside and from outside", () => {
    assert.deepEqual(filesWith(/\bMissingRole\(account, role\)/), ["contracts/participants/SchemeRoles.sol"]);
    assert.deepEqual(filesWith(/function requireRole\(uint64 role, address account\) public/), [
      "contracts/participants/SchemeRoles.sol",
    ]);
    // The timelock's roles are OpenZeppelin's, not the scheme's.
    const asked = filesWith(/\bhasRole\(/).filter((file) => file !== "contracts/governance/CouncilTimelock.sol");
    assert.deepEqual(asked, ["contracts/participants/SchemeRoles.sol", "contracts/shared/Members.sol"]);
    // Both places read a member with a delay as none.
    assert.deepEqual(filesWith(/return isMember && executionDelay == 0;/), asked);
  });

  it("is explained in docs/contracts.md: the parts that are used, and why the others do not serve", () => {
    const used = partsThat((use) => /^(yes|in )/.test(use));
    assert.deepEqual([...imported].filter((name) => !used.includes(name)).sort(), [], "imported, not in the table");
    assert.deepEqual(used.filter((name) => !imported.has(name)).sort(), [], "in the table, not imported");
    const refused = rows.filter(({ use }) => use.startsWith("no"));
    assert.deepEqual(refused.flatMap(({ parts }) => parts).sort(), [
      "BitMaps",
      "NoncesKeyed",
      "Pausable",
      "RateLimiter",
    ]);
    for (const { parts, use } of refused) {
      assert.match(use, /^no\. .{40,}/, `${parts.join()}: a reason`);
      for (const name of parts) assert.ok(!imported.has(name), `${name} is imported`);
    }
  });

  it("exists in the installed package under each name that the page uses", () => {
    const folders = ["utils", "utils/structs", "utils/cryptography", "utils/math", "access", "access/manager"];
    const more = ["governance", "token/ERC20", "token/ERC20/extensions", "token/ERC20/utils"];
    const isThere = (name: string) =>
      [...folders, ...more].some((folder) => existsSync(`node_modules/${PACKAGE}/${folder}/${name}.sol`));
    assert.ok(rows.length >= 6);
    assert.deepEqual(
      rows.flatMap(({ parts }) => parts).filter((name) => !isThere(name)),
      [],
    );
  });
});
