import { z } from "zod";
import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import { type Convention, decimalText, type ProfileId, profileIds, samplingProfiles } from "../../emissions/index.ts";
import { groups } from "../groups.ts";

const figure = z.string().regex(/^\d{1,6}(\.\d{1,18})?$/);

const phase = z.object({ startDate: z.string(), endDate: z.string() });

const committedFrame = z.object({ root: z.string().regex(/^0x[0-9a-f]{64}$/), size: z.number().int() });

/** A stratum of a sample: which households it has, how many of each frame are drawn, and the frames as Merkle roots. */
export const stratumTerms = z.object({
  id: z.string(),
  region: z.string().optional(),
  people: z.object({ from: z.number().int().optional(), to: z.number().int().optional() }).optional(),
  sampleSize: z.number().int().min(1),
  /** The service adds them. */
  frames: z.object({ reference: committedFrame, intervention: committedFrame }),
});
export type StratumTerms = z.infer<typeof stratumTerms>;

/** A coefficient of variation that a closed campaign measured. */
const measuredVariation = z.object({
  campaignId: z.string(),
  group: z.enum(groups),
  coefficientOfVariation: figure,
});
export type MeasuredVariation = z.infer<typeof measuredVariation>;

/** How a campaign's sample was planned and who draws it. Figures are decimal text. */
export const samplingTerms = z.object({
  profile: z.enum(profileIds),
  /** Standard deviation ÷ mean that the sample was planned for. */
  coefficientOfVariation: figure,
  /**
   * What the plan's last closed campaign of the same method and unit measured at the commit, in the group with the larger variation. The
   * service adds it.
   */
  measured: measuredVariation.optional(),
  /** Share of the drawn households that was expected to drop out. */
  dropOut: figure,
  /** The only account that may draw as the second party; absent: any that the contract accepts. */
  secondParty: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .optional(),
  /** Paired design: the same households are measured before and after, as the reference and the intervention group. */
  paired: z.object({ before: phase, after: phase }).optional(),
  /** Parts of the population that are drawn separately; absent: the sample is drawn from the whole frame. */
  strata: z.array(stratumTerms).min(1).optional(),
});
export type SamplingTerms = z.infer<typeof samplingTerms>;

type Period = { startDate: string; endDate: string };

/** The days on which a group is measured: its phase of a paired design, else the campaign's test period. */
export function periodOf(
  { startDate, endDate, terms }: Period & { terms: { sampling?: SamplingTerms | undefined } },
  group: CampaignGroup,
): Period {
  const { paired } = terms.sampling ?? {};
  if (paired === undefined) return { startDate, endDate };
  return group === "reference" ? paired.before : paired.after;
}

/** The confidence that a profile stands for, as decimal text. */
export function confidenceOf(profile: ProfileId): { level: string; precision: string; convention: Convention } {
  const { level, precision, convention } = samplingProfiles[profile];
  return { level: decimalText(level), precision: decimalText(precision), convention };
}
