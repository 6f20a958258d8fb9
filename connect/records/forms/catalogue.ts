import { AppError } from "../../../api/platform/errors.ts";
import { type HearthClient, HearthError, type Schemas } from "../../../wire/src/index.ts";
import type { RecordSource } from "../source.ts";
import { deliveryForm } from "./delivery.ts";
import { deviceForm } from "./device.ts";
import { householdForm } from "./household.ts";
import { kptForm } from "./kpt.ts";
import type { Form } from "./question.ts";
import { usageForm } from "./usage.ts";

type Campaign = Schemas["Campaign"];

/** Read a collector's campaign; undefined when it has none. @throws HearthError */
export async function campaignOf(
  client: HearthClient,
  { campaignId }: Pick<RecordSource, "campaignId">,
): Promise<Campaign | undefined> {
  if (campaignId === null) return undefined;
  return await client.get("/v1/campaigns/{campaignId}", { path: { campaignId } });
}

/** Make sure that a collector's campaign is there, if it has one. @throws AppError NOT_FOUND; HearthError for other failures */
export async function requireCampaign(
  client: HearthClient,
  row: Pick<RecordSource, "campaignId" | "implementerDid">,
): Promise<void> {
  try {
    await campaignOf(client, row);
  } catch (error) {
    if (!(error instanceof HearthError) || error.status !== 404) throw error;
    const message = `${row.implementerDid} has no campaign ${row.campaignId}.`;
    throw new AppError("NOT_FOUND", message, { details: [{ path: "campaignId", rule: "campaign-known", message }] });
  }
}

/** Whether a campaign takes measurements now: its sample is drawn, and it is neither closed nor given up. */
export function isMeasuring(campaign: Campaign | undefined): campaign is Campaign {
  return campaign?.status === "drawn";
}

/** The forms that a collector has now. A campaign that takes no measurements has none. */
export function formsOf(collector: RecordSource, campaign: Campaign | undefined): Form[] {
  return collector.forms.flatMap((kind): Form[] => {
    switch (kind) {
      case "household":
        return [householdForm];
      case "device":
        return collector.planId === null ? [] : [deviceForm(collector.planId)];
      case "kpt":
        return isMeasuring(campaign) ? [kptForm(campaign)] : [];
      case "usage":
        return isMeasuring(campaign) && campaign.usageFrame !== null ? [usageForm(campaign.campaignId)] : [];
      case "delivery":
        return collector.supplierDid === null ? [] : [deliveryForm(collector.supplierDid)];
    }
    return [];
  });
}
