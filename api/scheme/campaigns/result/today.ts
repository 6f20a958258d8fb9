import { dateOf } from "../../../platform/chain/index.ts";
import type { CampaignDeps } from "../deps.ts";

/** The day of the latest block, in UTC. */
export async function todayOf({ chain }: Pick<CampaignDeps, "chain">): Promise<string> {
  return dateOf(Number((await chain.now()) / 86_400n));
}
