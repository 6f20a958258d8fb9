import { z } from "@hono/zod-openapi";
import { absoluteUri } from "../../../wire/src/absolute-uri.ts";
import { logConventions } from "../../../wire/src/kpt-rules.ts";
import { listQuery, page } from "../../platform/http/index.ts";
import { exactDecimal, integer } from "../../platform/values/numbers.ts";
import { address, bytes32, calendarDate, did, freeText, identifier } from "../../platform/values/text.ts";
import { profileIds } from "../emissions/index.ts";
import { beaconTerms } from "./beacon/terms.ts";
import { discardedDraw, drawBeacon } from "./draw/document-schema.ts";
import { campaignStatuses, dropReasons, groups } from "./groups.ts";
import { emissionsTerms, emissionsTermsResponse } from "./result/inputs/emissions-terms.ts";
import { newSampling, samplingResponse } from "./sampling/schemas.ts";
import { documentedFactors } from "./terms/factors.ts";
import { LEAST_DAYS, statedConventions } from "./terms/terms.ts";
import { usageFrame } from "./usage/frame-terms.ts";

/** Most households of a group's frame. */
export const MAX_FRAME = 250_000;
/** Decimals of confidence.precision and of the figures that a sample size is asked for. */
export const RATIO_DECIMALS = 6;
const oneRatio = 10n ** BigInt(RATIO_DECIMALS);

export const campaignId = identifier(128).openapi({ example: "KPT-2024-DRY" });
const group = z.enum(groups).openapi("CampaignGroup");
const hash = z.string().regex(/^0x[0-9a-f]{64}$/);
const blockNumber = z.number().int();

export const testPeriod = z
  .strictObject({
    startDate: calendarDate,
    endDate: calendarDate,
    durationDays: integer(1, 100_000).optional().openapi({ description: "endDate − startDate, or one more." }),
  })
  .openapi("CampaignPeriod", { description: "First and last day, inclusive, UTC; three days or more." });

const frame = z
  .strictObject({ frame: z.array(did).min(1).max(MAX_FRAME) })
  .openapi("CampaignFrame", { description: "DIDs of all households that may be drawn; each is registered." });

export const confidence = z
  .strictObject({
    level: exactDecimal({ decimals: RATIO_DECIMALS, min: 900_000n, max: 900_000n }).optional(),
    precision: exactDecimal({ decimals: RATIO_DECIMALS, min: 1n, max: oneRatio }).optional().openapi({ default: 0.1 }),
    convention: z.enum(statedConventions).optional().openapi({ default: "two-sided-90" }),
  })
  .openapi("CampaignConfidence", {
    description: "How sure the result has to be: half-width ÷ mean at most `precision`, at a level of 0.9.",
  });

const logConvention = z.enum(logConventions).openapi({
  description:
    "How many daily logs each claim has: one per calendar day (endDate − startDate + 1), or one per interval (endDate − startDate).",
});

const days = integer(LEAST_DAYS, 366).openapi({
  description:
    "How many daily logs each claim of both groups has. Absent: three or more, and a certificate needs claims with equally many.",
});

const givenTerms = {
  season: identifier(64).optional().openapi({ example: "dry" }),
  externalFactors: documentedFactors.optional(),
  confidence: confidence.optional(),
  sampling: newSampling.optional(),
  logConvention: logConvention.optional().openapi({ default: "calendar-days" }),
  days: days.optional(),
  emissions: emissionsTerms.optional(),
};
export type GivenTerms = Partial<z.output<z.ZodObject<typeof givenTerms>>>;

export const newCampaign = z
  .strictObject({
    campaignId: campaignId.refine((id) => id !== "sample-size", {
      message: '"sample-size" is a path of the API.',
      params: { rule: "reserved" },
    }),
    planId: identifier(128).openapi({ description: "Monitoring plan of the implementer whose campaign this is." }),
    testPeriod,
    groups: z.strictObject({ reference: frame, intervention: frame }),
    sampleSize: integer(1, MAX_FRAME).optional().openapi({
      description: "Households to draw from each frame. Absent: what GET /v1/campaigns/sample-size proposes.",
    }),
    ...givenTerms,
  })
  .openapi("NewCampaign");
