import type { JsonNumber } from "../../platform/values/numbers.ts";
import { jsonRounded } from "./decimal.ts";
import type { GroupStatistics } from "./statistics.ts";

type Rounded = JsonNumber | null;

/** Group statistics in a response: JSON numbers of 12 decimals, null if there are too few values. */
export type GroupResponse = {
  n: number;
  mean: Rounded;
  standardDeviation: Rounded;
  coefficientOfVariation: Rounded;
  standardError: Rounded;
  halfWidth: Rounded;
  lowerBound: Rounded;
  upperBound: Rounded;
  precision: Rounded;
  meets9010: boolean;
  outliers: { index: number; value: Rounded; side: "low" | "high" }[];
};

/** Round group statistics for a response; an outlier's `index` is its position in the described values. */
export function groupResponse(group: GroupStatistics): GroupResponse {
  return {
    n: group.n,
    mean: jsonRounded(group.mean),
    standardDeviation: jsonRounded(group.standardDeviation),
    coefficientOfVariation: jsonRounded(group.coefficientOfVariation),
    standardError: jsonRounded(group.standardError),
    halfWidth: jsonRounded(group.halfWidth),
    lowerBound: jsonRounded(group.lowerBound),
    upperBound: jsonRounded(group.upperBound),
    precision: jsonRounded(group.precision),
    meets9010: group.meets9010,
    outliers: group.outliers.map(({ index, value, side }) => ({ index, value: jsonRounded(value), side })),
  };
}
