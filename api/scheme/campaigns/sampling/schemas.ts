import { z } from "@hono/zod-openapi";
import { exactDecimal } from "../../../platform/values/numbers.ts";
import { address, calendarDate } from "../../../platform/values/text.ts";
import { decimal, jsonExact, profileIds } from "../../emissions/index.ts";
import type { SamplingTerms } from "./terms.ts";

export const SAMPLING_DECIMALS = 6;
const one = 10n ** BigInt(SAMPLING_DECIMALS);

const phase = z.strictObject({ startDate: calendarDate, endDate: calendarDate });
const paired = z.strictObject({ before: phase, after: phase }).openapi("CampaignPairs", {
  description:
    "Paired design: both frames have the same households, which are measured in both phases. The reference group is measured before, the intervention group after.",
});

export const newSampling = z
  .strictObject({
    profile: z.enum(profileIds).openapi({
      description:
        "Confidence and precision: half-width ÷ what the method judges (each mean, or the saving). It takes the place of `confidence`.",
    }),
    coefficientOfVariation: exactDecimal({ decimals: SAMPLING_DECIMALS, min: 1n, max: 10n * one })
      .optional()
      .openapi({ default: 0.5, description: "Standard deviation ÷ mean, as in the last test." }),
    dropOut: exactDecimal({ decimals: SAMPLING_DECIMALS, min: 0n, max: one / 2n })
      .optional()
      .openapi({ default: 0, description: "Share of the drawn households that is expected to drop out." }),
    secondParty: address.optional().openapi({
      description: "The only account that may draw as the second party, such as the verifier's.",
    }),
    paired: paired.optional(),
  })
  .openapi("NewCampaignSampling");
export type NewSampling = z.output<typeof newSampling>;

export const samplingResponse = z
  .object({
    profile: z.enum(profileIds),
    coefficientOfVariation: z.number(),
    dropOut: z.number(),
    secondParty: z.string().nullable(),
    paired: paired.nullable(),
  })
  .openapi("CampaignSampling");

/** Write the sampling terms as JSON with exact figures. */
export function serializeSampling(sampling: SamplingTerms): z.infer<typeof samplingResponse> {
  const { profile, coefficientOfVariation, dropOut, secondParty = null, paired: phases = null } = sampling;
  return {
    profile,
    coefficientOfVariation: jsonExact(decimal(coefficientOfVariation)),
    dropOut: jsonExact(decimal(dropOut)),
    secondParty,
    paired: phases,
  };
}