export type NewCampaign = z.infer<typeof newCampaign>;

const explanation = freeText(256)
  .refine((text) => Buffer.byteLength(text) <= 256, { message: "At most 256 bytes.", params: { rule: "too_big" } })
  .openapi({ description: "Public, on chain; nothing about persons." });

export const newAmendment = z
  // The log convention has no default here: absent, the committed one stays.
  .strictObject({ reason: explanation, ...givenTerms, logConvention: logConvention.optional() })
  .openapi("NewCampaignAmendment", {
    description: "Each term that is given takes the place of the committed one as a whole; the others stay.",
  });
export type NewAmendment = z.infer<typeof newAmendment>;

export const newAbandonment = z.strictObject({ reason: explanation }).openapi("NewCampaignAbandonment");
export type NewAbandonment = z.infer<typeof newAbandonment>;

const evidenceUri = z.string().max(2048).regex(absoluteUri, "An absolute URI is expected.");

export const newReplacement = z
  .strictObject({
    group,
    householdId: did.openapi({ description: "The drawn household that leaves the sample." }),
    reason: z.enum(dropReasons).openapi({ description: "Public, on chain." }),
    note: freeText(1000).optional().openapi({ description: "Stays in this service's database." }),
    evidence: evidenceUri.optional().openapi({
      description:
        "URI of what shows the reason. A replacement needs one, and so does the reason `other`. Its SHA-256 is public, on chain.",
    }),
  })
  .openapi("NewReplacement");
export type NewReplacement = z.infer<typeof newReplacement>;

const position = z.number().int().openapi({ description: "Place in the order of the draw, from 0." });
const householdAt = z.object({ householdId: did.nullable(), position });

export const replacement = z
  .object({
    group,
    dropped: householdAt,
    replacement: householdAt,
    reason: z.enum(dropReasons),
    note: z.string().nullable(),
    evidence: z.string().nullable(),
    transactionHash: z.string(),
    blockNumber,
  })
  .openapi("Replacement");
export type Replacement = z.infer<typeof replacement>;

export const missingPosition = householdAt
  .extend({
    group,
    reason: z.enum(dropReasons),
    note: z.string().nullable(),
    evidence: z.string().nullable(),
    transactionHash: z.string(),
    blockNumber,
  })
  .openapi("MissingPosition", { description: "A drawn household that is neither measured nor replaced." });
export type MissingPosition = z.infer<typeof missingPosition>;

export const campaignPosition = z
  .object({
    group,
    position: z.number().int().openapi({ description: "Place in the draw of the group, from 0." }),
    householdId: did.nullable().openapi({ description: "Null: the frame is not in this database." }),
    stratum: z.string().nullable().openapi({ description: "Null: the sample has no strata." }),
    ended: z.enum(["measured", "replaced", "missing", "open"]).openapi({
      description: "`measured`: a claim stands for it. `open`: it has not ended, or all of its claims were revoked.",
    }),
    replacedBy: z.number().int().nullable().openapi({ description: "Position that took its place." }),
    reason: z.enum(dropReasons).nullable().openapi({ description: "Why it was replaced or is missing." }),
    evidence: z.string().nullable(),
    claimIds: z.array(z.string()).openapi({ description: "Claims that stand for it." }),
  })
  .openapi("CampaignPosition", { description: "A drawn position, and how it ended." });
export type CampaignPositionResponse = z.infer<typeof campaignPosition>;

export const campaignPositionPage = page(campaignPosition).openapi("CampaignPositionPage");
export const campaignPositionQuery = listQuery.extend({
  group: group.optional(),
  ended: campaignPosition.shape.ended.optional(),
});
export type CampaignPositionQuery = z.infer<typeof campaignPositionQuery>;

export const sibling = z
  .object({
    campaignId,
    status: z.enum(campaignStatuses),
    resultHash: z.string().nullable(),
    discardedBy: z.string().nullable().openapi({
      description: "The operator's account that abandoned the sibling although its draw was or could be known.",
    }),
  })
  .openapi("CampaignSibling", {
    description:
      "A campaign with a household of its frames in this one's, in the same calendar year or of the same vintage, of any plan and implementer.",
  });
