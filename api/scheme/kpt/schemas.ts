import { z } from "@hono/zod-openapi";
import { LosslessNumber } from "lossless-json";
import { CID } from "multiformats/cid";
import { absoluteUri } from "../../../wire/src/absolute-uri.ts";
import { kptFuels } from "../../../wire/src/kpt-visits.ts";
import { listQuery, page } from "../../platform/http/index.ts";
import { canonicalJson } from "../../platform/values/canonical-json.ts";
import { exactDecimal, formatScaled, integer } from "../../platform/values/numbers.ts";
import { calendarDate, did, freeText, identifier, timestamp } from "../../platform/values/text.ts";
import { documentedFactors } from "../campaigns/index.ts";

/** Largest measurement: 2^53 − 1 micro-units would be 9 007 199 254.740991 kg; whole grams below it. */
const maxGrams = 9_007_199_254_740n;

/** Fuel in kg with at most 3 decimals → bigint grams. The rule positive-values checks the sign, together with the other rules. */
const measuredFuel = exactDecimal({ decimals: 3, min: -maxGrams, max: maxGrams }).openapi({
  type: "number",
  minimum: 0.001,
  maximum: Number(formatScaled(maxGrams, 3)),
  multipleOf: 0.001,
  description: "Kilograms of fuel, at most 3 decimals.",
});

export const testGroup = z.enum(["reference", "intervention"]);

export const testPeriod = z
  .strictObject({
    startDate: calendarDate,
    endDate: calendarDate,
    durationDays: integer(0, 100_000).optional(),
  })
  .openapi("KptTestPeriod", { description: "First and last day, inclusive, UTC." });

export const fuelMeasurements = z
  .strictObject({ total: measuredFuel, dailyLogs: z.array(measuredFuel).max(366) })
  .openapi("FuelMeasurements", { description: "`total` is the sum of `dailyLogs`, one for each day." });

export const cookingSession = z
  .strictObject({
    startedAt: timestamp.optional(),
    meal: freeText(100).optional(),
    stove: freeText(100).optional(),
    fuelKg: measuredFuel.optional(),
    durationMinutes: integer(0, 100_000).optional(),
  })
  .openapi("CookingSession");

/** An amount at a visit: kilograms, or kWh of electricity, with at most 3 decimals. */
const weighed = exactDecimal({ decimals: 3, min: 0n, max: maxGrams });
const moistureReading = exactDecimal({ decimals: 2, min: -1_000_000n, max: 1_000_000n });
const coordinate = (limit: bigint) =>
  exactDecimal({ decimals: 9, min: -limit * 1_000_000_000n, max: limit * 1_000_000_000n });
const people = integer(0, 1_000).optional();

const weighing = z
  .strictObject({
    fuel: z.enum(kptFuels),
    start: weighed,
    added: weighed,
    end: weighed,
    tare: weighed.optional().openapi({ description: "Mass of the container; the other amounts are without it." }),
    scaleId: identifier(64).optional().openapi({ description: "Serial of the scale; see /v1/scales." }),
    moisture: z
      .strictObject({
        basis: z.enum(["wet", "dry"]),
        readings: z
          .array(z.array(moistureReading).length(3))
          .length(3)
          .openapi({ description: "Percent, above 0 and below 100: three pieces at three points each." }),
      })
      .optional(),
  })
  .openapi("KptWeighing", {
    description: "One fuel in kilograms, or kWh of electricity. Used since the last visit: start + added − end.",
  });

export const visit = z
  .strictObject({
    day: integer(0, 366).openapi({ description: "From the first day of the period, 0. A day has one visit." }),
    at: timestamp,
    collector: did.openapi({ description: "Who weighed." }),
    gps: z
      .strictObject({
        latitude: coordinate(90n),
        longitude: coordinate(180n),
        accuracy: exactDecimal({ decimals: 3, min: 0n, max: 1_000_000_000n })
          .optional()
          .openapi({ description: "Metres." }),
      })
      .optional(),
    fuels: z
      .array(weighing)
      .max(kptFuels.length)
      .openapi({ description: "Empty on a visit that only starts the test. Every other visit is a daily log." }),
    peopleFed: z
      .strictObject({ children: people, women: people, men: people, elderly: people, guests: people })
      .optional()
      .openapi({ description: "Children 0–14, women over 14, men 15–59, men over 59, guests." }),
    stoves: z
      .array(z.strictObject({ serial: identifier(64).optional(), kind: freeText(100), used: z.boolean() }))
      .max(20)
      .optional()
      .openapi({ description: "Every stove of the kitchen, the old ones too." }),
    notes: freeText(1000).optional(),
  })
  .openapi("KptVisit");

