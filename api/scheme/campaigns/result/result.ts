import {
  type CampaignInput,
  type Convention,
  type Decimal,
  type DeviceCount,
  describePairedSaving,
  describeRatios,
  describeSaving,
  type Flag,
  type GroupStatistics,
  observationsOf,
  type Ratio,
  requiredSampleSize,
  type Saving,
  withMissingFilled,
} from "../../emissions/index.ts";
import type { Group } from "../groups.ts";
import type { SamplingTerms } from "../sampling/terms.ts";
import type { SurveyedCohort } from "../usage/survey.ts";
import type { CommittedParameter } from "./committed-parameters.ts";
import type { EmissionsTerms } from "./emissions-terms.ts";
import { type Certifiability, evaluationsOf, type MethodOutcome, positionsOf } from "./evaluation.ts";
import {
  countPeople,
  dailyFuel,
  dailyFuelOfAdult,
  householdsOf,
  type MeasuredClaim,
  type MeasuredHousehold,
  type MembersAt,
} from "./households.ts";

export const sensitivityAssumption =
  "Each drawn household without a measurement counts against the project: a reference household as using no fuel, an intervention household as using the mean of the measured reference households.";

export type CampaignToDescribe = {
  /** Half-width ÷ mean that the campaign wants: 0.1 for 90/10. */
  precision: Decimal;
  convention: Convention;
  /** How the sample was planned; absent where the terms state a confidence alone, which then changes no reduction. */
  sampling?: SamplingTerms | undefined;
  /** First and last day of the test, and how its days are counted. */
  test: CampaignInput["test"];
  /** Registered devices of the plan in the crediting period; absent where none is registered. */
  devices?: DeviceCount | undefined;
  /** How the drawn devices of the usage survey ended; absent where there is no such survey. */
  usageSurvey?: readonly SurveyedCohort[] | undefined;
  /** Households that were to be measured in each group. */
  sampleSize: number;
  /** Whether two parties drew, so that neither alone could have chosen the sample. */
  twoParties: boolean;
  frameSizes: Record<Group, number>;
  terms: EmissionsTerms;
  /** Parameters that the terms refer to; absent: an approval of an fNRB is a text, as in results that were closed before. */
  parameters?: readonly CommittedParameter[] | undefined;
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
  /** Findings for an evaluator to review; they change no figure. */
  flags: Flag[];
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
    year: Number(campaign.test.endDate.slice(0, 4)),
    hasDevices: campaign.devices !== undefined,
    hasUsageSurvey: campaign.usageSurvey !== undefined,
  };
  const sampled = (group: Group) =>
    positionsOf(campaign.terms, measured[group], [...campaign.missing[group], ...campaign.open[group]]);
  const positions = completePairs(campaign, {
    reference: sampled("reference"),
    intervention: sampled("intervention"),
  });
  const design = designOf(campaign);
  const precision = campaign.sampling === undefined ? undefined : campaign.precision;
  const evaluations = evaluationsOf({ ...campaign, precision, design, groups: positions }, facts);
  return {
    campaign,
    groups,
    saving: savingOf(design, valuesOf(reference.households, dailyFuel), valuesOf(intervention.households, dailyFuel), {
      reference: reference.statistics,
      intervention: intervention.statistics,
    }),
    savingPerStandardAdult: savingOf(
      design,
      valuesOf(reference.perStandardAdult.households, dailyFuelOfAdult),
      valuesOf(intervention.perStandardAdult.households, dailyFuelOfAdult),
      {
        reference: reference.perStandardAdult.statistics,
        intervention: intervention.perStandardAdult.statistics,
      },
    ),
    reductions: evaluations.map((each) => each.measured),
    sensitivity: {
      saving: sensitiveSaving(campaign, positions),
      reductions: evaluations.map((each) => each.sensitive),
    },
    certifiability: evaluations.map((each) => each.certifiability),
    flags: evaluations.find((each) => each.flags.length > 0)?.flags ?? [],
  };
}

/** In a paired design, count a position that only one group has as missing in the other: a replacement was interrupted. */
function completePairs(campaign: CampaignToDescribe, given: CampaignInput["groups"]): CampaignInput["groups"] {
  if (designOf(campaign) === "independent") return given;
  const complete = (own: Positions, other: Positions) => {
    const known = new Set(own.map(({ position }) => position));
    return [...own, ...other.filter(({ position }) => !known.has(position)).map(({ position }) => ({ position }))];
  };
  const { reference, intervention } = given;
  return { reference: complete(reference, intervention), intervention: complete(intervention, reference) };
}
type Positions = CampaignInput["groups"][Group];

/** Whether the same households were measured before and after. */
function designOf({ sampling }: CampaignToDescribe): CampaignInput["design"] {
  return sampling?.paired === undefined ? "independent" : "paired";
}

type Values = ReadonlyMap<number, Ratio>;

/** The value of each household by its position. */
function valuesOf(households: readonly MeasuredHousehold[], ratioOf: (of: MeasuredHousehold) => Ratio | null): Values {
  return new Map(
    households.flatMap((household) => {
      const ratio = ratioOf(household);
      return ratio === null ? [] : [[household.position, ratio] as const];
    }),
  );
}

function savingOf(
  design: CampaignInput["design"],
  before: Values,
  after: Values,
  { reference, intervention }: Record<Group, GroupStatistics>,
): Saving {
  if (design === "independent") return describeSaving(reference, intervention);
  const pairs = [...before].flatMap(([position, ratio]) => {
    const other = after.get(position);
    return other === undefined ? [] : [[ratio, other] as const];
  });
  return describePairedSaving(pairs, reference);
}

/** The saving with the households that were not measured counted against the project. */
function sensitiveSaving(campaign: CampaignToDescribe, positions: CampaignInput["groups"]): Saving {
  const { terms, convention } = campaign;
  const design = designOf(campaign);
  const filled = withMissingFilled({ groups: positions, design }, 1);
  const fuel = terms.fuel ?? "wood";
  const describe = (group: Group) =>
    describeRatios(
      observationsOf(filled[group], fuel).map(({ value }) => value),
      convention,
    );
  const valuesAt = (group: Group) => new Map(filled[group].map(({ position, daily }) => [position, daily(fuel)]));
  const statistics = { reference: describe("reference"), intervention: describe("intervention") };
  return savingOf(design, valuesAt("reference"), valuesAt("intervention"), statistics);
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
      coefficientOfVariation === null
        ? null
        : requiredSampleSize({ population, coefficientOfVariation, precision, convention }),
  };
}
