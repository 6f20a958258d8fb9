import type { pool } from "../ponder.schema.ts";

type Reserves = Pick<typeof pool.$inferSelect, "carbonReserve" | "stablecoinReserve">;

/** Update the pool's reserves after a token came in (positive) or went out; other tokens change nothing. */
export function reservesAfter(
  row: Reserves,
  token: string,
  amount: bigint,
  counted: { carbon: string; stablecoin: string },
): Partial<Reserves> {
  const moved = token.toLowerCase();
  if (moved === counted.carbon.toLowerCase()) return { carbonReserve: row.carbonReserve + amount };
  if (moved === counted.stablecoin.toLowerCase()) return { stablecoinReserve: row.stablecoinReserve + amount };
  return {};
}
