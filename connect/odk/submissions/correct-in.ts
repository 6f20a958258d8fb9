import type { SubmissionRow } from "../../records/tables.ts";

/**
 * Where a refused record can be corrected: `console` (by its team, also a correction that is not written yet), `phone` (a delivery,
 * which only its supplier may claim), `kobotoolbox`. Null for a record with nothing to correct.
 */
export const correctionPlaces = ["console", "phone", "kobotoolbox"] as const;
export type CorrectionPlace = (typeof correctionPlaces)[number];

/** Say where a record can be corrected. `hasCollector`: it came by a collector's link, and not from another system. */
export function correctInOf(
  { status, kind, correctedBy }: Pick<SubmissionRow, "status" | "kind" | "correctedBy">,
  hasCollector: boolean,
): CorrectionPlace | null {
  const isUnwritten = status === "received" && correctedBy !== null;
  if (status !== "refused" && !isUnwritten) return null;
  if (!hasCollector) return "kobotoolbox";
  return kind === "delivery" ? "phone" : "console";
}
