import { decimal } from "../decimal.ts";
import { describeSaving, type Saving } from "../saving.ts";
import { describeRatios, type GroupStatistics } from "../statistics.ts";
import type { Convention } from "../t-quantile.ts";
import { type Estimate, estimateDifference, estimateMean, type Observation, type Stratum } from "./estimate.ts";
import type { StratumInput } from "./input.ts";

/** Compute each stratum's share of the population: N_h ÷ N where households are counted. */
export function strataByShare(strata: readonly StratumInput[]): Stratum[] {
  const total = strata.reduce((sum, stratum) => sum + ("households" in stratum ? stratum.households : 0), 0);
  return strata.map((stratum) => ({
    name: stratum.name,
    share: "share" in stratum ? stratum.share : decimal(stratum.households).div(total),
  }));
}

/** A stratum of a sample with the statistics of its values. */
export type DescribedStratum = Stratum & { statistics: GroupStatistics };

/** A stratified sample: the estimate for the population, and each stratum by itself. */
export type DescribedStrata = {
  /** Null where a stratum has fewer than two values. */
  estimate: Estimate | null;
  /** Of the population; quartiles and outliers are of the values as they are. */
  statistics: GroupStatistics;
  strata: DescribedStratum[];
};

const greatestPrecision = "0.1";

/**
 * Describe a stratified sample. The standard deviation is that within the strata, √Σ share·s², which a sample size is planned for.
 */
export function describeStrata(
  observations: readonly Observation[],
  strata: readonly Stratum[],
  convention: Convention,
): DescribedStrata {
  const described = strata.map((stratum) => {
    const values = observations.filter((each) => each.stratum === stratum.name).map(({ value }) => value);
    return { ...stratum, statistics: describeRatios(values, convention) };
  });
  const estimate = estimateMean(observations, strata, convention);
  const plain = describeRatios(
    observations.map(({ value }) => value),
    convention,
  );
  const variance = described.reduce(
    (sum, { share, statistics }) => sum.plus(share.times((statistics.standardDeviation ?? decimal(0)).pow(2))),
    decimal(0),
  );
  const standardDeviation = estimate && variance.sqrt();
  const precision = estimate?.precision ?? null;
  const statistics: GroupStatistics = {
    ...plain,
    mean: estimate?.mean ?? null,
    standardDeviation,
    coefficientOfVariation:
      estimate === null || standardDeviation === null || estimate.mean.isZero()
        ? null
        : standardDeviation.div(estimate.mean.abs()),
    standardError: estimate?.standardError ?? null,
    halfWidth: estimate?.halfWidth ?? null,
    lowerBound: estimate?.lowerBound ?? null,
    upperBound: estimate?.upperBound ?? null,
    precision,
    meets9010: precision?.lte(greatestPrecision) ?? false,
  };
  return { estimate, statistics, strata: described };
}

/** Calculate the saving between two stratified samples of independent groups. */
export function describeStratifiedSaving(
  reference: Pick<DescribedStrata, "estimate" | "statistics">,
  intervention: Pick<DescribedStrata, "estimate" | "statistics">,
): Saving {
  const plain = describeSaving(reference.statistics, intervention.statistics);
  if (reference.estimate === null || intervention.estimate === null) return plain;
  const { standardError, degreesOfFreedom, halfWidth, lowerBound, upperBound, precision } = estimateDifference(
    reference.estimate,
    intervention.estimate,
    plain.convention,
  );
  return { ...plain, standardError, degreesOfFreedom, halfWidth, lowerBound, upperBound, precision };
}
