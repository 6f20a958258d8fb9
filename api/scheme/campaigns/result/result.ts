import {
  type Convention,
  type Decimal,
  describeRatios,
  describeSaving,
  type GroupStatistics,
  requiredSampleSize,
  type Saving,
} from "../../emissions/index.ts";
import type { Group } from "../groups.ts";
import { type Certifiability, certifiabilityOf } from "./certifiability.ts";
import type { EmissionsTerms } from "./emissions-terms.ts";
import {
  countPeople,
  dailyFuel,
  dailyFuelOfAdult,
  householdsOf,
  type MeasuredClaim,
  type MeasuredHousehold,
  type MembersAt,
} from "./households.ts";
import { type MethodOutcome, reductionsOf } from "./reduction.ts";
import { withUnmeasured } from "./sensitivity.ts";

export type CampaignToDescribe = {
  /** Half-width ÷ mean that the campaign wants: 0.1 for 90/10. */
  precision: Decimal;
  convention: Convention;
  /** Households that were to be measured in each group. */
  sampleSize: number;
  frameSizes: Record<Group, number>;
  terms: EmissionsTerms;
  /** Positions that ended as missing. */
  missing: Record<Group, readonly number[]>;
  /** Drawn positions that have not ended. */
  open: Record<Group, readonly number[]>;
  /** Campaigns over the same households and period that have not ended. */
  openSiblings: readonly string[];
};

export type GroupResult = {
  frameSize: number;
  claims: number;
  /** One entry a household, in the order of `statistics`. */
  households: MeasuredHousehold[];
  /** kg per household and day. */
  statistics: GroupStatistics;
  /** Sample that the measured variation asks for at the campaign's precision; null before it is known. */
  requiredSampleSize: number | null;
  perStandardAdult: {
    /** Those of `households` whose members are known. */
    households: MeasuredHousehold[];
    /** kg per standard adult and day. */
    statistics: GroupStatistics;
  };
};

export type CampaignResult = {
  campaign: CampaignToDescribe;
  groups: Record<Group, GroupResult>;
  saving: Saving;
  savingPerStandardAdult: Saving;
  reductions: MethodOutcome[];
  /** The same with every drawn household that was not measured counted against the project. */
  sensitivity: { saving: Saving; reductions: MethodOutcome[] };
  /** By method, in the order of `reductions`. */
  certifiability: Certifiability[];
};

/** The result of a campaign: statistics of both groups, the saving, and the reduction by each method. Pure. */
export function resultOf(
  campaign: CampaignToDescribe,
  claims: readonly MeasuredClaim[],
  membersAt: MembersAt,
): CampaignResult {
  const measured = householdsOf(claims, membersAt);
  const describe = (group: Group) =>
    groupResult(campaign, {
      frameSize: campaign.frameSizes[group],
      households: measured[group],
      claims: measured[group].reduce((sum, { claimIds }) => sum + claimIds.length, 0),
    });
  const groups = { reference: describe("reference"), intervention: describe("intervention") };
  const { reference, intervention } = groups;
  const facts = {
    interventionFrame: campaign.frameSizes.intervention,
    reference: { measured: measured.reference.length, ...countPeople(measured.reference) },
  };
  const statistics = { reference: reference.statistics, intervention: intervention.statistics };
  const unmeasured = {
    reference: campaign.missing.reference.length + campaign.open.reference.length,
    intervention: campaign.missing.intervention.length + campaign.open.intervention.length,
  };
  const { saving, ...sensitive } = withUnmeasured(measured, unmeasured, campaign.convention);
  const reductions = reductionsOf(statistics, campaign.terms, facts);
  const sensitivity = { saving, reductions: reductionsOf(sensitive, campaign.terms, facts) };
  const sample = {
    ...campaign,
    unmeasured,
    measured: { reference: measured.reference.length, intervention: measured.intervention.length },
    open: { reference: campaign.open.reference.length, intervention: campaign.open.intervention.length },
  };
  return {
    campaign,
    groups,
    saving: describeSaving(reference.statistics, intervention.statistics),
    savingPerStandardAdult: describeSaving(
      reference.perStandardAdult.statistics,
      intervention.perStandardAdult.statistics,
    ),
    reductions,
    sensitivity,
    certifiability: reductions.map((outcome, index) =>
      certifiabilityOf(outcome, sensitivity.reductions[index] as MethodOutcome, sample),
    ),
  };
}

function groupResult(
  { precision, convention }: CampaignToDescribe,
  measured: Pick<GroupResult, "frameSize" | "households" | "claims">,
): GroupResult {
  const statistics = describeRatios(measured.households.map(dailyFuel), convention);
  const sized = measured.households.flatMap((household) => {
    const ratio = dailyFuelOfAdult(household);
    return ratio === null ? [] : [{ household, ratio }];
  });
  const perStandardAdult = {
    households: sized.map(({ household }) => household),
    statistics: describeRatios(
      sized.map(({ ratio }) => ratio),
      convention,
    ),
  };
  const { coefficientOfVariation } = statistics;
  const population = measured.frameSize;
  return {
    ...measured,
    statistics,
    perStandardAdult,
    requiredSampleSize:
      coefficientOfVariation === null ? null : requiredSampleSize({ population, coefficientOfVariation, precision }),
  };
}
