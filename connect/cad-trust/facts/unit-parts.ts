import type { Block, Conversion, Lot } from "./read-facts.ts";

/** Micro-CARBON of a tonne. */
const tonne = 1_000_000_000n;

/** A part of a block whose ITMOs come from one certificate. */
export type UnitPart = { certificateIndex: number; firstId: bigint; lastId: bigint };

/**
 * Divide a block by the certificates behind it, first in first out. Each serial is in exactly one part: one that two certificates
 * share is in the part of the certificate with which it begins. A part keeps its first serial when the block is split.
 */
export function partsOf(
  block: Pick<Block, "firstId" | "lastId">,
  conversion: Conversion,
  lots: readonly Lot[],
): UnitPart[] {
  const [first, last] = [BigInt(block.firstId), BigInt(block.lastId)];
  const begin = BigInt(conversion.firstId ?? 0);
  const parts: UnitPart[] = [];
  for (const { certificateIndex, offset, amount } of lots) {
    const firstId = larger(first, begin + tonnesUpTo(BigInt(offset)));
    const lastId = smaller(last, begin + tonnesUpTo(BigInt(offset) + BigInt(amount)) - 1n);
    if (firstId > lastId) continue;
    const before = parts.at(-1);
    if (before?.certificateIndex === certificateIndex) before.lastId = lastId;
    else parts.push({ certificateIndex, firstId, lastId });
  }
  return parts;
}

/** Serials that begin before a position in a conversion's CARBON. */
const tonnesUpTo = (position: bigint): bigint => (position + tonne - 1n) / tonne;
const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const smaller = (a: bigint, b: bigint): bigint => (a < b ? a : b);
