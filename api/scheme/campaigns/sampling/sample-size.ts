import type { z } from "@hono/zod-openapi";
import { type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import { decimal, jsonExact, plannedSampleSize, requiredSampleSize, samplingProfiles } from "../../emissions/index.ts";
import type { sampleSizeQuery, sampleSizeResponse } from "../schemas.ts";

/** How many households to draw from a frame. @throws AppError RULE_VIOLATION for figures from which no size follows */
export function proposedSampleSize(query: z.output<typeof sampleSizeQuery>): z.infer<typeof sampleSizeResponse> {
  const { population } = query;
  const coefficientOfVariation = decimal(query.coefficientOfVariation);
  const { profile = null } = query;
  const plan = profile === null ? null : samplingProfiles[profile];
  const precision = plan?.precision ?? decimal(query.precision ?? "0.1");
  const dropOut = decimal(query.dropOut ?? "0");
  const broken: RuleDetail[] = [];
  if (profile !== null && query.precision !== undefined) {
    const message = "The profile states the precision: give profile or precision, not both.";
    broken.push({ path: "query.precision", rule: "precision-once", message });
  }
  if (profile === null && query.dropOut !== undefined) {
    broken.push({ path: "query.dropOut", rule: "profile-given", message: "dropOut is given only with a profile." });
  }
  if (dropOut.gt("0.5")) {
    broken.push({ path: "query.dropOut", rule: "range", message: "dropOut is at most 0.5." });
  }
  if (precision.gt(1)) {
    const message = "A precision is at most 1.";
    broken.push({ path: "query.precision", rule: "range", message });
  }
  refuseBrokenRules(broken);
  return {
    population,
    coefficientOfVariation: jsonExact(coefficientOfVariation),
    precision: jsonExact(precision),
    level: jsonExact(plan?.level ?? decimal("0.9")),
    profile,
    dropOut: jsonExact(dropOut),
    sampleSize:
      profile === null
        ? requiredSampleSize({ population, coefficientOfVariation, precision })
        : plannedSampleSize({ population, coefficientOfVariation, profile, dropOut }),
    source: "CDM, Sampling and surveys for CDM project activities: simple random sampling of a mean",
  };
}
