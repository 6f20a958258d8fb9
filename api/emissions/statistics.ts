import { type Decimal, decimal, zero } from "./decimal.ts";
import { findOutliers, type Outlier } from "./outliers.ts";
import { type Convention, tOf } from "./t-quantile.ts";

/**
 * What is known of a group of measurements. Null where there is too little to say: a spread needs two values, a relative one a mean
 * that is not 0. Bounds are of the mean, by `convention`.
 */
export type GroupStatistics = {
  convention: Convention;
  n: number;
  mean: Decimal | null;
  standardDeviation: Decimal | null;
  coefficientOfVariation: Decimal | null;
  standardError: Decimal | null;
  halfWidth: Decimal | null;
  lowerBound: Decimal | null;
  upperBound: Decimal | null;
  precision: Decimal | null;
  meets9010: boolean;
  outliers: Outlier[];
};

export const defaultConvention: Convention = "two-sided-90";
const greatestPrecision = decimal("0.1");

/** Decimals kept of a measurement: a quotient such as 10/3 has no last one. */
const places = 30;
const scale = decimal(10).pow(places);

/**
 * Describe a group of measurements. Values are counted in whole 10^-30, so that sums and sums of squares lose nothing; outliers are
 * named and stay in every figure.
 */
export function describeGroup(values: readonly Decimal[], convention = defaultConvention): GroupStatistics {
  const scaled = values.map(toScaled);
  const outliers = findOutliers(values, scaled);
  const n = values.length;
  const sum = scaled.reduce((all, value) => all + value, 0n);
  const mean = n === 0 ? null : decimal(sum).div(scale).div(n);
  const common = { convention, n, mean, outliers };
  if (mean === null || n < 2) return { ...common, ...unknownSpread };
  const standardDeviation = deviation(scaled, sum);
  const standardError = standardDeviation.div(decimal(n).sqrt());
  const halfWidth = tOf(convention, n - 1).times(standardError);
  const precision = relative(halfWidth, mean);
  return {
    ...common,
    standardDeviation,
    coefficientOfVariation: relative(standardDeviation, mean),
    standardError,
    halfWidth,
    lowerBound: mean.minus(halfWidth),
    upperBound: mean.plus(halfWidth),
    precision,
    meets9010: precision?.lte(greatestPrecision) ?? false,
  };
}

/** s = √((n·Σx² − (Σx)²) ÷ (n·(n − 1))), whole numbers up to the division. */
function deviation(scaled: readonly bigint[], sum: bigint): Decimal {
  const n = BigInt(scaled.length);
  const squares = scaled.reduce((all, value) => all + value * value, 0n);
  return decimal(n * squares - sum * sum)
    .div(decimal(n * (n - 1n)))
    .sqrt()
    .div(scale);
}

function toScaled(value: Decimal): bigint {
  return BigInt(value.toFixed(places).replace(".", ""));
}

function relative(part: Decimal, mean: Decimal): Decimal | null {
  return mean.isZero() ? null : part.div(mean.abs());
}

const unknownSpread = {
  standardDeviation: null,
  coefficientOfVariation: null,
  standardError: null,
  halfWidth: null,
  lowerBound: null,
  upperBound: null,
  precision: null,
  meets9010: false,
};

/** The value that a calculation may use: the mean where 90/10 is met, else the bound that lowers the reduction; null where unknown. */
export function conservativeValue(
  group: GroupStatistics,
  side: "lower" | "upper",
): { value: Decimal; taken: "mean" | "lower bound" | "upper bound" } | null {
  if (group.meets9010 && group.mean !== null) return { value: group.mean, taken: "mean" };
  if (group.lowerBound === null || group.upperBound === null) return null;
  if (side === "upper") return { value: group.upperBound, taken: "upper bound" };
  return { value: group.lowerBound.lt(zero) ? zero : group.lowerBound, taken: "lower bound" };
}
