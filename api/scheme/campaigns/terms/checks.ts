import { logsOfPeriod } from "../../../../wire/src/kpt-rules.ts";
import { dayOf } from "../../../platform/chain/index.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import { type RequestContext, requireOwnImplementer } from "../../../platform/http/index.ts";
import { formatScaled } from "../../../platform/values/numbers.ts";
import { shorten } from "../../certificates/index.ts";
import { decimal, type Method, readsMeters, requiredSampleSize } from "../../emissions/index.ts";
import { DEFAULT_PLAN_ID, defaultPlan } from "../../registry/index.ts";
import { implementerDidOf, WRITE_SCOPE } from "../access.ts";
import { withBeacon } from "../beacon/beacon.ts";
import type { CampaignDeps } from "../deps.ts";
import { buildFrame, type Frame } from "../frame/frame.ts";
import { householdNumbers } from "../frame/households.ts";
import { type Group, groups } from "../groups.ts";
import { planRecordProblems, readPlanRecords } from "../result/flags/plan-records.ts";
import {
  addedFigureProblems,
  committedMethod,
  referenceProblems,
  withRecordedFigures,
} from "../result/inputs/committed-parameters.ts";
import { measuredVariation, withMeasuredVariation } from "../sampling/measured-variation.ts";
import { plannedSample, sampleProblems, samplingOf, samplingProblems, usualVariation } from "../sampling/rules.ts";
import type { NewStratum } from "../sampling/schemas.ts";
import {
  type Recorded,
  strataProblems,
  stratify,
  stratumFrames,
  stratumSizeProblems,
  totalOf,
} from "../sampling/strata.ts";
import { confidenceOf, type MeasuredVariation, periodOf, type StratumTerms } from "../sampling/terms.ts";
import { type GivenTerms, type NewCampaign, RATIO_DECIMALS } from "../schemas.ts";
import { refuseOpenSiblings, siblingsAmong } from "../siblings.ts";
import { keepUsageFrame } from "../usage/frame.ts";
import { countedTermProblems, equipmentProblems, statesUsage } from "./device-rules.ts";
import { type CampaignTerms, defaultConfidence, defaultLogConvention, LEAST_DAYS } from "./terms.ts";
import { vintageOf, vintageProblems } from "./vintage-rules.ts";

export type CheckedCampaign = {
  plan: number;
  startDay: number;
  endDay: number;
  sampleSize: number;
  terms: CampaignTerms;
  frames: Record<Group, Frame>;
  /** The frames of the strata, by which the terms commit their households. */
  stratumFrames: Frame[];
};

/** Households that one request to the registry reads. */
const DIDS_PER_PART = 5_000;

/**
 * Checks a campaign against every rule, so that the chain will take it.
 * @throws AppError FORBIDDEN, CONFLICT (the id is taken) or RULE_VIOLATION naming all that is wrong
 */
