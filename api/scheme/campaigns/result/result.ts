import {
  type CampaignInput,
  type Convention,
  type Decimal,
  type DescribedStrata,
  type DescribedStratum,
  type DeviceCount,
  decimal,
  describePairedSaving,
  describeRatios,
  describeSaving,
  describeStrata,
  describeStratifiedSaving,
  type Flag,
  type GroupStatistics,
  type LeftOut,
  type Ratio,
  requiredSampleSize,
  type Saving,
  strataByShare,
  withMissingFilled,
} from "../../emissions/index.ts";
import type { Group } from "../groups.ts";
import { strataOfPositions } from "../sampling/strata.ts";
import type { SamplingTerms, StratumTerms } from "../sampling/terms.ts";
import type { SurveyedCohort } from "../usage/survey.ts";
import {
  type CampaignToEvaluate,
  type Certifiability,
  evaluationsOf,
  type MethodOutcome,
  positionsOf,
} from "./evaluation.ts";
import { type BeforeDraw, beforeDrawFlags } from "./flags/before-draw.ts";
import { areAllSized, chosenGroupFlags, knownAdults, savingPerAdultProblems } from "./flags/chosen-groups.ts";
import { chosenValueProblems, type Remeasured, remeasuredFlags } from "./flags/chosen-values.ts";
import { dayFlags } from "./flags/day-flags.ts";
import { householdSizeFlags } from "./flags/household-size-flag.ts";
import { peopleFedFlags } from "./flags/people-fed.ts";
import { type PlanRecords, planRecordFlags, planRecordProblems } from "./flags/plan-records.ts";
import { type EvidenceElsewhere, type SharedEvidence, sharedEvidenceFlags } from "./flags/shared-evidence.ts";
import { statedFlags } from "./flags/stated-flags.ts";
import { surveyEvidenceFlags } from "./flags/survey-evidence.ts";
import { variationFlags } from "./flags/variation-flag.ts";
import type { CommittedParameter } from "./inputs/committed-parameters.ts";
import type { DeviceHouseholds } from "./inputs/counted-devices.ts";
import { type EmissionsTerms, valueUnitOf } from "./inputs/emissions-terms.ts";
import {
  countPeople,
  type DriedFuelAmount,
  dailyFuel,
  dailyFuelOfAdult,
  dailyFuelOfHousehold,
  dailyFuelOfTenths,
  driedFuelsOf,
  householdsOf,
  type MeasuredClaim,
  type MeasuredHousehold,
  type MembersAt,
  type ValuedHousehold,
} from "./inputs/households.ts";
import { type CountedSize, divisorOf } from "./inputs/value-unit.ts";
import { type Replacements, replacementFlags } from "./replacement-rules.ts";

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
  /** Registered devices of the intervention frame's households in the crediting period; absent where none is registered. */
  devices?: DeviceCount | undefined;
  /** Households with a device in the crediting period; absent where that is not known. */
  deviceHouseholds?: DeviceHouseholds | undefined;
  /** Whether a certificate needs units and usage of registered devices. */
  requiresRegistry?: boolean | undefined;
  /** How the drawn devices of the usage survey ended; absent where there is no such survey. */
  usageSurvey?: readonly SurveyedCohort[] | undefined;
  /** Positions of the usage survey with the evidence of another device; absent from results that were closed before. */
  sharedSurveyEvidence?: readonly number[] | undefined;
  /** Places with the evidence of another claim, household or device; absent from results that were closed before. */
  sharedEvidence?: SharedEvidence | undefined;
  /** Places with evidence of other campaigns; absent from results that were closed before. */
  evidenceElsewhere?: readonly EvidenceElsewhere[] | undefined;
  /** Households that were to be measured in each group. */
  sampleSize: number;
  /** Whether two parties drew, so that neither alone could have chosen the sample. */
  twoParties: boolean;
  frameSizes: Record<Group, number>;
  /** Households that a small frame leaves out; absent from results of earlier versions. */
  leftOut?: LeftOut | undefined;
  terms: EmissionsTerms;
  /** Parameters that the terms refer to; absent: an approval of an fNRB is a text, as in results that were closed before. */
  parameters?: readonly CommittedParameter[] | undefined;
  /** What the regulator recorded for the plan; absent from results that were closed before. */
  planRecords?: PlanRecords | undefined;
  /** Positions that ended as missing. */
  missing: Record<Group, readonly number[]>;
  /** Drawn positions that have not ended. */
  open: Record<Group, readonly number[]>;
  /** Replaced positions in the order of their replacements; absent where the sample has no strata. */
  replaced?: Record<Group, readonly number[]> | undefined;
  /** Replaced positions with their evidence; absent from results that were closed before they recorded it. */
  replacements?: Replacements | undefined;
  /** Positions measured again after a revocation; absent from results that were closed before they recorded it. */
  remeasured?: Remeasured | undefined;
  /** What was measured before the draw; absent from results that were closed before they recorded it. */
  beforeDraw?: BeforeDraw | undefined;
  /** Daily logs of each claim, where the terms fix them. */
  days?: number | undefined;
  /** Campaigns over the same households and period that have not ended. */
  openSiblings: readonly string[];
};

