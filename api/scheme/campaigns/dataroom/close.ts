import type { CampaignDeps } from "../deps.ts";
import type { Close } from "../ledger.ts";
import type { CampaignRow } from "../model.ts";

/** Read the close of a campaign that is closed, with the time of its block. */
export async function requireClose(
  { campaigns, chain }: Pick<CampaignDeps, "campaigns" | "chain">,
  { campaign, campaignId }: CampaignRow,
): Promise<Close & { at: Date }> {
  const close = await campaigns.ledger.closeOf(campaign);
  if (close === null) throw new Error(`The chain lacks the close of ${campaignId}.`);
  const { timestamp } = await chain.client.getBlock({ blockNumber: BigInt(close.blockNumber) });
  return { ...close, at: new Date(Number(timestamp) * 1000) };
}
