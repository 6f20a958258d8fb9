import { maxUint64 } from "viem";
import { type JsonNumber, jsonAmount, jsonScaled } from "../../platform/values/numbers.ts";

/** Micro-CARBON; null without a bound, which the contracts write as the largest uint64. */
export type Bound = bigint | null;

export const boundOf = (cap: bigint): Bound => (cap === maxUint64 ? null : cap);

export function jsonOrNull(micro: bigint | null): JsonNumber | null {
  return micro === null ? null : jsonAmount(micro);
}

/** A cap as the contracts store it. */
export const jsonBound = (cap: bigint): JsonNumber | null => jsonOrNull(boundOf(cap));

/** Convert ten-thousandths to a fraction. */
export const jsonFee = (fee: bigint): JsonNumber => jsonScaled(fee, 4);
