import type { LogConvention } from "../../../../wire/src/kpt-rules.ts";
import { amendedTerms, draftOf, unreadableTerms } from "./emissions-terms.ts";
import type { Campaign } from "./records.ts";
import { amendedSampling, samplingDraftOf, samplingProblems } from "./sampling-terms.ts";

/** Most bytes of a reason, which is stored on the chain. */
const reasonBytes = 256;

/** What is wrong with a public reason. */
export function reasonProblem(text: string): "reasonMissing" | "reasonLong" | undefined {
  const { length } = new TextEncoder().encode(text.trim());
  if (length === 0) return "reasonMissing";
  return length > reasonBytes ? "reasonLong" : undefined;
}

/** The fields of an amendment: the terms as they are committed. */
export function blankAmendment({ season, externalFactors, logConvention, days, sampling, emissions }: Campaign) {
  return {
    reason: "",
    season: season ?? "",
    culturalEvents: [...(externalFactors?.culturalEvents ?? [])],
    occupationalFactors: [...(externalFactors?.occupationalFactors ?? [])],
    logConvention: logConvention as LogConvention,
    days: (days ?? "") as number | "",
    sampling: samplingDraftOf(sampling),
    emissions: draftOf(emissions),
  };
}
export type AmendmentDraft = ReturnType<typeof blankAmendment>;

type Part = Exclude<keyof AmendmentDraft, "reason">;
type AmendmentProblem = "unchanged" | "kept" | "notReadable";

/** The parts of the terms that differ from the committed ones. */
function changedParts(before: AmendmentDraft, draft: AmendmentDraft): Set<Part> {
  const parts = Object.keys(before).filter((name): name is Part => name !== "reason");
  return new Set(parts.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(draft[name])));
}

/** What is wrong with each part. A term that was committed can be changed, and not removed. */
export function amendmentProblems(campaign: Campaign, draft: AmendmentDraft): Partial<Record<Part, AmendmentProblem>> {
  const changed = changedParts(blankAmendment(campaign), draft);
  const problems: Partial<Record<Part, AmendmentProblem>> = {};
  if (changed.size === 0) problems.emissions = "unchanged";
  if (changed.has("season") && draft.season.trim() === "") problems.season = "kept";
  if (changed.has("days") && draft.days === "") problems.days = "kept";
  if (changed.has("sampling") && samplingProblems(draft.sampling).length > 0) problems.sampling = "notReadable";
  if (changed.has("sampling") && draft.sampling.profile === "") problems.sampling = "kept";
  if (changed.has("emissions") && unreadableTerms(draft.emissions).length > 0) problems.emissions = "notReadable";
  return problems;
}

/** An amendment in the API's form: each changed term as a whole. */
export function amendmentOf(campaign: Campaign, draft: AmendmentDraft) {
  const changed = changedParts(blankAmendment(campaign), draft);
  const { season, logConvention, days } = draft;
  const hasFactors = changed.has("culturalEvents") || changed.has("occupationalFactors");
  const sampling = changed.has("sampling") ? amendedSampling(campaign.sampling, draft.sampling) : undefined;
  return {
    reason: draft.reason.trim(),
    ...(changed.has("season") ? { season: season.trim() } : {}),
    ...(hasFactors ? { externalFactors: amendedFactors(campaign, draft) } : {}),
    ...(changed.has("logConvention") ? { logConvention } : {}),
    ...(changed.has("days") && days !== "" ? { days } : {}),
    ...(sampling === undefined ? {} : { sampling }),
    ...(changed.has("emissions") ? { emissions: amendedTerms(campaign.emissions, draft.emissions) } : {}),
  };
}

/** Committed circumstances with the lists of the form. A list that was not committed is sent only with an entry: an empty one says that there was nothing. */
function amendedFactors({ externalFactors }: Campaign, draft: AmendmentDraft) {
  const lists = (["culturalEvents", "occupationalFactors"] as const).filter(
    (name) => externalFactors?.[name] !== undefined || draft[name].length > 0,
  );
  return { ...externalFactors, ...Object.fromEntries(lists.map((name) => [name, draft[name]])) };
}
