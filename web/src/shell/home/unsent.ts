import type { Waiting } from "../../implementer/kpt/kpt-outbox.ts";

/** The measurements of a campaign that are on this device only. */
export type UnsentOfCampaign = { campaignId: string; waiting: number; refused: number };

/** Count the measurements of this device by campaign, in the order of their first one. */
export function unsentByCampaign(measurements: readonly Pick<Waiting, "campaignId" | "refused">[]): UnsentOfCampaign[] {
  const found = new Map<string, UnsentOfCampaign>();
  for (const { campaignId, refused } of measurements) {
    const counted = found.get(campaignId) ?? { campaignId, waiting: 0, refused: 0 };
    found.set(campaignId, counted);
    if (refused === undefined) counted.waiting += 1;
    else counted.refused += 1;
  }
  return [...found.values()];
}
