import { z } from "@hono/zod-openapi";
import { emissionsTermsAnswer } from "./emissions-terms.ts";

const figure = z
  .number()
  .nullable()
  .openapi({ description: "Rounded at 12 decimals; null where too little is known." });
const exact = z.number().openapi({ description: "Every digit." });

const outlier = z.object({
  position: z.number().int().openapi({ description: "The household's place in the draw order of its group." }),
  claimIds: z.array(z.string()),
  value: figure,
  side: z.enum(["low", "high"]),
});

const statistics = {
  n: z.number().int().openapi({ description: "Households." }),
  mean: figure,
  standardDeviation: figure,
  coefficientOfVariation: figure,
  standardError: figure,
  halfWidth: figure,
  lowerBound: figure,
  upperBound: figure,
  precision: figure,
  meets9010: z.boolean(),
  outliers: z.array(outlier).openapi({ description: "Beyond 1.5 interquartile ranges; they stay in every figure." }),
};

const group = z
  .object({
    ...statistics,
    claims: z.number().int(),
    sampleSize: z.number().int(),
    frameSize: z.number().int(),
    requiredSampleSize: z.number().int().nullable().openapi({
      description: "What the measured variation asks for at the campaign's precision.",
    }),
    meetsRequiredSampleSize: z.boolean().nullable(),
  })
  .openapi("CampaignGroupResult");

const groupPerAdult = z
  .object({ ...statistics, householdsWithoutSize: z.number().int() })
  .openapi("CampaignGroupPerStandardAdult");

const saving = z
  .object({
    mean: figure,
    share: figure,
    standardError: figure,
    degreesOfFreedom: figure,
    halfWidth: figure,
    lowerBound: figure,
    upperBound: figure,
    precision: figure,
    conservative: figure,
  })
  .openapi("CampaignSaving");

const line = z.object({ name: z.string(), value: exact, unit: z.string(), source: z.string() });

const reduction = z
  .object({
    method: z.string(),
    version: z.string(),
    title: z.string(),
    convention: z.string(),
    unit: z.literal("tCO2e/year"),
    be: exact.nullable(),
    ae: exact.nullable(),
    le: exact.nullable(),
    er: exact.nullable().openapi({ description: "Null where a rule stands against it." }),
    assumptions: z.array(z.object({ parameter: z.string(), value: z.string(), message: z.string() })).openapi({
      description: "Parameters that nobody gave. No certificate is made of a reduction with one.",
    }),
    broken: z.array(z.object({ path: z.string().optional(), rule: z.string(), message: z.string() })),
    lines: z.array(line),
  })
  .openapi("CampaignReduction");

export const campaignResult = z
  .object({
    campaignId: z.string(),
    unit: z.literal("kg per household per day"),
    confidence: z.object({ level: exact, precision: exact, convention: z.string() }),
    combination: z.string().openapi({ description: "How several claims of one household count." }),
    groups: z.object({ reference: group, intervention: group }),
    saving,
    perStandardAdult: z.object({
      unit: z.literal("kg per standard adult per day"),
      groups: z.object({ reference: groupPerAdult, intervention: groupPerAdult }),
      saving,
    }),
    emissions: z.object({ terms: emissionsTermsAnswer, reductions: z.array(reduction) }),
  })
  .openapi("CampaignResultFigures");
export type CampaignResultFigures = z.infer<typeof campaignResult>;
