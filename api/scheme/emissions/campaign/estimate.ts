import { type Decimal, decimal, sumOf, zero } from "../decimal.ts";
import { describeRatios, type Ratio } from "../statistics.ts";
import { type Convention, tInterval } from "../t-quantile.ts";

/** A measured value and the stratum of its household; null where the sample has no strata. */
export type Observation = { stratum: string | null; value: Ratio };

/** A part of the population and its share of it. The shares of all strata make 1. */
export type Stratum = { name: string | null; share: Decimal };

/** A sample without strata is one stratum. */
export const oneStratum: readonly Stratum[] = [{ name: null, share: decimal(1) }];

/** What one stratum contributes to the variance of a mean. */
type Component = { variance: Decimal; degreesOfFreedom: number };

/** An estimated mean with its interval by the convention. */
export type Estimate = {
  n: number;
  mean: Decimal;
  standardError: Decimal;
  degreesOfFreedom: Decimal;
  halfWidth: Decimal;
  lowerBound: Decimal;
  upperBound: Decimal;
  /** Half-width ÷ mean; null of a mean of 0. */
  precision: Decimal | null;
  components: Component[];
};

/** Households of a stratum below which its variance is unknown. */
export const leastOfStratum = 2;

/**
 * Estimate the population's mean: the mean of each stratum by its share.
 * @returns null where a stratum has fewer than two values
 */
export function estimateMean(
  observations: readonly Observation[],
  strata: readonly Stratum[],
  convention: Convention,
): Estimate | null {
  const means: Decimal[] = [];
  const components: Component[] = [];
  for (const { name, share } of strata) {
    const values = observations.filter(({ stratum }) => stratum === name).map(({ value }) => value);
    if (values.length < leastOfStratum) return null;
    const { mean, standardError } = describeRatios(values, convention);
    if (mean === null || standardError === null) return null;
    means.push(mean.times(share));
    components.push({ variance: standardError.times(share).pow(2), degreesOfFreedom: values.length - 1 });
  }
  return interval(sumOf(means), components, observations.length, convention);
}

/** Estimate the difference of two independent means. */
export function estimateDifference(a: Estimate, b: Estimate, convention: Convention): Estimate {
  return interval(a.mean.minus(b.mean), [...a.components, ...b.components], a.n + b.n, convention);
}

/** The interval of a sum of independent means; degrees of freedom after Welch and Satterthwaite. */
function interval(mean: Decimal, components: Component[], n: number, convention: Convention): Estimate {
  const variance = sumOf(components.map((each) => each.variance));
  return { n, mean, ...tInterval(mean, variance, freedomOf(components, variance), convention), components };
}

function freedomOf(components: readonly Component[], variance: Decimal): Decimal {
  const [only, ...others] = components;
  if (only !== undefined && others.length === 0) return decimal(only.degreesOfFreedom);
  if (variance.isZero()) return decimal(components.reduce((sum, each) => sum + each.degreesOfFreedom, 0));
  const parts = components.map((each) => each.variance.pow(2).div(each.degreesOfFreedom));
  return variance.pow(2).div(sumOf(parts));
}

/** Choose the value to calculate with: the mean if it is precise enough, else the named bound. */
export function usableValue(
  estimate: Estimate,
  limit: Decimal,
  bound: "lower" | "upper",
): { value: Decimal; taken: "mean" | "lower bound" | "upper bound" } {
  if (estimate.precision?.lte(limit)) return { value: estimate.mean, taken: "mean" };
  return bound === "lower"
    ? { value: estimate.lowerBound, taken: "lower bound" }
    : { value: estimate.upperBound, taken: "upper bound" };
}

/** Raise a negative bound to 0. */
export function atLeastZero(value: Decimal): Decimal {
  return value.lt(zero) ? zero : value;
}
