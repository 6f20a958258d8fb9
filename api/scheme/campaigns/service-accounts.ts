import { type Address, isAddressEqual } from "viem";
import type { Chain } from "../../platform/chain/index.ts";
import type { CampaignDeps } from "./deps.ts";
import type { CampaignRow } from "./model.ts";

/** List the accounts that this service signs with, each once. */
export function serviceAccountsOf({ senders }: Pick<Chain, "senders">): Address[] {
  return [...new Set(Object.values(senders).map(({ address }) => address))];
}

/**
 * Whether two parties drew a campaign. The contract counts any account that may join, also one of this service, which then has both
 * secrets.
 */
export async function isDrawnByTwo(
  { campaigns, chain }: Pick<CampaignDeps, "campaigns" | "chain">,
  { campaign, twoParties }: Pick<CampaignRow, "campaign" | "twoParties">,
): Promise<boolean> {
  if (!twoParties) return false;
  const { secondParty } = await campaigns.ledger.drawRoundOf(campaign);
  return secondParty !== null && !serviceAccountsOf(chain).some((own) => isAddressEqual(own, secondParty.account));
}
