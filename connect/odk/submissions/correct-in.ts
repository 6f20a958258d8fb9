import type { SubmissionRow } from "../../records/tables.ts";

/**
 * Where a refused record can be corrected: `console` (by its team, also a correction that is not written yet), `phone` (a delivery,
 * which only its supplier may claim), `kobotoolbox`. Null for a record with nothing to correct.
 */
export const correctionPlaces = ["console", "phone", "kobotoolbox"] as const;
export type CorrectionPlace = (typeof correctionPlaces)[number];

type Judged = Pick<SubmissionRow, "status" | "kind" | "correctedBy">;

/** Whether it is a correction that is stored, but not written to Hearth yet. */
export const isUnwrittenCorrection = ({ status, correctedBy }: Omit<Judged, "kind">): boolean =>
  status === "received" && correctedBy !== null;

/** Say where a record can be corrected. `hasCollector`: it came by a collector's link, and not from another system. */
export function correctInOf(row: Judged, hasCollector: boolean): CorrectionPlace | null {
  if (row.status !== "refused" && !isUnwrittenCorrection(row)) return null;
  if (!hasCollector) return "kobotoolbox";
  return row.kind === "delivery" ? "phone" : "console";
}
