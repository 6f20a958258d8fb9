import { z } from "zod";
import { type Convention, decimalText, type ProfileId, profileIds, samplingProfiles } from "../../emissions/index.ts";

const figure = z.string().regex(/^\d{1,6}(\.\d{1,18})?$/);

/** How a campaign's sample was planned and who draws it. Figures are decimal text. */
export const samplingTerms = z.object({
  profile: z.enum(profileIds),
  /** Standard deviation ÷ mean that the sample was planned for. */
  coefficientOfVariation: figure,
  /** Share of the drawn households that was expected to drop out. */
  dropOut: figure,
  /** The only account that may draw as the second party; absent: any that the contract accepts. */
  secondParty: z
    .string()
    .regex(/^0x[0-9a-fA-F]{40}$/)
    .optional(),
});
export type SamplingTerms = z.infer<typeof samplingTerms>;

/** The confidence that a profile stands for, as decimal text. */
export function confidenceOf(profile: ProfileId): { level: string; precision: string; convention: Convention } {
  const { level, precision, convention } = samplingProfiles[profile];
  return { level: decimalText(level), precision: decimalText(precision), convention };
}
