import { type CampaignGroup, campaignGroups } from "../../../../wire/src/ids.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { hearth } from "../../api/client.ts";

export type Result = Schemas["CampaignResult"];
export type Reduction = Schemas["CampaignCertifiableReduction"];
export type Line = Reduction["lines"][number];
export type GroupName = CampaignGroup;
export const groupNames = campaignGroups;

/** Request a result as CSV, which has a row for each household. */
export function readCsv(campaignId: string, signal?: AbortSignal): Promise<Response> {
  const options = { path: { campaignId }, query: { format: "csv" as const }, ...(signal && { signal }) };
  return hearth.raw("get", "/v1/campaigns/{campaignId}/result", options);
}

/** The reduction by the committed method; the first where none was committed. */
export function committedReduction({ emissions }: Pick<Result, "emissions">): Reduction | undefined {
  const { reductions, terms } = emissions;
  return reductions.find(({ method }) => method === terms?.method) ?? reductions[0];
}