export async function checkCampaign(
  deps: CampaignDeps,
  ctx: RequestContext,
  input: NewCampaign,
): Promise<CheckedCampaign> {
  const broken: RuleDetail[] = [];
  const { plan, implementer } = await checkPlan(deps, ctx, input, broken);
  if (await deps.campaigns.isCommitted(input.campaignId)) {
    const message = `Campaign ${input.campaignId} is registered already.`;
    throw new AppError("CONFLICT", message, {
      details: [{ path: "campaignId", rule: "not-registered-before", message }],
    });
  }
  const { startDate, endDate } = input.testPeriod;
  const { households } = deps.registry;
  const frameOf = (group: Group) => buildFrame(input.groups[group].frame, (did) => households.hashOf(did));
  const frames = { reference: await frameOf("reference"), intervention: await frameOf("intervention") };
  const leaves = groups.map((group) => frames[group].leaves);
  const isPlanned = input.sampling !== undefined || input.sampleSize === undefined;
  const measured = isPlanned ? await measuredVariation(deps, plan, input.emissions ?? null) : undefined;
  const given = withMeasuredVariation(termsOf(input), measured, input.sampling?.coefficientOfVariation !== undefined);
  if (broken.length === 0) {
    const vintage = vintageOf(given.emissions, endDate);
    const one = { campaign: null, plan, implementer, startDate, endDate, leaves, vintage };
    refuseOpenSiblings(await siblingsAmong(deps, one));
  }
  checkPeriod(input, broken);
  const sizes = await checkFrames(deps, input, broken);
  const after = periodOf({ startDate, endDate, terms: given }, "intervention");
  broken.push(...(await equipmentProblems(deps, plan, input.groups.intervention.frame, after)));
  const terms = await checkTerms(deps, given, { plan, ...input.testPeriod }, broken);
  const method = await committedMethod(deps.parameters, terms.emissions);
  broken.push(...dayProblems(terms, input.testPeriod, method));
  broken.push(...samplingProblems(deps, terms, { given: input, period: input.testPeriod, method }));
  const strata = input.sampling?.strata;
  const stratified = strata && (await checkStrata(deps, input, strata, broken));
  const sampleSize =
    strata === undefined
      ? (input.sampleSize ?? proposeSampleSize(sizes, terms, { method, measured }))
      : totalOf(strata);
  checkSampleSize(sampleSize, sizes, broken);
  broken.push(...sampleProblems(terms, sampleSize, sizes));
  refuseBrokenRules(shorten(broken), "The campaign breaks the rules of the scheme; nothing was committed.");
  const made = strata && stratified && (await stratumFrames(strata, stratified, (did) => households.hashOf(did)));
  const framed = await withUsageFrame(deps, withStrata(terms, made?.terms), {
    plan,
    startDate,
    endDate,
    method,
    households: () => householdNumbers(deps.registry, frames.intervention.dids),
  });
  return {
    plan,
    startDay: dayOf(startDate) ?? 0,
    endDay: dayOf(endDate) ?? 0,
    sampleSize,
    terms: await withBeacon(deps, framed),
    frames,
    stratumFrames: made?.frames ?? [],
  };
}

/** The households of each stratum, by what the registry has of them. */
async function checkStrata(
  { registry }: Pick<CampaignDeps, "registry">,
  { groups: given, sampleSize }: NewCampaign,
  strata: readonly NewStratum[],
  broken: RuleDetail[],
): Promise<Record<Group, string[][]>> {
  broken.push(...strataProblems(strata, { sampleSize }));
  const recorded = new Map<string, Recorded>();
  const named = groups.flatMap((group) => given[group].frame);
  for (let i = 0; i < named.length; i += DIDS_PER_PART) {
    const part = await registry.households.byDids(named.slice(i, i + DIDS_PER_PART));
    for (const [did, { region, men, women, children, elderly }] of part) {
      recorded.set(did, { region, men, women, children, elderly });
    }
  }
  const { dids, broken: unsorted } = stratify(strata, given, recorded);
  broken.push(...unsorted);
  if (unsorted.length === 0) broken.push(...stratumSizeProblems(strata, dids));
  return dids;
}

function withStrata({ sampling, ...terms }: CampaignTerms, strata: StratumTerms[] | undefined): CampaignTerms {
  if (sampling === undefined) return terms;
  return { ...terms, sampling: strata === undefined ? sampling : { ...sampling, strata } };
}

/** The indexes of the plan and of its implementer, which the actor has to be or to act for. */
async function checkPlan(
  deps: CampaignDeps,
  ctx: RequestContext,
  { planId }: NewCampaign,
  broken: RuleDetail[],
): Promise<{ plan: number; implementer: number }> {
  const row = planId === DEFAULT_PLAN_ID ? defaultPlan : await deps.registry.plans.byId(planId);
  if (!row) {
    const message = `Monitoring plan ${planId} is not registered.`;
    broken.push({ path: "planId", rule: "plan-registered", message });
    return { plan: 0, implementer: 0 };
  }
  if (ctx.actor.role !== "regulator") {
    requireOwnImplementer(ctx.actor, (await implementerDidOf(deps, row.implementer)) ?? "", WRITE_SCOPE);
  }
  return { plan: row.plan, implementer: row.implementer };
}

