import { type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import { daysPerYear, testDays } from "../dates.ts";
import { type Decimal, decimal, one, zero } from "../decimal.ts";
import { minimumServiceLevels, serviceLevelDiscount } from "../defaults.ts";
import { countDevices, type DeviceCount, deviceCountProblems } from "../devices.ts";
import { type FuelId, fuels } from "../fuels.ts";
import type { FuelRow, Method, Side, TestSymbols } from "../methods/definition.ts";
import { withRecordedMinimums } from "../methods/minimums.ts";
import { drawableOf, exactLowerBound, neededOfCohort, surveyedUsageOf, type UsageCohort } from "../usage-survey.ts";
import { factorsOf } from "./factors.ts";
import { type Flag, flagsOf } from "./flags.ts";
import { estimateFuel, type FuelUse, type Reading } from "./fuel-use.ts";
import { fuelsOf, type Household, isMeasured, measuredHouseholds, withMissingFilled } from "./households.ts";
import { type CampaignInput, type StatedDevices, type TestGroup, testGroups } from "./input.ts";
import { meteredReading, mixReasons } from "./metered.ts";
import { campaignProblems, countsDevices, isMinimumService, statesDevices, testMethods } from "./problems.ts";

export type CampaignOutcome = {
  method: string;
  version: string;
  days: number;
  /** Null where the programme stated their number. */
  devices: DeviceCount | null;
  usage: { usage: Decimal; bounds: { age: number; bound: Decimal }[] };
  groups: Record<TestGroup, { drawn: number; measured: number; missing: number }>;
  /** The measured households alone; null where a group or stratum has fewer than two. */
  asMeasured: Reading | null;
  /** The missing positions counted against the programme; shown always. */
  withMissing: Reading | null;
  /** The reading that counts: `sensitivity` where more than 5 % of a group or stratum are missing and `withMissing` is lower. */
  basis: "measured" | "sensitivity";
  /** tCO2e that can be certified; null where a reason prevents it. */
  certifiable: Decimal | null;
  /** Why nothing can be certified. */
  reasons: RuleDetail[];
  flags: Flag[];
};

/** Above it the missing positions lower the result. */
const missingThatLowers = decimal("0.05");
/** Above it nothing can be certified. */
const missingThatPrevents = decimal("0.10");

/**
 * Evaluate a kitchen performance test: estimates, the method's precision rule, usage and devices, the reduction as measured and with
 * the missing positions, and what can be certified.
 * @throws AppError RULE_VIOLATION naming every broken rule of the input
 */
export function evaluateCampaign(input: CampaignInput): CampaignOutcome {
  const { devices: given } = input;
  const isListed = !statesDevices(given) && !countsDevices(given);
  const deviceProblems = isListed ? deviceCountProblems(given, input.creditingPeriod, input.surveyedOn) : [];
  refuseBrokenRules(
    [...campaignProblems(input), ...deviceProblems],
    "No emission reduction follows from this campaign.",
  );
  const known = testMethods().find(({ id }) => id === input.method) as Method;
  const method = withRecordedMinimums(known, input.minimums ?? []);
  const days = testDays(input.test, input.test.dayCount);
  const devices = countOf(input);
  const usage = usageOf(input, devices);
  const measured = {
    reference: measuredHouseholds(input, "reference", days),
    intervention: measuredHouseholds(input, "intervention", days),
  };
  const burnt = fuelsOf(input);
  const counted = { burnt, devices: yearsOf(given, devices), usage: usage.usage };
  const { metered } = method;
  const read = (groups: Record<TestGroup, Household[]>) =>
    metered === undefined
      ? readingOf(input, method, groups, counted)
      : meteredReading(input, {
          method,
          metered,
          days,
          reference: measured.reference,
          newDevices: counted.devices.newDevices,
        });
  const asMeasured = read(measured);
  const groups = { reference: countsOf(input, "reference"), intervention: countsOf(input, "intervention") };
  const isComplete = testGroups.every((group) => groups[group].missing === 0);
  const withMissing = isComplete ? asMeasured : read(withMissingFilled(input, days));
  const judged = judgedCounts(input);
  const parts = [input, ...(input.strata ?? []).map(({ name }) => stratumOf(input, name))].map(judgedCounts);
  const reduction = certifiableOf(parts, asMeasured, withMissing);
  const reasons = [
    ...sampleReasons(method, judged, days, input),
    ...smallFrameReasons(method.minimums, input),
    ...strataReasons(input, measured),
    ...(metered === undefined
      ? usageReasons(method, devices, input)
      : mixReasons(input, { method, metered, reference: measured.reference, reading: asMeasured })),
    ...reductionReasons(reduction),
  ];
  return {
    method: method.id,
    version: method.version,
    days,
    devices,
    usage,
    groups,
    asMeasured,
    withMissing,
    basis: reduction !== null && asMeasured?.result.reductions.gt(reduction) ? "sensitivity" : "measured",
    certifiable: reasons.length === 0 ? reduction : null,
    reasons,
    flags: testGroups.flatMap((group) => flagsOf(group, measured[group], burnt)),
  };
}

function countsOf({ groups }: Pick<CampaignInput, "groups">, group: TestGroup) {
  const drawn = groups[group].length;
  const measured = groups[group].filter(isMeasured).length;
  return { drawn, measured, missing: drawn - measured };
}

/** The counts that the limits of missing positions and the minimum sample apply to. */
function judgedCounts(input: Pick<CampaignInput, "groups" | "design">): CampaignOutcome["groups"] {
  if (input.design === "paired") return pairCountsOf(input);
  return { reference: countsOf(input, "reference"), intervention: countsOf(input, "intervention") };
}

/** The positions of one stratum. */
function stratumOf({ groups, design }: CampaignInput, name: string): Pick<CampaignInput, "groups" | "design"> {
  const within = (group: TestGroup) => groups[group].filter(({ stratum }) => stratum === name);
  return { groups: { reference: within("reference"), intervention: within("intervention") }, design };
}

/** Count pairs instead of households: one that lacks the measurement of either group is missing, because it has no difference. */
function pairCountsOf({ groups }: Pick<CampaignInput, "groups">): CampaignOutcome["groups"] {
  const measuredIn = (group: TestGroup) => new Set(groups[group].filter(isMeasured).map(({ position }) => position));
  const after = measuredIn("intervention");
  const measured = [...measuredIn("reference")].filter((position) => after.has(position)).length;
  const countsIn = (group: TestGroup) => {
    const drawn = groups[group].length;
    return { drawn, measured, missing: drawn - measured };
  };
  return { reference: countsIn("reference"), intervention: countsIn("intervention") };
}

/** Device-days and device-years of the crediting period, and the devices that were new in it. */
type DeviceYears = { days: Decimal; years: Decimal; newDevices: Decimal };
type Counted = { burnt: readonly FuelId[]; devices: DeviceYears; usage: Decimal };

function countOf({ devices, creditingPeriod, surveyedOn }: CampaignInput): DeviceCount | null {
  if (statesDevices(devices)) return null;
  return countsDevices(devices) ? devices : countDevices(devices, creditingPeriod, surveyedOn);
}

function yearsOf(given: CampaignInput["devices"], counted: DeviceCount | null): DeviceYears {
  if (counted !== null) {
    const days = decimal(counted.days);
    return { days, years: days.div(daysPerYear), newDevices: decimal(counted.newDevices) };
  }
  const { devices, newDevices } = given as StatedDevices;
  return { days: devices.times(daysPerYear), years: devices, newDevices };
}

function usageOf({ usageSurvey, convention }: CampaignInput, devices: DeviceCount | null): CampaignOutcome["usage"] {
  if ("share" in usageSurvey) return { usage: usageSurvey.share, bounds: [] };
  if ("surveyed" in usageSurvey) return { usage: exactLowerBound(usageSurvey, convention), bounds: [] };
  return surveyedUsageOf(devices?.cohorts ?? [], usageSurvey, convention) ?? { usage: zero, bounds: [] };
}

function readingOf(
  input: CampaignInput,
  method: Method,
  groups: Record<TestGroup, Household[]>,
  { burnt, devices, usage }: Counted,
): Reading | null {
  const symbols = method.test as TestSymbols;
  const uses: FuelUse[] = [];
  for (const fuel of burnt) {
    const use = estimateFuel(input, groups, fuel, method.minimums);
    if (use === null) return null;
    uses.push(use);
  }
  if (!uses.some((use) => isBurnt(use, "baseline"))) return null;
  const rowsOf = (side: Side) =>
    uses.filter((use) => isBurnt(use, side)).map((use) => rowOf(input, method, symbols, side, use, { devices, usage }));
  const counted = symbols.newDevices === null ? {} : { [symbols.newDevices]: devices.newDevices };
  const result = method.calculate({
    parameters: { ...input.parameters, ...counted },
    baseline: rowsOf("baseline"),
    project: rowsOf("project"),
    gwp: input.gwp,
  });
  return { fuels: uses, result };
}

function isBurnt({ reference, intervention, project }: FuelUse, side: Side): boolean {
  return side === "baseline" ? reference.mean.gt(zero) : intervention.mean.gt(zero) || project.gt(zero);
}

function rowOf(
  input: CampaignInput,
  method: Method,
  symbols: TestSymbols,
  side: Side,
  { fuel, baseline, project }: FuelUse,
  { devices, usage }: Omit<Counted, "burnt">,
): FuelRow {
  const { factors, householdSize } = input;
  const ofHousehold = (amount: Decimal) => amount.times(input.value?.perHousehold ?? one);
  const yearly =
    side === "baseline" && isMinimumService(input)
      ? minimumServiceOf(fuel, householdSize)
      : ofHousehold(side === "baseline" ? baseline : project)
          .div(1000)
          .times(daysPerYear);
  const { carrier } = fuels[fuel];
  const takesSize = method.rows[side].some(
    ({ symbol, carriers }) =>
      symbol === symbols.householdSize && (carriers === undefined || carriers.includes(carrier)),
  );
  const values: Record<string, Decimal> = {
    ...factorsOf(factors[fuel]),
    [symbols.fuel.symbol]: symbols.fuel.per === "day" ? yearly.div(daysPerYear) : yearly,
    [symbols.devices.symbol]: symbols.devices.per === "day" ? devices.days : devices.years,
    [symbols.usage]: usage,
  };
  if (takesSize && symbols.householdSize !== null) values[symbols.householdSize] = householdSize;
  if (!factors[fuel]?.isDry || values.NCV === undefined) return { fuel, values };
  return { fuel, values, dryTonnes: fuels[fuel].ncv.value.div(values.NCV) };
}

/** P_b by option B, t a year: the minimum service level for a household of that size. */
function minimumServiceOf(fuel: FuelId, householdSize: Decimal): Decimal {
  const level = Object.hasOwn(minimumServiceLevels, fuel)
    ? minimumServiceLevels[fuel as keyof typeof minimumServiceLevels].value
    : zero;
  return level.times(householdSize).times(serviceLevelDiscount.value);
}

/** Choose the reduction to certify: the lower evaluation if more than 5 % of a group, stratum, or of the pairs is missing. */
function certifiableOf(
  parts: readonly CampaignOutcome["groups"][],
  asMeasured: Reading | null,
  withMissing: Reading | null,
): Decimal | null {
  if (asMeasured === null) return null;
  const isLowered = parts.some((counts) =>
    testGroups.some((group) => missingShare(counts[group]).gt(missingThatLowers)),
  );
  if (!isLowered) return asMeasured.result.reductions;
  if (withMissing === null) return null;
  const [a, b] = [asMeasured.result.reductions, withMissing.result.reductions];
  return a.lte(b) ? a : b;
}

function missingShare({ drawn, missing }: { drawn: number; missing: number }): Decimal {
  return drawn === 0 ? zero : decimal(missing).div(drawn);
}

function sampleReasons(
  { minimums }: Method,
  groups: CampaignOutcome["groups"],
  days: number,
  { design, frameSizes, groups: sampled }: Pick<CampaignInput, "design" | "frameSizes" | "groups">,
): RuleDetail[] {
  const found: RuleDetail[] = [];
  const { value: leastDays, source } = minimums.days;
  if (days < leastDays) {
    const message = `The test lasted ${days} days; ${leastDays} are needed (${source}).`;
    found.push({ path: "test", rule: "days-reach-minimum", message });
  }
  for (const group of testGroups) {
    const short = sampled[group].filter((each) => isMeasured(each) && (each.days ?? days) < leastDays);
    if (short.length === 0 || days < leastDays) continue;
    const message = `${short.length} ${group} households were measured on fewer than ${leastDays} days (${source}).`;
    found.push({ path: `groups.${group}`, rule: "days-reach-minimum", message });
  }
  for (const group of testGroups) {
    const { drawn, measured, missing } = groups[group];
    const needed = Math.min(minimums.sample.value, frameSizes?.[group] ?? minimums.sample.value);
    if (missingShare(groups[group]).gt(missingThatPrevents)) {
      const absent = design === "paired" ? "pairs lack a measurement" : `${group} positions are missing`;
      const message = `${missing} of ${drawn} ${absent}, which is more than 10 %.`;
      found.push({ path: `groups.${group}`, rule: "missing-at-most-tenth", message });
    }
    if (measured < needed) {
      const known = design === "paired" ? "pairs" : `${group} households`;
      const message = `${measured} ${known} were measured; ${needed} are needed (${minimums.sample.source}).`;
      found.push({ path: `groups.${group}`, rule: "minimum-sample", message });
    }
  }
  return found;
}

/**
 * Refuse a frame below the minimum sample that leaves out households: who wrote it chose the few that are measured.
 * @param minimums those of the method, with what the regulator asks for
 */
function smallFrameReasons(
  { sample: { value: needed, source } }: Method["minimums"],
  { frameSizes, leftOut }: Pick<CampaignInput, "frameSizes" | "leftOut">,
): RuleDetail[] {
  if (frameSizes === undefined || leftOut === undefined) return [];
  return testGroups.flatMap((group): RuleDetail[] => {
    const size = frameSizes[group];
    const left = leftOut[group];
    if (size >= needed || left === undefined || left === 0) return [];
    const message = `The ${group} frame has ${size} households, fewer than the ${needed} that are needed (${source}), and leaves out ${left} that could be in it. So small a frame must have all of them.`;
    return [{ path: `groups.${group}`, rule: "small-frame-complete", message }];
  });
}

function strataReasons({ strata }: CampaignInput, measured: Record<TestGroup, Household[]>): RuleDetail[] {
  return testGroups.flatMap((group) =>
    (strata ?? []).flatMap(({ name }) => {
      const households = measured[group].filter(({ stratum }) => stratum === name).length;
      if (households >= 2) return [];
      const message = `The stratum ${name} has ${households} measured ${group} households; its spread needs two.`;
      return [{ path: `groups.${group}`, rule: "stratum-measured", message }];
    }),
  );
}

function usageReasons({ minimums }: Method, counted: DeviceCount | null, input: CampaignInput): RuleDetail[] {
  const { usageSurvey: minimum } = minimums;
  const { usageSurvey } = input;
  if ("share" in usageSurvey) return [];
  if ("surveyed" in usageSurvey) {
    const needed = decimal(minimum.total);
    const devices = counted === null ? (input.devices as StatedDevices).devices : decimal(devicesOf(counted));
    return totalReasons(usageSurvey.surveyed, needed.lt(devices) ? needed : devices, minimum.source);
  }
  return cohortReasons(minimum, counted?.cohorts ?? [], usageSurvey);
}

function devicesOf({ cohorts }: DeviceCount): number {
  return cohorts.reduce((sum, cohort) => sum + drawableOf(cohort), 0);
}

function totalReasons(surveyed: number, needed: Decimal, source: string): RuleDetail[] {
  if (needed.lte(surveyed)) return [];
  const message = `${surveyed} devices were surveyed in all; ${needed} are needed (${source}).`;
  return [{ path: "usageSurvey", rule: "survey-reaches-minimum", message }];
}

function cohortReasons(
  minimum: Method["minimums"]["usageSurvey"],
  cohorts: DeviceCount["cohorts"],
  usageSurvey: readonly UsageCohort[],
): RuleDetail[] {
  const found: RuleDetail[] = [];
  if (cohorts.length === 0) {
    const message = "No device counts in the crediting period.";
    found.push({ path: "devices", rule: "devices-present", message });
  }
  for (const cohort of cohorts) {
    const surveyed = usageSurvey.find(({ age }) => age === cohort.age)?.surveyed ?? 0;
    const needed = neededOfCohort(cohort, minimum);
    if (surveyed < needed) {
      const message = `${surveyed} devices in their year ${cohort.age} were surveyed; ${needed} are needed (${minimum.source}).`;
      found.push({ path: "usageSurvey", rule: "cohort-reaches-minimum", message });
    }
    if (surveyed > cohort.devices) {
      const message = `${surveyed} devices in their year ${cohort.age} were surveyed, but there are ${cohort.devices}.`;
      found.push({ path: "usageSurvey", rule: "cohort-has-devices", message });
    }
  }
  const all = cohorts.reduce((sum, cohort) => sum + drawableOf(cohort), 0);
  const total = usageSurvey.reduce((sum, { surveyed }) => sum + surveyed, 0);
  return [...found, ...totalReasons(total, decimal(Math.min(all, minimum.total)), minimum.source)];
}

function reductionReasons(reduction: Decimal | null): RuleDetail[] {
  if (reduction === null) {
    const message = "No reduction can be calculated: a group or stratum has too few households, or no fuel was burnt.";
    return [{ path: "groups", rule: "reduction-known", message }];
  }
  if (reduction.gt(zero)) return [];
  const message = `The reduction is ${reduction.toSignificantDigits(12)} tCO2e, which is not above 0.`;
  return [{ path: "groups", rule: "reduction-positive", message }];
}