export type GroupResult = {
  frameSize: number;
  claims: number;
  /** One entry a household, in the order of `statistics`. */
  households: ValuedHousehold[];
  /** Measured households that have no value, because their people are not known. */
  withoutPeople: number;
  /** kg a day, of a household or of the committed unit. */
  statistics: GroupStatistics;
  /** Sample that the measured variation asks for at the campaign's precision; null before it is known. */
  requiredSampleSize: number | null;
  /** Each stratum by itself; absent where the sample has none. `statistics` is then the estimate over all strata. */
  strata?: StratumResult[];
  perStandardAdult: {
    /** Those of `households` whose members are known. */
    households: MeasuredHousehold[];
    /** kg per standard adult and day. */
    statistics: GroupStatistics;
  };
};

/** A stratum of a group's sample: its share of the population, its statistics, and how its positions ended. */
export type StratumResult = DescribedStratum & {
  frameSize: number;
  sampleSize: number;
  claims: number;
  missing: number;
  open: number;
};

export type CampaignResult = {
  campaign: CampaignToDescribe;
  groups: Record<Group, GroupResult>;
  /** Of a campaign that counts dry mass: solid biomass as weighed and without its water; absent otherwise. */
  driedFuels?: Record<Group, DriedFuelAmount[]>;
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
  const per = valueUnitOf(campaign.terms);
  const measured = householdsOf(claims, membersAt, per);
  const samples = {
    reference: sampleOf(campaign, "reference", measured),
    intervention: sampleOf(campaign, "intervention", measured),
  };
  const groups = {
    reference: groupResult(campaign, "reference", samples.reference),
    intervention: groupResult(campaign, "intervention", samples.intervention),
  };
  const facts = {
    interventionFrame: campaign.frameSizes.intervention,
    reference: { measured: measured.reference.length, ...countPeople(measured.reference) },
    year: Number(campaign.test.endDate.slice(0, 4)),
    hasDevices: campaign.devices !== undefined,
    hasUsageSurvey: campaign.usageSurvey !== undefined,
  };
  const positions = sampledPositions(campaign, measured);
  const design = designOf(campaign);
  const precision = campaign.sampling === undefined ? undefined : campaign.precision;
  const strata = populationOf(campaign);
  const { reference, intervention } = samples;
  const saving = savingOf(design, { reference: reference.daily, intervention: intervention.daily });
  const perStandardAdult = savingOf(design, { reference: reference.perAdult, intervention: intervention.perAdult });
  const bound = planRecordProblems(campaign.terms, campaign.planRecords);
  const chosen =
    campaign.remeasured === undefined
      ? bound
      : [
          ...bound,
          ...chosenValueProblems(campaign, measured),
          ...savingPerAdultProblems({
            terms: campaign.terms,
            saving,
            perStandardAdult: areAllSized(measured) ? perStandardAdult : cautiousSaving(campaign, measured),
          }),
        ];
  const evaluations = evaluationsOf(
    {
      ...campaign,
      strata,
      precision,
      design,
      groups: positions,
      ...(per === "household" ? {} : { perHousehold: sampledPositions(campaign, householdsOf(claims, membersAt)) }),
      chosen,
      ...sizesOf(campaign, samples),
    },
    facts,
  );
  return {
    campaign,
    groups,
    ...(campaign.terms.fuelMass === "dry" ? { driedFuels: driedFuelsOf(claims) } : {}),
    saving,
    savingPerStandardAdult: perStandardAdult,
    reductions: evaluations.map((each) => each.measured),
    sensitivity: {
      saving: sensitiveSaving(campaign, positions),
      reductions: evaluations.map((each) => each.sensitive),
    },
    certifiability: evaluations.map((each) => each.certifiability),
    flags: [
      ...(evaluations.find((each) => each.flags.length > 0)?.flags ?? []),
      ...householdSizeFlags(campaign.terms, measured.reference),
      ...dayFlags(campaign.test, measured),
      ...statedFlags(campaign),
      ...replacementFlags(campaign),
      ...remeasuredFlags(campaign),
      ...chosenGroupFlags(campaign, measured),
      ...beforeDrawFlags(campaign.beforeDraw, measured),
      ...surveyEvidenceFlags(campaign),
      ...sharedEvidenceFlags(campaign),
      ...peopleFedFlags(measured),
      ...variationFlags(campaign.sampling),
      ...planRecordFlags(campaign.terms, campaign.planRecords),
    ],
  };
}

