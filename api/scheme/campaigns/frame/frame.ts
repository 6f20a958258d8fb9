import { setImmediate as nextTurn } from "node:timers/promises";
import { type Hex, toHex } from "viem";
import { keccak } from "./keccak.ts";

export const LEAF_BYTES = 32;
/** A group's frame: the leaves (household hashes) ascending, 32 bytes each, and their DIDs in the same order. */
export type Frame = { root: Hex; leaves: Uint8Array; dids: string[] };

/** Hashes between two turns of the event loop: a few milliseconds. */
const HASHES_PER_TURN = 4_096;

/** Build the frame of households with distinct DIDs; `hashOf` gives the leaf of each. */
export async function buildFrame(dids: string[], hashOf: (did: string) => Hex): Promise<Frame> {
  const didByLeaf = new Map<Hex, string>();
  for (const [i, did] of dids.entries()) {
    if (i % HASHES_PER_TURN === 0) await nextTurn();
    didByLeaf.set(hashOf(did), did);
  }
  const sorted = [...didByLeaf.keys()].sort();
  const leaves = packLeaves(sorted);
  return { root: await frameRoot(leaves), leaves, dids: sorted.map((leaf) => didByLeaf.get(leaf) ?? "") };
}

/** Pack leaves in the given order. */
export function packLeaves(leaves: Hex[]): Uint8Array {
  return new Uint8Array(Buffer.from(leaves.map((leaf) => leaf.slice(2)).join(""), "hex"));
}

export function leafAt(leaves: Uint8Array, index: number): Hex {
  return toHex(leaves.subarray(index * LEAF_BYTES, (index + 1) * LEAF_BYTES));
}

/** Find the index of a leaf in ascending leaves by bisection; -1 if it is missing. */
export function indexOfLeaf(leaves: Uint8Array, leaf: Hex): number {
  const wanted = Buffer.from(leaf.slice(2), "hex");
  let low = 0;
  let high = leaves.length / LEAF_BYTES - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const order = wanted.compare(leaves, middle * LEAF_BYTES, (middle + 1) * LEAF_BYTES);
    if (order === 0) return middle;
    if (order > 0) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/**
 * Compute the root of OpenZeppelin's SimpleMerkleTree over ascending leaves: a complete binary tree in an array, leaves last, each
 * node the Keccak-256 of its two children, the smaller first. That library takes a minute for what this does in a second.
 */
export async function frameRoot(leaves: Uint8Array): Promise<Hex> {
  const count = leaves.length / LEAF_BYTES;
  if (count === 0) throw new Error("A frame without households has no root.");
  const nodes = new Uint8Array((2 * count - 1) * LEAF_BYTES);
  const at = (node: number) => nodes.subarray(node * LEAF_BYTES, (node + 1) * LEAF_BYTES);
  for (let i = 0; i < count; i++) at(2 * count - 2 - i).set(leaves.subarray(i * LEAF_BYTES, (i + 1) * LEAF_BYTES));
  const pair = new Uint8Array(2 * LEAF_BYTES);
  for (let node = count - 2; node >= 0; node--) {
    if (node % HASHES_PER_TURN === 0) await nextTurn();
    const [left, right] = [at(2 * node + 1), at(2 * node + 2)];
    const isOrdered = Buffer.compare(left, right) <= 0;
    pair.set(isOrdered ? left : right, 0);
    pair.set(isOrdered ? right : left, LEAF_BYTES);
    at(node).set(keccak(pair));
  }
  return toHex(at(0));
}
