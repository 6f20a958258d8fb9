import { AppError } from "../../../api/platform/errors.ts";
import type { RequestContext } from "../../../api/platform/http/index.ts";
import { campaignOf, isMeasuring } from "../../records/forms/catalogue.ts";
import type { SubmissionRow } from "../../records/tables.ts";
import type { SignedIn } from "../collectors/service.ts";
import type { OdkDeps } from "../deps.ts";
import { correctInOf } from "./correct-in.ts";

/** @throws AppError CONFLICT when a record is not refused, is corrected elsewhere, or its campaign is closed */
export async function requireCorrectable(deps: OdkDeps, ctx: RequestContext, row: SubmissionRow): Promise<void> {
  const collector = await deps.collectors.find(row.collectorId);
  requireHere(row, collector !== undefined);
  if (row.status !== "refused") throw notRefused(row);
  if (collector !== undefined) await requireOpenCampaign({ collector, client: deps.host.clientAs(ctx) }, row);
}

export const sentences = {
  phone: "A delivery is its supplier's claim. Edit the record on the phone and send it again.",
  kobotoolbox: "The record came from KoboToolbox. Edit it there: Hearth reads the edit.",
};

/** @throws AppError CONFLICT for a record that cannot be corrected, or is corrected elsewhere */
export function requireHere(row: SubmissionRow, hasCollector: boolean): void {
  const place = correctInOf(row, hasCollector);
  if (place === "console") return;
  throw place === null ? notRefused(row) : new AppError("CONFLICT", sentences[place]);
}

const notRefused = ({ status }: SubmissionRow) =>
  new AppError("CONFLICT", `The record is ${status}. Only a refused record can be corrected.`);

/** @throws AppError CONFLICT when the campaign of a measurement is closed */
export async function requireOpenCampaign({ client, collector }: SignedIn, { kind }: SubmissionRow): Promise<void> {
  if (kind !== "kpt" && kind !== "usage") return;
  if (isMeasuring(await campaignOf(client, collector))) return;
  throw new AppError("CONFLICT", `The campaign ${collector.campaignId} is closed: it takes no more records.`);
}