/** The drawn positions of both groups, the measured ones with their values. */
function sampledPositions(
  campaign: CampaignToDescribe,
  measured: Record<Group, readonly MeasuredHousehold[]>,
): CampaignInput["groups"] {
  const sampled = (group: Group) =>
    positionsOf(
      campaign.terms,
      measured[group],
      [...campaign.missing[group], ...campaign.open[group]],
      stratumNames(campaign, group),
    );
  return completePairs(campaign, { reference: sampled("reference"), intervention: sampled("intervention") });
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
function valuesOf<H extends MeasuredHousehold>(households: readonly H[], ratioOf: (of: H) => Ratio | null): Values {
  return new Map(
    households.flatMap((household) => {
      const ratio = ratioOf(household);
      return ratio === null ? [] : [[household.position, ratio] as const];
    }),
  );
}

/** Values with their statistics; with strata also the estimate over them, and each by itself. */
type DescribedValues = { values: Values; statistics: GroupStatistics; stratified?: DescribedStrata };

function describeValues(campaign: CampaignToDescribe, group: Group, values: Values): DescribedValues {
  const { convention } = campaign;
  const strata = populationOf(campaign);
  if (strata === undefined) return { values, statistics: describeRatios([...values.values()], convention) };
  const nameAt = stratumNames(campaign, group);
  const observations = [...values].map(([position, value]) => ({ stratum: nameAt(position) ?? null, value }));
  const stratified = describeStrata(observations, strataByShare(strata), convention);
  return { values, statistics: stratified.statistics, stratified };
}

/** The strata with the households of the intervention frame, whose reduction is calculated. */
function populationOf({ sampling }: CampaignToDescribe): { name: string; households: number }[] | undefined {
  return sampling?.strata?.map(({ id, frames }) => ({ name: id, households: frames.intervention.size }));
}

/** Make the function that names the stratum of a drawn position. */
function stratumNames(
  { sampling, replaced }: CampaignToDescribe,
  group: Group,
): (position: number) => string | undefined {
  const { strata } = sampling ?? {};
  if (strata === undefined) return () => undefined;
  const indexes = strataOfPositions(strata, replaced?.[group] ?? []);
  return (position) => strata[indexes[position] ?? -1]?.id;
}

function savingOf(
  design: CampaignInput["design"],
  { reference, intervention }: Record<Group, DescribedValues>,
): Saving {
  if (design === "paired") {
    const pairs = [...reference.values].flatMap(([position, ratio]) => {
      const other = intervention.values.get(position);
      return other === undefined ? [] : [[ratio, other] as const];
    });
    return describePairedSaving(pairs, reference.statistics);
  }
  return reference.stratified === undefined || intervention.stratified === undefined
    ? describeSaving(reference.statistics, intervention.statistics)
    : describeStratifiedSaving(reference.stratified, intervention.stratified);
}

/**
 * The saving of a standard adult, by the registered members that are known. A household without them counts so that the saving is least:
 * one of the reference group has as many adults as any measured household, one of the intervention group as few. In a paired design
 * both are the same household, which counts as large if it saved and as small if it did not. Null where no members are registered, and
 * for results of earlier versions.
 */
function cautiousSaving(campaign: CampaignToDescribe, measured: Record<Group, MeasuredHousehold[]>): Saving | null {
  const known = campaign.leftOut === undefined ? null : knownAdults(measured);
  if (known === null) return null;
  const design = designOf(campaign);
  const after = new Map(
    measured.intervention.map((household) => [household.position, dailyFuelOfHousehold(household)]),
  );
  const saved = new Set(
    measured.reference
      .filter((household) => isMore(dailyFuelOfHousehold(household), after.get(household.position)))
      .map(({ position }) => position),
  );
  const isLarge = (group: Group, position: number) =>
    design === "paired" ? saved.has(position) : group === "reference";
  const describe = (group: Group) => {
    const ratioOf = (household: MeasuredHousehold) =>
      dailyFuelOfAdult(household) ??
      dailyFuelOfTenths(household, isLarge(group, household.position) ? known.most : known.fewest);
    return describeValues(campaign, group, valuesOf(measured[group], ratioOf));
  };
  return savingOf(design, { reference: describe("reference"), intervention: describe("intervention") });
}

function isMore(one: Ratio, other: Ratio | undefined): boolean {
  return other !== undefined && one.numerator * other.denominator > other.numerator * one.denominator;
}

/** The saving with the households that were not measured counted against the project. */
function sensitiveSaving(campaign: CampaignToDescribe, positions: CampaignInput["groups"]): Saving {
  const design = designOf(campaign);
  const filled = withMissingFilled({ groups: positions, design }, 1);
  const fuel = campaign.terms.fuel ?? "wood";
  const describe = (group: Group) =>
    describeValues(campaign, group, new Map(filled[group].map(({ position, daily }) => [position, daily(fuel)])));
  return savingOf(design, { reference: describe("reference"), intervention: describe("intervention") });
}

type Sample = {
  households: ValuedHousehold[];
  /** Those whose people are not known, where the value is that of a person. */
  withoutPeople: MeasuredHousehold[];
  daily: DescribedValues;
  sized: MeasuredHousehold[];
  perAdult: DescribedValues;
};

function sampleOf(campaign: CampaignToDescribe, group: Group, measured: Record<Group, MeasuredHousehold[]>): Sample {
  const households = measured[group].filter((each): each is ValuedHousehold => each.divisor !== null);
  const adults = valuesOf(households, dailyFuelOfAdult);
  return {
    households,
    withoutPeople: measured[group].filter(({ divisor }) => divisor === null),
    daily: describeValues(campaign, group, valuesOf(households, dailyFuel)),
    sized: households.filter(({ position }) => adults.has(position)),
    perAdult: describeValues(campaign, group, adults),
  };
}

/** What both groups tell of the size of a household, where the value is that of a person; none where a mean is not known. */
function sizesOf(
  campaign: CampaignToDescribe,
  samples: Record<Group, Sample>,
): Pick<CampaignToEvaluate, "sizes" | "withoutPeople"> {
  if (valueUnitOf(campaign.terms) === "household") return {};
  const { reference, intervention } = samples;
  const withoutPeople = {
    reference: reference.withoutPeople.length,
    intervention: intervention.withoutPeople.length,
  };
  const sizes = {
    reference: countedSize(campaign, "reference", samples),
    intervention: countedSize(campaign, "intervention", samples),
  };
  if (sizes.reference === null || sizes.intervention === null) return { withoutPeople };
  const value = reference.daily.statistics.mean;
  const fuel = meanOf(campaign, "reference", { households: reference.households, ratioOf: dailyFuelOfHousehold });
  const ofFuel = value === null || value.isZero() ? null : (fuel?.div(value) ?? null);
  return {
    withoutPeople,
    sizes: { groups: { reference: sizes.reference, intervention: sizes.intervention }, ofFuel },
  };
}

function countedSize(campaign: CampaignToDescribe, group: Group, samples: Record<Group, Sample>): CountedSize | null {
  const { households } = samples[group];
  const perDay = (ratioOf: (of: ValuedHousehold) => Ratio | null) => (household: ValuedHousehold) => {
    const ratio = ratioOf(household);
    return ratio && { ...ratio, denominator: ratio.denominator * BigInt(household.logs) };
  };
  const people = meanOf(campaign, group, { households, ratioOf: perDay((each) => divisorOf(each, "person", group)) });
  const units = meanOf(campaign, group, { households, ratioOf: perDay(({ divisor }) => divisor) });
  if (people === null || units === null) return null;
  const registered = countPeople(households);
  return { people, units, registered: decimal(registered.people).div(registered.known) };
}

type Averaged = { households: readonly ValuedHousehold[]; ratioOf: (of: ValuedHousehold) => Ratio | null };

/** The mean of a figure of a group's households, over its strata if it has some. */
function meanOf(campaign: CampaignToDescribe, group: Group, { households, ratioOf }: Averaged): Decimal | null {
  return describeValues(campaign, group, valuesOf(households, ratioOf)).statistics.mean;
}

function groupResult(
  campaign: CampaignToDescribe,
  group: Group,
  { households, withoutPeople, daily, sized, perAdult }: Sample,
): GroupResult {
  const { precision, convention } = campaign;
  const { statistics, stratified } = daily;
  const { coefficientOfVariation } = statistics;
  const population = campaign.frameSizes[group];
  return {
    frameSize: population,
    claims: [...households, ...withoutPeople].reduce((sum, { claimIds }) => sum + claimIds.length, 0),
    households,
    withoutPeople: withoutPeople.length,
    statistics,
    ...(stratified === undefined ? {} : { strata: strataResults(campaign, group, { households, stratified }) }),
    perStandardAdult: { households: sized, statistics: perAdult.statistics },
    requiredSampleSize:
      coefficientOfVariation === null
        ? null
        : requiredSampleSize({ population, coefficientOfVariation, precision, convention }),
  };
}

function strataResults(
  campaign: CampaignToDescribe,
  group: Group,
  { households, stratified }: { households: readonly MeasuredHousehold[]; stratified: DescribedStrata },
): StratumResult[] {
  const nameAt = stratumNames(campaign, group);
  const terms = new Map(campaign.sampling?.strata?.map((each) => [each.id, each]));
  return stratified.strata.map((stratum) => {
    const { frames, sampleSize } = terms.get(stratum.name ?? "") as StratumTerms;
    const isOwn = (position: number) => nameAt(position) === stratum.name;
    return {
      ...stratum,
      frameSize: frames[group].size,
      sampleSize,
      claims: households.reduce((sum, { position, claimIds }) => sum + (isOwn(position) ? claimIds.length : 0), 0),
      missing: campaign.missing[group].filter(isOwn).length,
      open: campaign.open[group].filter(isOwn).length,
    };
  });
}
