import { z } from "@hono/zod-openapi";
import { integer, serialNumber } from "../../../platform/values/numbers.ts";
import { identifier } from "../../../platform/values/text.ts";
import { allocation, certificate } from "../../certificates/index.ts";
import { flagRules, fuelIds } from "../../emissions/index.ts";
import { campaignStatuses, groups } from "../groups.ts";
import { samplingResponse } from "../sampling/schemas.ts";
import { campaignMethods, emissionsTermsResponse } from "./inputs/emissions-terms.ts";

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

const { outliers: _, meets9010: __, ...stratumStatistics } = statistics;
const stratum = z
  .object({
    id: z.string(),
    share: figure.openapi({ description: "Share of the households of the intervention frame: N_h ÷ N." }),
    frameSize: z.number().int(),
    sampleSize: z.number().int(),
    claims: z.number().int(),
    missing: z.number().int(),
    open: z.number().int(),
    ...stratumStatistics,
  })
  .openapi("CampaignStratumResult", { description: "A stratum of a group by itself, with its own precision." });

const group = z
  .object({
    ...statistics,
    claims: z.number().int(),
    sampleSize: z.number().int(),
    replaced: z.number().int().optional().openapi({
      description:
        "Drawn households that others replaced; absent from results that were closed before it was recorded.",
    }),
    remeasured: z
      .array(z.object({ position: z.number().int(), claimIds: z.array(z.string()) }))
      .optional()
      .openapi({
        description:
          "Positions that were measured again after claims were revoked, with these claims; absent from results that were closed before it was recorded.",
      }),
    householdsWithoutPeople: z.number().int().optional().openapi({
      description:
        "Measured households without a value, because the terms count fuel per person and nobody knows their people; absent: none.",
    }),
    frameSize: z.number().int(),
    requiredSampleSize: z.number().int().nullable().openapi({
      description: "What the measured variation asks for at the campaign's precision.",
    }),
    meetsRequiredSampleSize: z.boolean().nullable(),
    strata: z.array(stratum).optional().openapi({
      description: "Absent without strata; with them the group's figures are the estimate over all strata.",
    }),
  })
  .openapi("CampaignGroupResult");

const groupPerAdult = z
  .object({ ...statistics, householdsWithoutSize: z.number().int() })
  .openapi("CampaignGroupPerStandardAdult");

const driedFuel = z
  .object({
    fuel: z.enum(fuelIds),
    weighed: exact.openapi({ description: "Of all counted claims of the group, as weighed." }),
    dry: exact.openapi({ description: "The same without its water." }),
    moisture: figure.openapi({ description: "Mean moisture on wet basis: the share of water in the mass as weighed." }),
  })
  .openapi("CampaignDriedFuel");

const dryMass = z
  .object({
    unit: z.literal("kg"),
    groups: z.object({ reference: z.array(driedFuel), intervention: z.array(driedFuel) }),
  })
  .openapi("CampaignDryMass", {
    description: "Solid biomass of a campaign that counts dry mass. All its other figures are dry mass.",
  });

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
    method: z.enum(campaignMethods),
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

const problem = z.object({ path: z.string().optional(), rule: z.string(), message: z.string() });

const certifiableReduction = reduction
  .extend({
    certifiable: z
      .object({
        er: exact
          .nullable()
          .openapi({ description: "tCO2e a year for which a certificate can be made; null: for none." }),
        basis: z.enum(["measured", "sensitivity"]).openapi({
          description: "`sensitivity` where more than 5 % of a group were not measured and that gives less.",
        }),
        problems: z.array(problem).openapi({ description: "Everything that prevents a certificate." }),
      })
      .openapi("CampaignCertifiability"),
  })
  .openapi("CampaignCertifiableReduction");

const positions = z.object({ reference: z.array(z.number().int()), intervention: z.array(z.number().int()) });

