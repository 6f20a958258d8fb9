import { z } from "zod";
import { type LogConvention, logConventions } from "../../../../wire/src/kpt-rules.ts";
import { canonicalJson } from "../../../platform/values/canonical-json.ts";
import { type Convention, conventions } from "../../emissions/index.ts";
import { type BeaconTerms, beaconTerms } from "../beacon/terms.ts";
import { type EmissionsTerms, readEmissionsTerms } from "../result/inputs/emissions-terms.ts";
import { type SamplingTerms, samplingTerms } from "../sampling/terms.ts";
import { type UsageFrame, usageFrame } from "../usage/frame-terms.ts";
import { type DocumentedFactors, documentedFactors } from "./factors.ts";

/** Conventions that a campaign may state; a profile may stand for another one. */
export const statedConventions = ["two-sided-90", "one-sided-90"] as const;

/** Required precision of the figures. `level` and `precision` are decimal text, so that no digit is lost. */
export type Confidence = { level: string; precision: string; convention: Convention };

/** Terms of a campaign in addition to its frames and dates. Their canonical JSON is in the campaign's event on chain. */
export type CampaignTerms = {
  season?: string;
  externalFactors: DocumentedFactors | null;
  confidence: Confidence;
  /** How the sample was planned and who draws it; absent where `confidence` alone was stated. */
  sampling?: SamplingTerms;
  /** How many daily logs a period has. */
  logConvention: LogConvention;
  /** How many daily logs each claim has; absent: three or more. */
  days?: number;
  emissions: EmissionsTerms | null;
  /** Devices that the usage survey is drawn from; absent where the plan has none. The service adds it. */
  usageFrame?: UsageFrame;
  /** Public beacon that takes part in the draw. The service adds it where it is configured with one. */
  beacon?: BeaconTerms;
};

/** A KPT measures at least three days, the first and the last included. */
export const LEAST_DAYS = 3;
export const defaultLogConvention: LogConvention = "calendar-days";
export const defaultConfidence: Confidence = { level: "0.9", precision: "0.1", convention: "two-sided-90" };

/** Encode the terms as on chain: equal terms give equal texts. */
export function canonicalTerms(terms: CampaignTerms): string {
  return canonicalJson(terms);
}

const decimalText = z.string().regex(/^\d{1,6}(\.\d{1,18})?$/);

const shape = z.object({
  season: z.string().optional(),
  externalFactors: documentedFactors.nullable().default(null),
  confidence: z
    .object({ level: decimalText, precision: decimalText, convention: z.enum(conventions) })
    .default(defaultConfidence),
  logConvention: z.enum(logConventions).default(defaultLogConvention),
  days: z.number().int().min(1).max(100_000).optional(),
  emissions: z.record(z.string(), z.unknown()).nullable().default(null),
  usageFrame: usageFrame.optional(),
  beacon: beaconTerms.optional(),
  sampling: samplingTerms.optional(),
});

/** Terms as a campaign's event tells them. One that was committed without this API may say anything: then they are the default. */
export function readTerms(text: string): CampaignTerms {
  const parsed = shape.safeParse(parseJson(text));
  if (!parsed.success) {
    const [confidence, logConvention] = [defaultConfidence, defaultLogConvention];
    return { externalFactors: null, confidence, logConvention, emissions: null };
  }
  const {
    season,
    externalFactors,
    confidence,
    logConvention,
    days,
    emissions,
    usageFrame: frame,
    beacon,
    sampling,
  } = parsed.data;
  return {
    ...(season === undefined ? {} : { season }),
    externalFactors,
    confidence,
    ...(sampling === undefined ? {} : { sampling }),
    logConvention,
    ...(days === undefined ? {} : { days }),
    emissions: emissions && readEmissionsTerms(emissions),
    ...(frame === undefined ? {} : { usageFrame: frame }),
    ...(beacon === undefined ? {} : { beacon }),
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
