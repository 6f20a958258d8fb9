import { campaignGroups } from "../../../../wire/src/ids.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";

export const groups = campaignGroups;
export const dropReasons = [
  "refused",
  "absent",
  "moved",
  "ineligible",
  "incomplete",
  "other",
] as const satisfies Schemas["Replacement"]["reason"][];

export type Campaign = Schemas["Campaign"];
export type CampaignSummary = Schemas["CampaignSummary"];
