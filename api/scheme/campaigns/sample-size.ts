import type { z } from "@hono/zod-openapi";
import { refuseBrokenRules } from "../../platform/errors.ts";
import { decimal, jsonExact, requiredSampleSize } from "../emissions/index.ts";
import type { sampleSizeQuery, sampleSizeResponse } from "./schemas.ts";

/** How many households to draw from a frame. @throws AppError RULE_VIOLATION for figures from which no size follows */
export function proposedSampleSize(query: z.output<typeof sampleSizeQuery>): z.infer<typeof sampleSizeResponse> {
  const { population } = query;
  const coefficientOfVariation = decimal(query.coefficientOfVariation);
  const precision = decimal(query.precision);
  if (precision.gt(1)) {
    const message = "A precision is at most 1.";
    refuseBrokenRules([{ path: "query.precision", rule: "range", message }]);
  }
  return {
    population,
    coefficientOfVariation: jsonExact(coefficientOfVariation),
    precision: jsonExact(precision),
    level: jsonExact(decimal("0.9")),
    sampleSize: requiredSampleSize({ population, coefficientOfVariation, precision }),
    source: "CDM, Sampling and surveys for CDM project activities: simple random sampling of a mean",
  };
}
