import type { TwoWays as TwoWaysOf } from "../../wire/src/reports.ts";

export type TwoWays = TwoWaysOf<bigint>;

export function twoWays(byEvents: bigint | null, byChain: bigint | null, reason?: string): TwoWays {
  const agree = byEvents === null || byChain === null ? null : byEvents === byChain;
  return { byEvents, byChain, agree, ...(reason === undefined ? {} : { reason }) };
}
