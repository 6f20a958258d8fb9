import { type RuleDetail, refuseBrokenRules } from "../../platform/errors.ts";
import { type Decimal, decimal, zero } from "./decimal.ts";
import { type Line, line } from "./lines.ts";
import { type Convention, tOf } from "./t-quantile.ts";

/** A usage survey: `inUse` of the `surveyed` units were in use. */
export type UsageSurvey = { surveyed: number; inUse: number };

/**
 * Calculate U from a survey: the lower bound of the share in use, as a mean of ones and zeros: p − t·√(p·(1 − p) ÷ (n − 1)).
 * @throws AppError RULE_VIOLATION naming every impossible count
 */
export function surveyedUsage(
  { surveyed, inUse }: UsageSurvey,
  convention: Convention,
): { usage: Decimal; lines: Line[] } {
  const details: RuleDetail[] = [];
  if (!Number.isSafeInteger(surveyed) || surveyed < 2) {
    details.push({ path: "surveyed", rule: "range", message: "A bound needs at least two surveyed units." });
  }
  if (!Number.isSafeInteger(inUse) || inUse < 0 || inUse > surveyed) {
    details.push({ path: "inUse", rule: "range", message: "From none to all of the surveyed units are in use." });
  }
  refuseBrokenRules(details, "No usage follows from these counts.");
  const share = decimal(inUse).div(surveyed);
  const error = share
    .times(decimal(1).minus(share))
    .div(surveyed - 1)
    .sqrt();
  const bound = share.minus(tOf(convention, surveyed - 1).times(error));
  const usage = bound.lt(zero) ? zero : bound;
  const lines = [
    line("Share of surveyed units in use", share, "1", `usage survey: ${inUse} of ${surveyed}`),
    line("Adjustment to the lower bound", usage.minus(share), "1", convention),
    line("Usage, U", usage, "1", "the lower bound, since it was surveyed"),
  ];
  return { usage, lines };
}
