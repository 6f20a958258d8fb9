import type { Chain } from "./chain.ts";
import { dateOf } from "./days.ts";

/** The day of the latest block, in UTC. */
export async function todayOf({ chain }: { chain: Pick<Chain, "now"> }): Promise<string> {
  return dateOf(Number((await chain.now()) / 86_400n));
}
