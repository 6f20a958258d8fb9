import assert from "node:assert/strict";
import { appendFileSync, cpSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { hashContractSources, readCommittedCode } from "./committed-code.ts";

const root = join(import.meta.dirname, "../..");

test("the committed code of each contract is what the compiler makes of the sources", () => {
  const committed = readCommittedCode();
  assert.ok(committed !== undefined, "deployments/bytecode.json is of other sources: run npm run build.");
  for (const [noun, name] of [
    ["vouchers", "vouchers/Vouchers.sol/Vouchers"],
    ["pool", "pool/Pool.sol/Pool"],
    ["stablecoin", "mocks/TestStablecoin.sol/TestStablecoin"],
    ["timelock", "governance/CouncilTimelock.sol/CouncilTimelock"],
  ] as const) {
    const { bytecode } = JSON.parse(readFileSync(join(root, `artifacts/contracts/${name}.json`), "utf8"));
    assert.equal(committed[noun], bytecode, noun);
  }
});

test("a changed contract or setting changes the hash by which committed code is accepted", (t) => {
  const copy = mkdtempSync(join(tmpdir(), "hearth-sources-"));
  t.after(() => rmSync(copy, { recursive: true }));
  for (const name of ["contracts", "hardhat.config.ts", "package.json"]) {
    cpSync(join(root, name), join(copy, name), { recursive: true });
  }
  const hashes = [hashContractSources(copy)];
  assert.equal(hashes[0], hashContractSources());
  appendFileSync(join(copy, "contracts/pool/Pool.sol"), "\n");
  hashes.push(hashContractSources(copy));
  appendFileSync(join(copy, "hardhat.config.ts"), "\n");
  hashes.push(hashContractSources(copy));
  assert.equal(new Set(hashes).size, 3);
});
