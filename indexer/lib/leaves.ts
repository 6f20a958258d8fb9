/** A household's share of a certificate. */
export type Leaf = { household: number; amount: bigint };

const hexPerLeaf = 24;

/** Number of leaves in packed form (12 bytes each). */
export const leafCount = (packed: `0x${string}`): number => (packed.length - 2) / hexPerLeaf;

/** Unpack leaves: household index (4 bytes) then amount in micro-CARBON (8 bytes), big-endian. */
export function unpackLeaves(packed: `0x${string}`): Leaf[] {
  const leaves: Leaf[] = [];
  for (let at = 2; at < packed.length; at += hexPerLeaf) {
    const household = Number.parseInt(packed.slice(at, at + 8), 16);
    leaves.push({ household, amount: BigInt(`0x${packed.slice(at + 8, at + hexPerLeaf)}`) });
  }
  return leaves;
}
