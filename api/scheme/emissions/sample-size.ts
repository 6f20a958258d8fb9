import { AppError, type RuleDetail } from "../../platform/errors.ts";
import { type Decimal, decimal, zero } from "./decimal.ts";
import type { Convention } from "./t-quantile.ts";

/** Two-sided z of each level, as printed in the sampling standards. */
const zOf: Record<Convention, Decimal> = {
  "two-sided-90": decimal("1.645"),
  "one-sided-90": decimal("1.645"),
  "two-sided-95": decimal("1.96"),
};

export type SampleSizeInput = {
  /** Units from which the sample is drawn. */
  population: number;
  /** Expected standard deviation ÷ mean. */
  coefficientOfVariation: Decimal;
  /** Wanted half-width ÷ mean: 0.1 for 90/10. */
  precision: Decimal;
  convention?: Convention;
};

/**
 * Calculate the smallest sample for the wanted precision of a mean: n ≥ z²·N·V ÷ ((N − 1)·p² + z²·V), V = CV²; never more than
 * the population. Source: CDM "Sampling and surveys for CDM project activities", simple random sampling of a mean.
 * @throws AppError RULE_VIOLATION naming every figure that is out of range
 */
export function requiredSampleSize({
  population,
  coefficientOfVariation,
  precision,
  convention = "two-sided-90",
}: SampleSizeInput): number {
  const details: RuleDetail[] = [];
  const refuse = (path: string, message: string) => details.push({ path, rule: "range", message });
  if (!Number.isSafeInteger(population) || population < 1) refuse("population", "At least one unit is needed.");
  if (!coefficientOfVariation.gte(zero)) refuse("coefficientOfVariation", "A variation is 0 or more.");
  if (!precision.gt(zero)) refuse("precision", "A precision is more than 0.");
  if (details.length > 0) {
    throw new AppError("RULE_VIOLATION", "No sample size follows from these figures.", { details });
  }
  const zzV = zOf[convention].pow(2).times(coefficientOfVariation.pow(2));
  const needed = zzV.times(population).div(
    precision
      .pow(2)
      .times(population - 1)
      .plus(zzV),
  );
  return Math.min(population, Math.max(1, needed.isNaN() ? 1 : needed.ceil().toNumber()));
}