const isCid = (text: string): boolean => {
  try {
    return CID.parse(text).version >= 0;
  } catch {
    return false;
  }
};

const cid = identifier(128).refine(isCid, { message: "A CID is expected.", params: { rule: "cid" } });

/** An absolute URI or a CID. A photo may come whole, as a data: URI. */
const uri = z
  .string()
  .min(1)
  .max(1_500_000)
  .transform((text) => (isCid(text) ? `ipfs://${text}` : text))
  .refine((text) => absoluteUri.test(text) && (isData(text) || text.length <= 2048), {
    message: "An absolute URI or a CID is expected.",
    params: { rule: "uri" },
  })
  .refine((text) => !text.startsWith("ipfs://") || isCid(text.slice(7).split(/[/?#]/)[0] ?? ""), {
    message: "An ipfs URI begins with a CID.",
    params: { rule: "cid" },
  })
  .openapi({
    type: "string",
    format: "uri",
    example: "ipfs://bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy",
  });

function isData(text: string): boolean {
  return /^data:/i.test(text);
}

const evidenceObject = z
  .strictObject({
    type: identifier(128),
    uri: uri.optional(),
    cid: cid.optional(),
    sha256: z
      .string()
      .regex(/^(0x)?[0-9a-f]{64}$/i, "64 hexadecimal digits are expected.")
      .optional(),
    stove: freeText(100).optional(),
  })
  .refine((item) => (item.uri === undefined) !== (item.cid === undefined), {
    message: "Either uri or cid is expected.",
    params: { rule: "uri-or-cid" },
  });

/** Distinguished by hand: the error of a union would not name what is wrong with the item. */
export const evidenceItem = z
  .unknown()
  .transform((value, ctx): EvidenceItem => {
    const parsed = typeof value === "string" ? uri.safeParse(value) : evidenceObject.safeParse(value);
    if (parsed.success) return parsed.data;
    for (const issue of parsed.error.issues) ctx.addIssue({ ...issue } as never);
    return z.NEVER;
  })
  .openapi({
    oneOf: [
      { type: "string", format: "uri" },
      {
        type: "object",
        required: ["type"],
        additionalProperties: false,
        properties: {
          type: { type: "string" },
          uri: { type: "string", format: "uri" },
          cid: { type: "string" },
          sha256: { type: "string" },
          stove: { type: "string" },
        },
      },
    ],
    description:
      "A URI (a data: URI is stored whole; nothing is fetched), or `{type, uri | cid, sha256?}`. Of the type stove-use-series: a CSV of a stove-use monitor as a data: URI, with `stove`, the serial or kind of its stove.",
  });
export type EvidenceItem = string | z.infer<typeof evidenceObject>;

export const kptClaimRequest = z
  .strictObject({
    type: z.literal("KPTClaim"),
    campaignId: identifier(128).optional().openapi({ description: "Absent: found by the household's open sample." }),
    householdId: did,
    testGroup,
    testPeriod: testPeriod.optional().openapi({ description: "Absent: the campaign's." }),
    fuelMeasurements: fuelMeasurements.optional(),
    visits: z.array(visit).min(1).max(367).optional().openapi({
      description:
        "Instead of `fuelMeasurements`: weighings of several fuels, from which total and daily logs follow. A campaign that counts dry mass needs them; `fuelMeasurements` next to them must then be the dry masses that follow.",
    }),
    cookingSessions: z.array(cookingSession).max(500).optional(),
    evidence: z.array(evidenceItem).max(32).optional(),
    externalFactors: documentedFactors.optional(),
  })
  .refine(({ fuelMeasurements: logs, visits }) => logs !== undefined || visits !== undefined, {
    path: ["fuelMeasurements"],
    message: "Either fuelMeasurements or visits is expected.",
    params: { rule: "measured-once" },
  })
  .openapi("KPTClaimRequest", {
    example: {
      type: "KPTClaim",
      householdId: "did:ixo:household/123",
      testGroup: "intervention",
      testPeriod: { startDate: "2024-02-01", endDate: "2024-02-04", durationDays: 3 },
      fuelMeasurements: { total: 11.9, dailyLogs: [3.2, 2.8, 3.0, 2.9] },
      externalFactors: { season: "dry", culturalEvents: ["none"], occupationalFactors: ["typical_workweek"] },
    },
  });
export type KptClaimRequest = z.infer<typeof kptClaimRequest>;

export const kptCredential = z
  .object({
    type: z.literal("KPTCredential"),
    issuer: did,
    evidence: z
      .array(z.string())
      .openapi({ description: "ipfs:// of the stored claim, then of each piece of evidence." }),
    jwt: z.string().openapi({ description: "The credential as a compact JWT, verifiable by any W3C verifier." }),
  })
  .openapi("KPTClaimCredential");

export const kptClaim = z
  .object({
    id: z.string().openapi({ example: "KPT-0000000R000000000001K" }),
    type: z.literal("KPTClaim"),
    status: z.enum(["verified", "revoked"]),
    credential: kptCredential,
    campaignId: z.string(),
    householdId: did,
    testGroup,
    testPeriod: z.object({ startDate: z.string(), endDate: z.string() }),
    transactionHash: z.string(),
    blockNumber: z.number().int(),
    claimHash: z.string().openapi({ description: "SHA-256 in the stored claim's CID; the chain holds it." }),
    credentialHash: z.string().openapi({ description: "SHA-256 of the compact JWT; the chain holds it." }),
    filedAt: z.iso.datetime(),
    fuels: z
      .array(
        z.object({
          fuel: z.enum(kptFuels),
          total: z.number(),
          unit: z.enum(["kg", "kWh"]),
          weighed: z.number().optional(),
          moisture: z.number().optional(),
        }),
      )
      .optional()
      .openapi({
        description:
          "Of a claim with visits: what was used of each fuel in the period. In a campaign that counts dry mass, `total` of solid biomass is dry mass, `weighed` the mass as weighed, and `moisture` the share of water in it.",
      }),
    reason: z.string().optional().openapi({ description: "Why it was revoked." }),
  })
  .openapi("KPTClaim");
export type KptClaim = z.infer<typeof kptClaim>;

export const kptClaimPage = page(kptClaim).openapi("KPTClaimPage");
export const campaignClaimParams = z.object({
  campaignId: identifier(128).openapi({ param: { name: "campaignId", in: "path" } }),
});
export const campaignClaimQuery = listQuery.extend({
  testGroup: testGroup.optional(),
  status: z.enum(["verified", "revoked"]).optional(),
});
export type CampaignClaimQuery = z.infer<typeof campaignClaimQuery>;

/** Why a claim is revoked: a public code of at most 64 bytes, such as `wrong-household`. It names nobody. */
export const revocation = z
  .strictObject({
    reason: z
      .string()
      .regex(
        /^[A-Za-z0-9][A-Za-z0-9 ._:-]{0,63}$/,
        "A code of at most 64 letters, digits, blanks and . _ : - is expected.",
      )
      .openapi({ example: "measurement-error" }),
  })
  .openapi("ClaimRevocation");

/** The claim as canonical JSON (fields in order of their names, kilograms exact), however its request was written. */
export function asSent(claim: Partial<KptClaimRequest>): string {
  const { fuelMeasurements: logs } = claim;
  return canonicalJson({
    ...claim,
    fuelMeasurements: logs && { total: kilograms(logs.total), dailyLogs: logs.dailyLogs.map(kilograms) },
    visits: claim.visits?.map(visitAsSent),
    cookingSessions: claim.cookingSessions?.map(({ fuelKg, ...session }) => ({
      ...session,
      fuelKg: fuelKg === undefined ? undefined : kilograms(fuelKg),
    })),
  });
}

function visitAsSent({ gps, fuels, ...rest }: z.infer<typeof visit>): Record<string, unknown> {
  return {
    ...rest,
    gps: gps && {
      latitude: scaled(gps.latitude, 9),
      longitude: scaled(gps.longitude, 9),
      accuracy: gps.accuracy === undefined ? undefined : scaled(gps.accuracy, 3),
    },
    fuels: fuels.map(({ start, added, end, tare, moisture, ...weighing }) => ({
      ...weighing,
      start: kilograms(start),
      added: kilograms(added),
      end: kilograms(end),
      tare: tare === undefined ? undefined : kilograms(tare),
      moisture: moisture && {
        basis: moisture.basis,
        readings: moisture.readings.map((piece) => piece.map((reading) => scaled(reading, 2))),
      },
    })),
  };
}

function kilograms(grams: bigint): LosslessNumber {
  return scaled(grams, 3);
}

function scaled(value: bigint, decimals: number): LosslessNumber {
  return new LosslessNumber(formatScaled(value, decimals));
}
