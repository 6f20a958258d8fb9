import { decimal, type Flag } from "../../../emissions/index.ts";
import type { SamplingTerms } from "../../sampling/terms.ts";

/** Flag a sample that was planned for a lower variation than the plan's last closed campaign of the same method measured. */
export function variationFlags(sampling: SamplingTerms | undefined): Flag[] {
  const { coefficientOfVariation: planned = "0", measured } = sampling ?? {};
  if (measured === undefined || decimal(planned).gte(measured.coefficientOfVariation)) return [];
  const { group, campaignId, coefficientOfVariation } = measured;
  const message = `The sample was planned for a coefficient of variation of ${planned}; campaign ${campaignId} had measured ${coefficientOfVariation} in the ${group} group.`;
  return [{ group, rule: "cv-below-measured", message, positions: [] }];
}
