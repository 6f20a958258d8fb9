import assert from "node:assert/strict";
import { test } from "node:test";
import { StandardMerkleTree } from "@openzeppelin/merkle-tree";
import { type Hex, toHex } from "viem";
import { codeAddress, codeKey, codesOf, newSeed } from "./secrets.ts";
import { CodeTree } from "./tree.ts";

test("proves each household's keys to the root, and nobody else's", () => {
  const seed = newSeed();
  for (const [count, codes] of [
    [1, 1],
    [1, 10],
    [3, 5],
    [17, 2],
  ] as const) {
    const households = Array.from({ length: count }, (_, i) => 7 * i + 3);
    const keysOf = (household: number) => codesOf(seed, household, codes).map(codeAddress);
    const tree = new CodeTree(CodeTree.of(households, keysOf).parts);
    for (const household of households) {
      for (const key of keysOf(household).map((bytes) => toHex(bytes))) {
        const proof = tree.proofOf(household, key);
        const leaf: [number, Hex] = [household, key];
        // The library's own verification, which hashes as the ledger does.
        assert.ok(proof && StandardMerkleTree.verify(tree.root, ["uint32", "address"], leaf, proof), `${leaf}`);
        assert.equal(tree.proofOf(household + 1, key), undefined);
      }
    }
    assert.equal(tree.proofOf(3, toHex(codeAddress("0000-0000-0000-0000"))), undefined);
  }
});

test("derives the same codes from a seed, and others for each household, place and seed", () => {
  const seed = newSeed();
  assert.deepEqual(codesOf(seed, 5, 10), codesOf(seed, 5, 10));
  const all = [...codesOf(seed, 5, 10), ...codesOf(seed, 51, 10), ...codesOf(newSeed(), 5, 10)];
  assert.equal(new Set(all).size, 30);
  assert.equal(new Set(all.map(codeKey)).size, 30);
});
