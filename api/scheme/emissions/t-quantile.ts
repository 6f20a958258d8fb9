import lowerTailQuantile from "@stdlib/stats-base-dists-t-quantile";
import { type Decimal, decimal } from "./decimal.ts";

/** How a confidence interval is meant; each result names its own. */
export type Convention = "two-sided-90" | "one-sided-90";

export const conventions: readonly Convention[] = ["two-sided-90", "one-sided-90"];

/** Probability beyond the upper limit of each convention. */
export const upperTails: Record<Convention, number> = { "two-sided-90": 0.05, "one-sided-90": 0.1 };

/**
 * The t beyond which Student's distribution leaves `upperTail` (0 to 1). Taken from the lower tail, which a float holds to its
 * last digit however small, where 1 − upperTail would lose them.
 */
export function tQuantile(upperTail: number, degreesOfFreedom: number): number {
  const found = -lowerTailQuantile(upperTail, degreesOfFreedom);
  if (!Number.isFinite(found)) {
    throw new RangeError(`There is no t quantile for tail ${upperTail} and ${degreesOfFreedom} degrees of freedom.`);
  }
  return found;
}

/** t(0.95, df) for two-sided-90, t(0.90, df) for one-sided-90. */
export function tOf(convention: Convention, degreesOfFreedom: number): Decimal {
  return decimal(tQuantile(upperTails[convention], degreesOfFreedom).toString());
}
