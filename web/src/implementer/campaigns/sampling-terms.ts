import { exact, formatScaled } from "../../../../wire/src/exact.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import { parseScaled } from "../../numbers/scaled.ts";
import type { Campaign } from "./records.ts";

export const profiles = ["90/10", "90/30", "95/5"] as const satisfies Schemas["NewCampaignSampling"]["profile"][];
type Profile = (typeof profiles)[number];

/** The texts of a stratum's fields. */
export type StratumDraft = { id: string; region: string; from: string; to: string; sampleSize: string };
export const blankStratum: StratumDraft = { id: "", region: "", from: "", to: "", sampleSize: "" };

/** The texts of the fields about sampling; without a profile, the campaign states no sampling. */
export type SamplingDraft = {
  profile: Profile | "";
  /** Standard deviation ÷ mean. */
  variation: string;
  /** Per cent. */
  dropOut: string;
  secondParty: string;
  isPaired: boolean;
  before: { startDate: string; endDate: string };
  after: { startDate: string; endDate: string };
  strata: StratumDraft[];
};

const blankPeriod = { startDate: "", endDate: "" };
export const blankSampling: SamplingDraft = {
  profile: "",
  variation: "",
  dropOut: "",
  secondParty: "",
  isPaired: false,
  before: blankPeriod,
  after: blankPeriod,
  strata: [],
};

/** What the API assumes where nothing is stated. */
const usual = { variation: "0.5", dropOut: "0" };
/** Decimals of the shares and of the variation in the API. */
const DECIMALS = 4;

/** A typed share in per cent → its decimal text; undefined when it is not one. */
function shareOf(percent: string): string | undefined {
  const scaled = parseScaled(percent, DECIMALS - 2);
  return scaled === undefined || scaled < 0n ? undefined : formatScaled(scaled, DECIMALS);
}

function variationOf(text: string): string | undefined {
  const scaled = parseScaled(text, DECIMALS);
  return scaled === undefined || scaled <= 0n ? undefined : formatScaled(scaled, DECIMALS);
}

const whole = (text: string) => (/^\d{1,6}$/.test(text.trim()) ? Number(text) : undefined);
const isFilled = (text: string) => text.trim() !== "";

export type SamplingProblem = "variation" | "dropOut" | "pairs" | "profile" | `stratum.${number}`;

/** The fields that cannot be sent as they are. The API checks everything else. */
export function samplingProblems(draft: SamplingDraft): SamplingProblem[] {
  const { profile, variation, dropOut, isPaired, before, after, strata } = draft;
  const problems: SamplingProblem[] = [];
  const isUsed = strata.length > 0 || isPaired || [variation, dropOut, draft.secondParty].some(isFilled);
  if (profile === "" && isUsed) problems.push("profile");
  if (isFilled(variation) && variationOf(variation) === undefined) problems.push("variation");
  if (isFilled(dropOut) && shareOf(dropOut) === undefined) problems.push("dropOut");
  const dates = [before.startDate, before.endDate, after.startDate, after.endDate];
  if (isPaired && dates.some((date) => date === "")) problems.push("pairs");
  for (const [index, stratum] of strata.entries()) {
    if (stratumOf(stratum) === undefined) problems.push(`stratum.${index}`);
  }
  return problems;
}

function stratumOf({ id, region, from, to, sampleSize }: StratumDraft): Schemas["NewCampaignStratum"] | undefined {
  const size = whole(sampleSize);
  const bounds = [from, to].map((text) => (isFilled(text) ? whole(text) : null));
  if (!isFilled(id) || size === undefined || bounds.includes(undefined)) return undefined;
  const [least, most] = bounds;
  const people = {
    ...(least == null ? {} : { from: least }),
    ...(most == null ? {} : { to: most }),
  };
  return {
    id: id.trim(),
    sampleSize: size,
    ...(isFilled(region) ? { region: region.trim() } : {}),
    ...(Object.keys(people).length === 0 ? {} : { people }),
  };
}

/** Build the sampling of a new campaign; undefined where no profile is chosen. */
export function samplingOf(draft: SamplingDraft) {
  const { profile, variation, dropOut, secondParty, isPaired, before, after, strata } = draft;
  if (profile === "") return undefined;
  return {
    profile,
    coefficientOfVariation: exact(variationOf(variation) ?? usual.variation),
    dropOut: exact(shareOf(dropOut) ?? usual.dropOut),
    ...(isFilled(secondParty) ? { secondParty: secondParty.trim() } : {}),
    ...(isPaired ? { paired: { before, after } } : {}),
    ...(strata.length === 0 ? {} : { strata: strata.flatMap((each) => stratumOf(each) ?? []) }),
  };
}

type CommittedSampling = Campaign["sampling"];

/** Committed sampling as the texts of the form. The strata are not among them: they were committed with the frames. */
export function samplingDraftOf(sampling: CommittedSampling): SamplingDraft {
  if (sampling === null) return blankSampling;
  const { profile, coefficientOfVariation, dropOut, secondParty, paired } = sampling;
  return {
    ...blankSampling,
    profile,
    variation: String(coefficientOfVariation),
    dropOut: percentOf(String(dropOut)),
    secondParty: secondParty ?? "",
    isPaired: paired !== null,
    ...(paired === null ? {} : { before: paired.before, after: paired.after }),
  };
}

/** A share as a percentage; a text that has too many decimals stays as it is. */
function percentOf(share: string): string {
  const scaled = parseScaled(share, DECIMALS);
  return scaled === undefined ? share : formatScaled(scaled, DECIMALS - 2);
}

/** The sampling of an amendment, which repeats the strata; undefined where no profile is chosen. */
export function amendedSampling(committed: CommittedSampling, draft: SamplingDraft) {
  const sampling = samplingOf({ ...draft, strata: [] });
  const strata = committed?.strata?.map(({ frames: _, ...stratum }) => stratum);
  return sampling === undefined || strata === undefined ? sampling : { ...sampling, strata };
}
