/** A figure from the events' rows and from the contracts' views; null with a reason if one is unavailable. */
export type TwoWays = {
  byEvents: bigint | null;
  byChain: bigint | null;
  /** Null where they cannot be compared. */
  agree: boolean | null;
  reason?: string;
};

export function twoWays(byEvents: bigint | null, byChain: bigint | null, reason?: string): TwoWays {
  const agree = byEvents === null || byChain === null ? null : byEvents === byChain;
  return { byEvents, byChain, agree, ...(reason === undefined ? {} : { reason }) };
}
