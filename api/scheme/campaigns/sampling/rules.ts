import { isAddressEqual } from "viem";
import { type Chain, dayOf } from "../../../platform/chain/index.ts";
import type { RuleDetail } from "../../../platform/errors.ts";
import { formatScaled } from "../../../platform/values/numbers.ts";
import { decimal, decimalText, type Method, plannedSampleSize, samplingProfiles } from "../../emissions/index.ts";
import { type Group, groups } from "../groups.ts";
import type { GivenTerms } from "../schemas.ts";
import { serviceAccountsOf } from "../service-accounts.ts";
import { type CampaignTerms, LEAST_DAYS } from "../terms/terms.ts";
import { type NewSampling, SAMPLING_DECIMALS } from "./schemas.ts";
import { stratifiedDesignProblems } from "./strata.ts";
import type { SamplingTerms } from "./terms.ts";

/** Standard deviation ÷ mean that a sample size is proposed for: what fuel measurements usually show at most. */
export const usualVariation = "0.5";

/** The sampling terms that a campaign commits, with the usual figures where it names none; strata are added with their frames. */
export function samplingOf({
  profile,
  coefficientOfVariation,
  dropOut,
  secondParty,
  paired,
}: NewSampling): SamplingTerms {
  const text = (scaled: bigint | undefined, usual: string) =>
    scaled === undefined ? usual : formatScaled(scaled, SAMPLING_DECIMALS);
  return {
    profile,
    coefficientOfVariation: text(coefficientOfVariation, usualVariation),
    dropOut: text(dropOut, "0"),
    ...(secondParty === undefined ? {} : { secondParty }),
    ...(paired === undefined ? {} : { paired }),
  };
}

/** The terms as the request gives them, and the method of the whole terms. */
type Checked = { given: Pick<GivenTerms, "confidence" | "sampling">; period: Period; method: Method | undefined };

/** The rules that a campaign's sampling breaks, apart from the size of its sample. */
export function samplingProblems(
  { chain }: { chain: Chain },
  { sampling, emissions }: CampaignTerms,
  { given, period, method }: Checked,
): RuleDetail[] {
  if (sampling === undefined) return [];
  const found: RuleDetail[] = [];
  const { profile, secondParty } = sampling;
  if (given.confidence !== undefined) {
    const message = `The profile ${profile} states the confidence: give sampling or confidence, not both.`;
    found.push({ path: "confidence", rule: "precision-once", message });
  }
  const { precision } = samplingProfiles[profile];
  if (method !== undefined && precision.gt(method.minimums.precision.limit)) {
    const { of, limit } = method.minimums.precision;
    const message = `${method.id} asks for a half-width of at most ${decimalText(limit)} of the ${of}; the profile ${profile} allows ${decimalText(precision)}.`;
    found.push({ path: "sampling.profile", rule: "profile-meets-method", message });
  }
  found.push(...phaseProblems(sampling.paired, period));
  found.push(
    ...stratifiedDesignProblems(
      { sampling, emissions },
      given.sampling?.strata !== undefined || sampling.strata !== undefined,
    ),
  );
  if (
    secondParty !== undefined &&
    serviceAccountsOf(chain).some((own) => isAddressEqual(own, secondParty as `0x${string}`))
  ) {
    const message = "This service signs with that account: it cannot be a second party.";
    found.push({ path: "sampling.secondParty", rule: "party-independent", message });
  }
  return found;
}

type Period = { startDate: string; endDate: string };

/** List how phases break the rule that they are within the test period, one after the other, and equally long. */
function phaseProblems(paired: SamplingTerms["paired"], period: Period): RuleDetail[] {
  if (paired === undefined) return [];
  const found: RuleDetail[] = [];
  const spans = (["before", "after"] as const).map((name) => {
    const { startDate, endDate } = paired[name];
    const path = `sampling.paired.${name}`;
    const days = (dayOf(endDate) ?? 0) - (dayOf(startDate) ?? 0) + 1;
    if (startDate < period.startDate || period.endDate < endDate) {
      found.push({ path, rule: "phase-in-period", message: "A phase must be within the test period." });
    }
    if (days < LEAST_DAYS) {
      const message = `A phase spans at least ${LEAST_DAYS} days.`;
      found.push({ path, rule: "period-spans-three-days", message });
    }
    return days;
  });
  if (paired.after.startDate <= paired.before.endDate) {
    const message = "The phase `after` must begin after the last day of `before`.";
    found.push({ path: "sampling.paired.after", rule: "dates-ordered", message });
  }
  if (spans[0] !== spans[1]) {
    const message = `Both phases must have the same number of days, not ${spans.join(" and ")}.`;
    found.push({ path: "sampling.paired.after", rule: "phases-equal", message });
  }
  return found;
}

/** Households to draw from each frame, as the profile plans them for the larger frame; at most the smaller frame. */
export function plannedSample(sampling: SamplingTerms, sizes: Record<Group, number>): number {
  const { profile, coefficientOfVariation, dropOut } = sampling;
  const figures = { coefficientOfVariation: decimal(coefficientOfVariation), profile, dropOut: decimal(dropOut) };
  const needed = groups.map((group) => plannedSampleSize({ population: sizes[group], ...figures }));
  return Math.min(Math.max(...needed), sizes.reference, sizes.intervention);
}

/** List the rule that a sample breaks when it is smaller than its profile plans. */
export function sampleProblems(
  { sampling }: CampaignTerms,
  sampleSize: number,
  sizes: Record<Group, number>,
): RuleDetail[] {
  if (sampling === undefined) return [];
  const planned = plannedSample(sampling, sizes);
  if (sampleSize >= planned) return [];
  const message = `The profile ${sampling.profile} plans at least ${planned} households of each frame, not ${sampleSize}.`;
  return [{ path: "sampleSize", rule: "sample-meets-profile", message }];
}
