import assert from "node:assert/strict";
import { test } from "node:test";
import { concat, type Hex, keccak256 } from "viem";
import { allocationRoot, chunkTree, leafAt, packLeaves, positionOf, proofFrom, rootOf } from "./allocation-tree.ts";

function climb(leaf: Uint8Array, position: number, proof: Hex[]): Hex {
  return proof.reduce<Hex>(
    (node, sibling, level) => keccak256(concat((position >> level) & 1 ? [sibling, node] : [node, sibling])),
    keccak256(leaf),
  );
}

const leavesOf = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ household: 3 * i + 1, amount: BigInt(i + 1) * 1_000_000n }));

test("packs leaves in ascending order of the household", () => {
  const packed = packLeaves([
    { household: 9, amount: 2n },
    { household: 4, amount: 1n },
  ]);
  assert.equal(Buffer.from(packed).toString("hex"), "000000040000000000000001000000090000000000000002");
  assert.deepEqual(leafAt(packed, 1), { household: 9, amount: 2n });
  assert.equal(leafAt(packed, 2), null);
});

test("finds a household's leaf and says when it has none", () => {
  const packed = packLeaves(leavesOf(300));
  assert.equal(positionOf(packed, 1), 0);
  assert.equal(positionOf(packed, 3 * 299 + 1), 299);
  assert.equal(positionOf(packed, 5), -1);
  assert.equal(positionOf(new Uint8Array(), 5), -1);
});

test("every leaf of a chunk of any size climbs to the root by ceil(log2 n) siblings", () => {
  for (const size of [1, 2, 3, 5, 31, 255, 256]) {
    const packed = packLeaves(leavesOf(size));
    const levels = chunkTree(packed);
    for (let position = 0; position < size; position++) {
      const proof = proofFrom(levels, position);
      assert.equal(proof.length, Math.ceil(Math.log2(size)));
      assert.equal(climb(packed.subarray(position * 12, position * 12 + 12), position, proof), rootOf(levels));
    }
  }
});

test("a certificate of one chunk has the chunk's root", () => {
  const packed = packLeaves(leavesOf(200));
  assert.equal(allocationRoot(packed), rootOf(chunkTree(packed)));
});
