import { z } from "@hono/zod-openapi";
import { exactDecimal, integer } from "../../../platform/values/numbers.ts";
import { address, calendarDate, identifier } from "../../../platform/values/text.ts";
import { decimal, jsonExact, profileIds } from "../../emissions/index.ts";
import { groups } from "../groups.ts";
import type { SamplingTerms } from "./terms.ts";

export const SAMPLING_DECIMALS = 6;
/** Most strata of a sample. */
const MAX_STRATA = 20;
/** Households that the spread of a stratum needs. */
const leastOfStratum = 2;
const one = 10n ** BigInt(SAMPLING_DECIMALS);

const phase = z.strictObject({ startDate: calendarDate, endDate: calendarDate });
const paired = z.strictObject({ before: phase, after: phase }).openapi("CampaignPairs", {
  description:
    "Paired design: both frames have the same households, which are measured in both phases. The reference group is measured before, the intervention group after.",
});

const people = z.strictObject({ from: integer(1, 1_000).optional(), to: integer(1, 1_000).optional() }).openapi({
  description: "Registered members, bounds included.",
});
const stratumRule = {
  id: identifier(64),
  region: identifier(128).optional().openapi({ description: "Households that are registered in this region." }),
  people: people.optional(),
};
const stratumSize = integer(leastOfStratum, 250_000).openapi({ description: "Households to draw from each frame." });

export const newStratum = z.strictObject({ ...stratumRule, sampleSize: stratumSize }).openapi("NewCampaignStratum", {
  description:
    "A part of the population that is drawn separately. Every household of the frames is in exactly one, by its registered region and members.",
});
export type NewStratum = z.output<typeof newStratum>;

export const newSampling = z
  .strictObject({
    profile: z.enum(profileIds).openapi({
      description:
        "Confidence and precision: half-width ÷ what the method judges (each mean, or the saving). It takes the place of `confidence`.",
    }),
    coefficientOfVariation: exactDecimal({ decimals: SAMPLING_DECIMALS, min: 1n, max: 10n * one })
      .optional()
      .openapi({
        description:
          "Standard deviation ÷ mean. Absent: what the plan's last closed campaign of the same method and unit measured, else 0.5.",
      }),
    dropOut: exactDecimal({ decimals: SAMPLING_DECIMALS, min: 0n, max: one / 2n })
      .optional()
      .openapi({ default: 0, description: "Share of the drawn households that is expected to drop out." }),
    secondParty: address.optional().openapi({
      description: "The only account that may draw as the second party, such as the verifier's.",
    }),
    paired: paired.optional(),
    strata: z.array(newStratum).min(1).max(MAX_STRATA).optional().openapi({
      description: "Instead of `sampleSize`: what each stratum has to draw.",
    }),
  })
  .openapi("NewCampaignSampling");
export type NewSampling = z.output<typeof newSampling>;

const committedFrame = z.object({
  root: z.string().openapi({ description: "Merkle root of the stratum's households, as for a frame." }),
  size: z.number().int(),
});
const stratum = z
  .object({
    id: z.string(),
    region: z.string().optional(),
    people: z.object({ from: z.number().int().optional(), to: z.number().int().optional() }).optional(),
    sampleSize: z.number().int(),
    frames: z.object({ reference: committedFrame, intervention: committedFrame }),
  })
  .openapi("CampaignStratum");

export const samplingResponse = z
  .object({
    profile: z.enum(profileIds),
    coefficientOfVariation: z.number(),
    measured: z
      .object({ campaignId: z.string(), group: z.enum(groups), coefficientOfVariation: z.number() })
      .optional()
      .openapi({
        description:
          "What the plan's last closed campaign of the same method and unit measured at the commit, in the group with the larger variation; absent: none.",
      }),
    dropOut: z.number(),
    secondParty: z.string().nullable(),
    paired: paired.nullable(),
    strata: z.array(stratum).nullable(),
  })
  .openapi("CampaignSampling");

/** Write the sampling terms as JSON with exact figures. */
export function serializeSampling(sampling: SamplingTerms): z.infer<typeof samplingResponse> {
  const {
    profile,
    coefficientOfVariation,
    measured,
    dropOut,
    secondParty = null,
    paired: phases = null,
    strata = null,
  } = sampling;
  return {
    profile,
    coefficientOfVariation: jsonExact(decimal(coefficientOfVariation)),
    ...(measured === undefined
      ? {}
      : {
          measured: { ...measured, coefficientOfVariation: jsonExact(decimal(measured.coefficientOfVariation)) },
        }),
    dropOut: jsonExact(decimal(dropOut)),
    secondParty,
    paired: phases,
    strata,
  };
}
