import { type Decimal, decimal, zero } from "./decimal.ts";
import { findOutliers, inUnits, type Outlier, type Quartiles } from "./outliers.ts";
import { type Convention, tOf } from "./t-quantile.ts";

/**
 * Statistics of a group of measurements. Null if there are too few values: a spread needs two values, a relative spread a mean
 * other than 0. Bounds are of the mean, by `convention`.
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
  /** Null without values. */
  quartiles: Quartiles | null;
  outliers: Outlier[];
};

export const defaultConvention: Convention = "two-sided-90";
const greatestPrecision = decimal("0.1");

/** Decimals to which a measurement is kept: a quotient such as 10/3 has infinitely many. */
const places = 30;

/** A measurement as an exact quotient, such as grams ÷ (1000 · days). */
export type Ratio = { numerator: bigint; denominator: bigint };

/** Describe a group of measurements, each to 30 decimals. Outliers are named and stay in every figure. */
export function describeGroup(values: readonly Decimal[], convention = defaultConvention): GroupStatistics {
  const parts = values.map((value) => BigInt(value.toFixed(places).replace(".", "")));
  return describeParts(parts, 10n ** BigInt(places), convention);
}

/** Describe a group of measurements that are quotients of whole numbers, without a rounding before the last step. */
export function describeRatios(ratios: readonly Ratio[], convention = defaultConvention): GroupStatistics {
  const perUnit = leastCommonMultiple(new Set(ratios.map(({ denominator }) => denominator)));
  const factors = new Map<bigint, bigint>();
  const parts = ratios.map(({ numerator, denominator }) => {
    let factor = factors.get(denominator);
    if (factor === undefined) {
      factor = perUnit / denominator;
      factors.set(denominator, factor);
    }
    return numerator * factor;
  });
  return describeParts(parts, perUnit, convention);
}

/** Values are whole numbers of parts, so that sums and sums of squares are exact; `perUnit` parts make one unit. */
function describeParts(parts: readonly bigint[], perUnit: bigint, convention: Convention): GroupStatistics {
  const n = parts.length;
  const { sum, squares } = sumsOf(parts);
  const mean = n === 0 ? null : inUnits(sum, BigInt(n) * perUnit);
  const common = { convention, n, mean, ...findOutliers(parts, perUnit) };
  if (mean === null || n < 2) return { ...common, ...unknownSpread };
  const standardDeviation = deviation({ n: BigInt(n), sum, squares }).div(decimal(perUnit));
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

function sumsOf(parts: readonly bigint[]): { sum: bigint; squares: bigint } {
  let sum = 0n;
  let squares = 0n;
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i] as bigint;
    sum += part;
    squares += part * part;
  }
  return { sum, squares };
}

/** s = √((n·Σx² − (Σx)²) ÷ (n·(n − 1))), whole numbers up to the division. */
function deviation({ n, sum, squares }: { n: bigint; sum: bigint; squares: bigint }): Decimal {
  return decimal(n * squares - sum * sum)
    .div(decimal(n * (n - 1n)))
    .sqrt();
}

/** @throws RangeError unless every denominator is above 0 */
function leastCommonMultiple(denominators: Iterable<bigint>): bigint {
  let common = 1n;
  for (const each of denominators) {
    if (each <= 0n) throw new RangeError(`A measurement is divided by more than 0, not by ${each}.`);
    let [a, b] = [common, each];
    while (b !== 0n) [a, b] = [b, a % b];
    common = (common / a) * each;
  }
  return common;
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

/** Choose the value to calculate with: the mean if 90/10 is met, else the bound that lowers the reduction; null if unknown. */
export function conservativeValue(
  group: GroupStatistics,
  side: "lower" | "upper",
): { value: Decimal; taken: "mean" | "lower bound" | "upper bound" } | null {
  if (group.meets9010 && group.mean !== null) return { value: group.mean, taken: "mean" };
  if (group.lowerBound === null || group.upperBound === null) return null;
  if (side === "upper") return { value: group.upperBound, taken: "upper bound" };
  return { value: group.lowerBound.lt(zero) ? zero : group.lowerBound, taken: "lower bound" };
}