function checkPeriod({ testPeriod }: NewCampaign, broken: RuleDetail[]): void {
  const { startDate, endDate, durationDays } = testPeriod;
  const between = (dayOf(endDate) ?? 0) - (dayOf(startDate) ?? 0);
  if (between < 0) {
    const message = "The test period must not end before it starts.";
    broken.push({ path: "testPeriod.endDate", rule: "dates-ordered", message });
    return;
  }
  if (between + 1 < LEAST_DAYS) {
    const message = `The test period must span ${LEAST_DAYS} days at least.`;
    broken.push({ path: "testPeriod.endDate", rule: "period-spans-three-days", message });
  }
  if (durationDays !== undefined && durationDays !== between && durationDays !== between + 1) {
    const message = `From ${startDate} to ${endDate} are ${between} days, or ${between + 1} with both ends.`;
    broken.push({ path: "testPeriod.durationDays", rule: "duration-matches-period", message });
  }
}

/** How many households each frame has, those named twice counted once. */
async function checkFrames(
  deps: CampaignDeps,
  { groups: given, sampling }: NewCampaign,
  broken: RuleDetail[],
): Promise<Record<Group, number>> {
  const named = groups.flatMap((group) => given[group].frame);
  const unregistered = await deps.registry.households.unregistered(named);
  const inReference = new Set<string>();
  const inIntervention = new Set<string>();
  const seen: Record<Group, Set<string>> = { reference: inReference, intervention: inIntervention };
  for (const group of groups) {
    for (const [i, did] of given[group].frame.entries()) {
      const path = `groups.${group}.frame.${i}`;
      if (seen[group].has(did)) {
        broken.push({ path, rule: "households-distinct", message: "The household is in the frame already." });
      } else if (sampling?.paired === undefined && group === "intervention" && inReference.has(did)) {
        broken.push({ path, rule: "groups-disjoint", message: "The household is in the reference group's frame." });
      } else if (unregistered.has(did)) {
        broken.push({ path, rule: "household-registered", message: `Household ${did} is not registered.` });
      }
      seen[group].add(did);
    }
  }
  if (sampling?.paired !== undefined) broken.push(...unpairedHouseholds(given, seen));
  return { reference: inReference.size, intervention: inIntervention.size };
}

/** List the households that are in one frame only: in a paired design both frames have the same. */
function unpairedHouseholds(given: NewCampaign["groups"], seen: Record<Group, Set<string>>): RuleDetail[] {
  return groups.flatMap((group) => {
    const other = seen[group === "reference" ? "intervention" : "reference"];
    return given[group].frame.flatMap((did, i) => {
      if (other.has(did)) return [];
      const message = "The household is in one frame only; the frames of a paired design are the same.";
      return [{ path: `groups.${group}.frame.${i}`, rule: "pair-complete", message }];
    });
  });
}

/** `method`: that of the terms. `households`: numbers in the registry of the households of the intervention frame. */
type ToSurvey = {
  plan: number;
  startDate: string;
  endDate: string;
  method: Method | undefined;
  households: () => Promise<Uint32Array>;
};

/**
 * The terms with the frame of their usage survey, which is stored; to call once the terms break no rule. Meters need no survey: they
 * show the use of each device.
 */
export async function withUsageFrame(
  deps: CampaignDeps,
  { usageFrame: _, ...terms }: CampaignTerms,
  { plan, method, households, ...period }: ToSurvey,
): Promise<CampaignTerms> {
  // A usage that was stated before the plan's first device was registered stays.
  if (statesUsage(terms.emissions)) return terms;
  const { startDate } = periodOf({ ...period, terms }, "intervention");
  if (readsMeters(terms.emissions?.method) || !(await deps.devices.hasAny(plan))) return terms;
  const usageFrame = await keepUsageFrame(deps, {
    plan,
    startDate,
    method,
    households: new Set(await households()),
  });
  return usageFrame === undefined ? terms : { ...terms, usageFrame };
}