export type Sibling = z.infer<typeof sibling>;

const amendment = z.object({
  version: z.number().int(),
  reason: z.string(),
  transactionHash: z.string(),
  blockNumber,
});

const commit = z.object({
  blockNumber,
  transactionHash: z.string(),
  referenceRoot: hash.openapi({ description: "Merkle root of the reference frame; see docs/campaigns.md." }),
  interventionRoot: hash,
  drawBlock: blockNumber.nullable().openapi({
    description: "The block whose hash is part of the seed; null before the draw is open.",
  }),
});
const draw = z.object({
  blockNumber: blockNumber.openapi({ description: "The block whose hash drew." }),
  blockHash: hash,
  seed: hash,
  twoParties: z.boolean().openapi({ description: "False: one party alone could have chosen the draw." }),
  beacon: drawBeacon.nullable(),
  transactionHash: z.string(),
});

const account = z.string().openapi({ example: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" });
const drawParty = z.object({ account, commitment: hash, revealed: z.boolean() }).nullable();
export const drawParties = z
  .object({
    round: z.number().int().openapi({ description: "0, and one more with each repetition of the draw." }),
    operator: drawParty.openapi({ description: "Null before the draw is open." }),
    secondParty: drawParty.openapi({ description: "Null: one party alone can choose the draw." }),
    deadline: z.iso
      .datetime()
      .nullable()
      .openapi({ description: "Until when secrets can be revealed; null before the draw is open." }),
    withheld: z
      .array(z.object({ round: z.number().int(), account, transactionHash: z.string() }))
      .openapi({ description: "Who did not reveal its secret in time, in earlier rounds." }),
  })
  .openapi("DrawParties");
export type DrawParties = z.infer<typeof drawParties>;

export const newDrawParty = z
  .strictObject({
    account: address.openapi({ description: "A registrar's, an evaluator's or the guardian's account." }),
    commitment: bytes32.openapi({ description: "keccak256(abi.encode(bytes32 secret, address account))" }),
    deadline: integer(1, Number.MAX_SAFE_INTEGER).openapi({ description: "Of the signature, unix seconds." }),
    signature: z
      .string()
      .regex(/^0x([0-9a-fA-F]{2}){1,4096}$/, "Hexadecimal bytes are expected.")
      .openapi({ description: "Of the EIP-712 message `DrawParty`; ERC-1271 signatures too." }),
  })
  .openapi("NewDrawParty");
export type NewDrawParty = z.infer<typeof newDrawParty>;

export const drawSecret = z
  .strictObject({ secret: bytes32.openapi({ description: "The secret that was committed; public from then on." }) })
  .openapi("DrawSecret");

const groupSummary = z.object({
  frameSize: z.number().int(),
  drawn: z.number().int().openapi({ description: "Households drawn so far, including replaced ones." }),
  claims: z.number().int().openapi({ description: "Verified claims of the group." }),
  missing: z.number().int().openapi({ description: "Drawn households that ended as missing." }),
});

const summaryFields = {
  campaignId,
  index: z.number().int().openapi({ description: "The campaign's number on chain, from 1." }),
  planId: z.string(),
  implementerDid: did.nullable(),
  status: z.enum(campaignStatuses),
  testPeriod: z.object({ startDate: calendarDate, endDate: calendarDate }),
  sampleSize: z.number().int(),
  season: z.string().nullable(),
  externalFactors: documentedFactors.nullable(),
  confidence: z.object({ level: z.number(), precision: z.number(), convention: z.string() }),
  sampling: samplingResponse.nullable(),
  logConvention,
  days: z.number().int().nullable().openapi({
    description: "How many daily logs each claim has; null: the terms do not fix it.",
  }),
  emissions: emissionsTermsResponse.nullable(),
  usageFrame: usageFrame.nullable().openapi("UsageFrame", {
    description: "Devices that the usage survey is drawn from; null: the plan had none when the terms were committed.",
  }),
  beacon: beaconTerms.nullable().openapi("CampaignBeacon", {
    description: "Public randomness beacon (drand) that takes part in the draw; null: none.",
  }),
  termsVersion: z.number().int().openapi({ description: "1, and one more with each amendment." }),
  openPositions: z.number().int().openapi({
    description: "Drawn households that are neither measured nor replaced nor missing; a campaign closes without any.",
  }),
  commit,
  resultHash: z
    .string()
    .nullable()
    .openapi({ description: "SHA-256 of the result; null until the campaign is closed." }),
  certificateId: z.string().nullable().openapi({ description: "The certificate that was made of the result." }),
  committedAt: z.iso.datetime(),
  transactionHash: z.string(),
};

export const campaignSummary = z
  .object({ ...summaryFields, groups: z.object({ reference: groupSummary, intervention: groupSummary }) })
  .openapi("CampaignSummary");
export type CampaignSummary = z.infer<typeof campaignSummary>;

const stratumState = z
  .object({
    id: z.string(),
    frameSize: z.number().int(),
    sampleSize: z.number().int(),
    drawn: z.number().int().openapi({ description: "Households drawn so far, including replaced ones." }),
    claims: z.number().int().openapi({ description: "Verified claims." }),
    measured: z.number().int().openapi({ description: "Households with a claim that stands." }),
    missing: z.number().int(),
    open: z.number().int().openapi({ description: "Neither measured nor replaced nor missing." }),
  })
  .openapi("CampaignStratumState");
export type StratumState = z.infer<typeof stratumState>;

const groupState = groupSummary
  .extend({
    strata: z.array(stratumState).optional().openapi({ description: "Absent where the sample has no strata." }),
    sample: z.array(did).openapi({ description: "Households in the sample now, in the order of the draw." }),
    replacements: z.array(replacement),
    missingHouseholds: z.array(missingPosition),
    frameHeld: z
      .boolean()
      .openapi({ description: "False: the frame is not in this database, so its DIDs are unknown." }),
  })
  .openapi("CampaignGroupState");

export const campaign = z
  .object({
    ...summaryFields,
    draw: draw.optional(),
    drawParties,
    discardedDraws: z.array(discardedDraw).openapi({
      description: "Draws of this campaign that were discarded after they were open, in their order.",
    }),
    amendments: z.array(amendment),
    abandonment: z
      .object({
        reason: z.string(),
        transactionHash: z.string(),
        discardedBy: z.string().nullable().openapi({
          description:
            "The operator's account, where the draw was or could be known before the campaign was abandoned; null: it could not.",
        }),
      })
      .nullable(),
    siblings: z.array(sibling),
    groups: z.object({ reference: groupState, intervention: groupState }),
  })
  .openapi("Campaign");
export type CampaignResponse = z.infer<typeof campaign>;
export type GroupResponse = z.infer<typeof groupState>;

export const campaignPage = page(campaignSummary).openapi("CampaignPage");
export const campaignQuery = listQuery.extend({ implementerDid: did.optional() });
export const campaignParams = z.object({
  campaignId: campaignId.openapi({ param: { name: "campaignId", in: "path" } }),
});

const figureText = z.string().regex(/^\d{1,6}(\.\d{1,6})?$/, "A decimal of at most 6 decimals is expected.");
export const sampleSizeQuery = z.strictObject({
  population: z
    .string()
    .regex(/^[1-9]\d{0,8}$/, "A whole number from 1 to 999999999 is expected.")
    .transform(Number)
    .openapi({ type: "integer", minimum: 1, maximum: 999_999_999, example: 1000 }),
  coefficientOfVariation: figureText.default("0.5").openapi({ type: "number", example: 0.5 }),
  precision: figureText.optional().openapi({ type: "number", default: 0.1, example: 0.1 }),
  profile: z
    .enum(profileIds)
    .optional()
    .openapi({ description: "Instead of `precision`, and at least 30 households." }),
  dropOut: figureText.optional().openapi({ type: "number", description: "With `profile`: share that may drop out." }),
});
export const sampleSizeResponse = z
  .object({
    population: z.number().int(),
    coefficientOfVariation: z.number(),
    precision: z.number(),
    level: z.number(),
    profile: z.enum(profileIds).nullable(),
    dropOut: z.number(),
    sampleSize: z.number().int(),
    source: z.string(),
  })
  .openapi("SampleSize");