const figures = {
  campaignId: z.string(),
  unit: z
    .enum(["kg per household per day", "kg per person per day", "kg per standard adult per day"])
    .openapi({ description: "The committed unit of a household's value (`valuePer`), of every figure of the groups." }),
  confidence: z.object({ level: exact, precision: exact, convention: z.string() }),
  sampling: samplingResponse.optional().openapi({ description: "Absent where the terms state a confidence alone." }),
  combination: z.string().openapi({ description: "How several claims of one household count." }),
  groups: z.object({ reference: group, intervention: group }),
  dryMass: dryMass.optional().openapi({ description: "Absent where mass counts as weighed." }),
  saving,
  perStandardAdult: z.object({
    unit: z.literal("kg per standard adult per day"),
    groups: z.object({ reference: groupPerAdult, intervention: groupPerAdult }),
    saving,
  }),
  emissions: z.object({ terms: emissionsTermsResponse, reductions: z.array(certifiableReduction) }),
  sensitivity: z
    .object({
      assumption: z.string(),
      missing: positions.openapi({ description: "Positions that ended without a measurement." }),
      open: positions.openapi({ description: "Drawn positions that have not ended." }),
      saving,
      reductions: z.array(reduction),
    })
    .openapi("CampaignSensitivity"),
  flags: z
    .array(
      z.object({
        group: z.enum(groups),
        rule: z.enum(flagRules),
        message: z.string(),
        positions: z.array(z.number().int()),
      }),
    )
    .openapi({ description: "For an evaluator to review. They change no figure." }),
  siblings: z
    .array(
      z.object({
        campaignId: z.string(),
        status: z.enum(campaignStatuses),
        isRival: z.literal(false).optional().openapi({
          description:
            "False where it did not have to end first: of another implementer, or at another time of the year.",
        }),
        discardedBy: z.string().optional().openapi({
          description: "The operator's account that abandoned it although its draw was or could be known.",
        }),
      }),
    )
    .openapi({ description: "Campaigns over the same households and time, as they were when this was calculated." }),
};
export const campaignResult = z.object(figures).openapi("CampaignResultFigures");
export type CampaignResultFigures = z.infer<typeof campaignResult>;

const closing = z.object({
  resultHash: z.string().openapi({ description: "SHA-256 of the result's file, as on chain." }),
  file: z.string().nullable().openapi({ description: "`ipfs://<cid>`; an evidence token opens it." }),
  transactionHash: z.string().nullable(),
  claimsRevokedSince: z.array(z.string()).openapi({ description: "Counted at the close, and revoked since." }),
  claimsNotCounted: z.array(z.string()).openapi({ description: "Recorded in the very moment of the close." }),
  certificateId: z.string().nullable(),
});

export const campaignResultResponse = z
  .object({
    ...figures,
    status: z.enum(campaignStatuses),
    closing: closing.nullable().openapi({ description: "Null while the campaign is open: figures may change." }),
  })
  .openapi("CampaignResult");
export type CampaignResultResponse = z.infer<typeof campaignResultResponse>;

export const resultQuery = z.strictObject({
  format: z.enum(["json", "csv"]).default("json").openapi({ description: "CSV has one fact a row." }),
});

export const closeRequest = z
  .strictObject({
    emissions: z.record(z.string(), z.unknown()).optional().openapi({
      description: "Refused, each term by name: terms are committed before the draw.",
      deprecated: true,
    }),
  })
  .openapi("CloseCampaign");
export type CloseCampaign = z.infer<typeof closeRequest>;

export const certifiabilityResponse = z
  .object({
    campaignId: z.string(),
    status: z.enum(campaignStatuses),
    method: z.enum(campaignMethods).nullable().openapi({ description: "The committed method." }),
    er: exact.nullable().openapi({
      description: "tCO2e a year for which a certificate can be made, or was; null: for none, because of `problems`.",
    }),
    basis: z.enum(["measured", "sensitivity"]),
    problems: z.array(problem).openapi({
      description:
        "Every reason why `POST …/certificate` would be refused now: in the result, the verification, or other certificates.",
    }),
    certificateId: z.string().nullable().openapi({ description: "The certificate that was made from the result." }),
  })
  .openapi("CampaignCertificateCheck");
export type CertifiabilityResponse = z.infer<typeof certifiabilityResponse>;

export const certificateRequest = z
  .strictObject({
    certificateId: identifier(128),
    activityId: identifier(128),
    vintage: integer(1990, 9999).optional().openapi({
      description: "Calendar year of the reduction; absent: that of the terms, else the year in which the test ended.",
    }),
    method: z.enum(campaignMethods).optional().openapi({ description: "Absent: the one that was committed." }),
    underlyingUnits: z.strictObject({
      registry: identifier(128),
      firstSerial: serialNumber,
      lastSerial: serialNumber,
    }),
    allocations: z.array(allocation).min(1).max(250_000).optional().openapi({
      description: "Absent: equal shares over the households of the intervention frame.",
    }),
  })
  .openapi("CampaignCertificateRequest");
export type CampaignCertificateRequest = z.infer<typeof certificateRequest>;

export const campaignCertificate = certificate
  .extend({
    campaignId: z.string(),
    method: z.string(),
    resultHash: z.string(),
    siblings: z.array(z.string()).openapi({ description: "Campaigns over the same households and time." }),
    linkTransactionHash: z.string().nullable().openapi({ description: "Where the chain links both." }),
  })
  .openapi("CampaignCertificate");
export type CampaignCertificate = z.infer<typeof campaignCertificate>;