/** The terms with the figures that are recorded for their area and fuel; adds the rules that their references break. */
export async function checkTerms(
  { devices, parameters, registry }: Pick<CampaignDeps, "devices" | "parameters" | "registry">,
  terms: CampaignTerms,
  { plan, ...period }: { plan: number; startDate: string; endDate: string },
  broken: RuleDetail[],
): Promise<CampaignTerms> {
  if (terms.emissions === null) return terms;
  broken.push(...vintageProblems({ ...period, terms }, terms.emissions.vintage, "emissions.vintage"));
  broken.push(...(await countedTermProblems({ devices }, plan, terms)));
  broken.push(...(await referenceProblems(parameters, terms.emissions, period)));
  const { planId } = await registry.plans.termsOf(plan);
  broken.push(...planRecordProblems(terms.emissions, await readPlanRecords(parameters, planId, period)));
  const whole = await withRecordedFigures(parameters, terms.emissions, period);
  broken.push(...(await addedFigureProblems(parameters, { given: terms.emissions, whole }, period)));
  return { ...terms, emissions: whole };
}

/** The rules that the number of days of each claim breaks. */
export function dayProblems(
  terms: CampaignTerms,
  period: { startDate: string; endDate: string },
  method: Method | undefined,
): RuleDetail[] {
  const { days, logConvention } = terms;
  if (days === undefined) return [];
  const found: RuleDetail[] = [];
  const least = method?.minimums.days.value ?? LEAST_DAYS;
  if (days < least) {
    const message = `${method?.id} asks for at least ${least} daily logs, not ${days}.`;
    found.push({ path: "days", rule: "days-meet-method", message });
  }
  for (const group of groups) {
    const { startDate, endDate } = periodOf({ ...period, terms }, group);
    const most = logsOfPeriod(logConvention, { startDay: dayOf(startDate) ?? 0, endDay: dayOf(endDate) ?? 0 });
    if (days <= most) continue;
    const message = `The ${group} group is measured within a period of ${most} daily logs, fewer than ${days}.`;
    found.push({ path: "days", rule: "days-in-period", message });
  }
  return found;
}

function checkSampleSize(sampleSize: number, sizes: Record<Group, number>, broken: RuleDetail[]): void {
  for (const group of groups) {
    if (sampleSize <= sizes[group]) continue;
    const message = `The ${group} frame has ${sizes[group]} households, fewer than the sample of ${sampleSize}.`;
    broken.push({ path: "sampleSize", rule: "sample-within-frame", message });
  }
}

/** What the larger frame needs for the wanted precision, and the method's minimum, but no more than the smaller one has. */
function proposeSampleSize(
  sizes: Record<Group, number>,
  { sampling, confidence }: CampaignTerms,
  { method, measured }: { method: Method | undefined; measured: MeasuredVariation | undefined },
): number {
  const least = method?.minimums.sample.value ?? 0;
  if (sampling !== undefined) {
    return Math.max(plannedSample(sampling, sizes), Math.min(least, sizes.reference, sizes.intervention));
  }
  const needed = groups.map((group) =>
    requiredSampleSize({
      population: sizes[group],
      coefficientOfVariation: decimal(measured?.coefficientOfVariation ?? usualVariation),
      precision: decimal(confidence.precision),
    }),
  );
  return Math.min(Math.max(least, ...needed), sizes.reference, sizes.intervention);
}

/** The terms that a campaign commits, with the usual values where it names none. */
export function termsOf({
  season,
  externalFactors,
  confidence,
  sampling,
  logConvention,
  days,
  emissions,
}: GivenTerms): CampaignTerms {
  const { level, precision, convention } = confidence ?? {};
  const text = (scaled: bigint | undefined, usual: string) =>
    scaled === undefined ? usual : formatScaled(scaled, RATIO_DECIMALS);
  return {
    ...(season === undefined ? {} : { season }),
    externalFactors: externalFactors ?? null,
    confidence:
      sampling === undefined
        ? {
            level: text(level, defaultConfidence.level),
            precision: text(precision, defaultConfidence.precision),
            convention: convention ?? defaultConfidence.convention,
          }
        : confidenceOf(sampling.profile),
    ...(sampling === undefined ? {} : { sampling: samplingOf(sampling) }),
    logConvention: logConvention ?? defaultLogConvention,
    ...(days === undefined ? {} : { days }),
    emissions: emissions ?? null,
  };
}
