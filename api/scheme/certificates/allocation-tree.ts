import { concat, type Hex, keccak256, toHex } from "viem";

/** Format of an allocation on chain, see contracts/certificates/ICertificates.sol. */
export const LEAF_BYTES = 12;
export const CHUNK_LEAVES = 256;
export const CHUNK_BYTES = LEAF_BYTES * CHUNK_LEAVES;

export type Leaf = { household: number; amount: bigint };

const ZERO: Hex = `0x${"00".repeat(32)}`;
/**
 * The zero hash of each level, which pads a level to an even count. A tree of 32-bit positions has at most 32 levels.
 */
const ZEROS: Hex[] = [ZERO];
while (ZEROS.length < 32) {
  const below = ZEROS.at(-1) ?? ZERO;
  ZEROS.push(keccak256(concat([below, below])));
}

/** Pack leaves, ascending by household: household (4 bytes), then micro-CARBON (8 bytes), big-endian. */
export function packLeaves(leaves: Leaf[]): Uint8Array {
  const sorted = leaves.toSorted((a, b) => a.household - b.household);
  const packed = new Uint8Array(sorted.length * LEAF_BYTES);
  const view = new DataView(packed.buffer);
  sorted.forEach((leaf, i) => {
    view.setUint32(i * LEAF_BYTES, leaf.household);
    view.setBigUint64(i * LEAF_BYTES + 4, leaf.amount);
  });
  return packed;
}

export function leafAt(packed: Uint8Array, position: number): Leaf | null {
  const start = position * LEAF_BYTES;
  if (position < 0 || start + LEAF_BYTES > packed.length) return null;
  const view = new DataView(packed.buffer, packed.byteOffset + start, LEAF_BYTES);
  return { household: view.getUint32(0), amount: view.getBigUint64(4) };
}

/** Read the households of packed leaves, in order. */
export function* householdsIn(packed: Uint8Array): Generator<number> {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  for (let offset = 0; offset < packed.length; offset += LEAF_BYTES) yield view.getUint32(offset);
}

/** Find the position of a household's leaf in packed leaves by binary search; -1 when it has none. */
export function positionOf(packed: Uint8Array, household: number): number {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  let low = 0;
  let high = packed.length / LEAF_BYTES - 1;
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const found = view.getUint32(middle * LEAF_BYTES);
    if (found === household) return middle;
    if (found < household) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
}

/** Cut the packed leaves of one chunk. */
export function chunkOf(packed: Uint8Array, chunk: number): Uint8Array {
  return packed.subarray(chunk * CHUNK_BYTES, (chunk + 1) * CHUNK_BYTES);
}

function leafHashes(packed: Uint8Array): Hex[] {
  const hashes: Hex[] = [];
  for (let start = 0; start < packed.length; start += LEAF_BYTES) {
    hashes.push(keccak256(packed.subarray(start, start + LEAF_BYTES)));
  }
  return hashes;
}

/** Compute every level of the tree, from the given hashes up to the root. */
export function treeLevels(hashes: Hex[]): Hex[][] {
  const levels = [hashes];
  for (let level = hashes; level.length > 1; ) {
    const zero = ZEROS[levels.length - 1] ?? ZERO;
    const above: Hex[] = [];
    for (let i = 0; i < level.length; i += 2) above.push(keccak256(concat([level[i] ?? zero, level[i + 1] ?? zero])));
    levels.push(above);
    level = above;
  }
  return levels;
}

/** Compute the levels of one chunk's tree: `levels[0]` holds the leaf hashes, the last level only the root. */
export function chunkTree(packedChunk: Uint8Array): Hex[][] {
  return treeLevels(leafHashes(packedChunk));
}

export function rootOf(levels: Hex[][]): Hex {
  return levels.at(-1)?.[0] ?? ZERO;
}

/** List the siblings from a position up to the root, as the ledger's `Opening.proof` expects them. */
export function proofFrom(levels: Hex[][], position: number): Hex[] {
  const proof: Hex[] = [];
  for (let depth = 0; depth < levels.length - 1; depth++) {
    proof.push(levels[depth]?.[(position >> depth) ^ 1] ?? ZEROS[depth] ?? ZERO);
  }
  return proof;
}

/** Compute the certificate's root: the tree over the roots of its chunks. */
export function allocationRoot(packed: Uint8Array): Hex {
  const roots: Hex[] = [];
  for (let chunk = 0; chunk * CHUNK_BYTES < packed.length; chunk++)
    roots.push(rootOf(chunkTree(chunkOf(packed, chunk))));
  return rootOf(treeLevels(roots));
}

export function toCalldata(packed: Uint8Array): Hex {
  return toHex(packed);
}
