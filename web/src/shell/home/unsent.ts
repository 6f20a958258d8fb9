import type { Waiting } from "../../implementer/kpt/kpt-outbox.ts";

/** The measurements of a campaign that are on this device only. */
export type UnsentOfCampaign = { campaignId: string; waiting: number; refused: number };

/** Count a user's measurements on this device by campaign, in the order of their first one. `holder` is the key's id. */
export function unsentByCampaign(
  measurements: readonly Pick<Waiting, "campaignId" | "holder" | "refused">[],
  holder: string | undefined,
): UnsentOfCampaign[] {
  const found = new Map<string, UnsentOfCampaign>();
  for (const { campaignId, refused } of measurements.filter((each) => each.holder === holder)) {
    const counted = found.get(campaignId) ?? { campaignId, waiting: 0, refused: 0 };
    found.set(campaignId, counted);
    if (refused === undefined) counted.waiting += 1;
    else counted.refused += 1;
  }
  return [...found.values()];
}
