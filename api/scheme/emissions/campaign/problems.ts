import type { RuleDetail } from "../../../platform/errors.ts";
import { dayNumber, testDays } from "../dates.ts";
import { sumOf, zero } from "../decimal.ts";
import { minimumServiceLevels } from "../defaults.ts";
import type { DeviceCount } from "../devices.ts";
import { type FuelId, isFuelId } from "../fuels.ts";
import { parameterProblems, parametersOf } from "../methods/define-method.ts";
import type { MeteredSymbols, Method, Side } from "../methods/definition.ts";
import { methods, readsMeters } from "../methods/registry.ts";
import { surveyProblems } from "../usage-survey.ts";
import { fuelsOf } from "./households.ts";
import { type CampaignInput, measuredDecimals, type StatedDevices, testGroups } from "./input.ts";

/** Methods that evaluate a campaign: by a kitchen performance test, or by meters. */
export function testMethods(): Method[] {
  return [...methods.values()].filter(({ test, metered }) => test !== null || metered !== undefined);
}

/** Every rule that a campaign breaks before anything is calculated. */
export function campaignProblems(input: CampaignInput): RuleDetail[] {
  return [
    ...methodProblems(input),
    ...testProblems(input),
    ...valueProblems(input),
    ...meteredPeriodProblems(input),
    ...strataProblems(input),
    ...testGroups.flatMap((group) => positionProblems(input, group)),
    ...pairProblems(input),
    ...usageProblems(input),
    ...statedProblems(input),
    ...baselineProblems(input),
    ...factorProblems(input),
  ];
}

function methodProblems({ method, parameters }: CampaignInput): RuleDetail[] {
  const found = testMethods().find(({ id }) => id === method);
  if (found === undefined) {
    const known = testMethods().map(({ id }) => id);
    const message = `${method} does not evaluate a kitchen performance test; these do: ${known.join(", ")}.`;
    return [{ path: "method", rule: "method-known", message }];
  }
  const { newDevices, users, coverage } = found.metered ?? {};
  const counted = [found.test?.newDevices, newDevices, users, coverage];
  const given = found.parameters.filter(({ symbol }) => !counted.includes(symbol));
  const details = parameterProblems(given, parameters, "parameters");
  const paths = counted.map((symbol) => `parameters.${symbol}`);
  return details.map((detail) => (paths.includes(detail.path ?? "") ? countedFromDevices(detail.path ?? "") : detail));
}

function countedFromDevices(path: string): RuleDetail {
  return { path, rule: "counted-from-devices", message: "This is counted from the devices and may not be given." };
}

function testProblems({ test, householdSize }: CampaignInput): RuleDetail[] {
  const found: RuleDetail[] = [];
  for (const field of ["startDate", "endDate"] as const) {
    if (dayNumber(test[field]) === null) {
      found.push({ path: `test.${field}`, rule: "date", message: `${test[field]} is not a date.` });
    }
  }
  if (found.length === 0 && testDays(test, test.dayCount) < 1) {
    found.push({ path: "test.endDate", rule: "dates-in-order", message: "A test lasts at least one day." });
  }
  if (!householdSize.gt(zero)) {
    found.push({ path: "householdSize", rule: "range", message: "The household size is more than 0 people." });
  }
  return found;
}

/** Meters and minimum service levels are of a household, so its value is not that of a person. */
function valueProblems({ method, baseline, value }: CampaignInput): RuleDetail[] {
  if (value === undefined) return [];
  const found: RuleDetail[] = [];
  if (!value.perHousehold.gt(zero)) {
    const message = "A household counts as more than 0 people.";
    found.push({ path: "value.perHousehold", rule: "range", message });
  }
  if (readsMeters(method) || baseline === "minimum-service") {
    const message = "Meters and minimum service levels are of a household; a value of a person does not fit them.";
    found.push({ path: "value", rule: "value-of-household", message });
  }
  return found;
}

/** Metered energy is not extrapolated, so it counts in the period in which it was metered. */
function meteredPeriodProblems({ method, test, creditingPeriod: { from, to } }: CampaignInput): RuleDetail[] {
  if (!readsMeters(method)) return [];
  if (test.startDate >= from && test.endDate <= to) return [];
  const message = `The meters counted from ${test.startDate} to ${test.endDate}, which is not within ${from} to ${to}.`;
  return [{ path: "test", rule: "metered-in-period", message }];
}

function strataProblems({ strata, method }: CampaignInput): RuleDetail[] {
  if (strata === undefined) return [];
  const found: RuleDetail[] = [];
  if (new Set(strata.map(({ name }) => name)).size < strata.length) {
    found.push({ path: "strata", rule: "strata-once", message: "Each stratum is named once." });
  }
  const shares = strata.flatMap((stratum) => ("share" in stratum ? [stratum.share] : []));
  if (shares.length > 0 && shares.length < strata.length) {
    const message = "Give the share of each stratum or the households of each, not a mixture.";
    found.push({ path: "strata", rule: "strata-alike", message });
  }
  const total = sumOf(shares);
  if (shares.length === strata.length && (!total.eq(1) || shares.some((share) => !share.gt(zero)))) {
    const message = `The shares of the strata are above 0 and make 1, not ${total}.`;
    found.push({ path: "strata", rule: "shares-make-one", message });
  }
  if (readsMeters(method)) {
    const message = "Metered energy is not estimated from a sample, so it has no strata.";
    found.push({ path: "strata", rule: "strata-estimated", message });
  }
  return found;
}

function positionProblems({ groups, strata }: CampaignInput, group: "reference" | "intervention"): RuleDetail[] {
  const found: RuleDetail[] = [];
  const positions = new Set<number>();
  for (const [index, { position, stratum, burnt }] of groups[group].entries()) {
    const path = `groups.${group}.${index}`;
    if (positions.has(position)) {
      const message = `Position ${position} is listed twice.`;
      found.push({ path: `${path}.position`, rule: "position-once", message });
    }
    positions.add(position);
    if ((stratum === undefined) !== (strata === undefined)) {
      const message = "Every position names its stratum where the campaign has strata, and none where it has not.";
      found.push({ path: `${path}.stratum`, rule: "stratum-named", message });
    } else if (stratum !== undefined && !strata?.some(({ name }) => name === stratum)) {
      found.push({ path: `${path}.stratum`, rule: "stratum-known", message: `${stratum} is not a stratum here.` });
    }
    for (const [fuel, amount] of Object.entries(burnt ?? {})) {
      if (!isFuelId(fuel)) {
        found.push({ path: `${path}.burnt.${fuel}`, rule: "fuel-known", message: `${fuel} is not a fuel here.` });
      } else if (amount.lt(zero) || amount.decimalPlaces() > measuredDecimals) {
        const message = `An amount is 0 or more, with at most ${measuredDecimals} decimals.`;
        found.push({ path: `${path}.burnt.${fuel}`, rule: "range", message });
      }
    }
  }
  return found;
}

function pairProblems({ design, groups }: CampaignInput): RuleDetail[] {
  if (design !== "paired") return [];
  const found: RuleDetail[] = [];
  const before = new Map(groups.reference.map((each) => [each.position, each.stratum]));
  for (const [index, { position, stratum }] of groups.intervention.entries()) {
    const path = `groups.intervention.${index}`;
    if (!before.has(position)) {
      found.push({ path, rule: "pair-complete", message: `Position ${position} has no reference position.` });
    } else if (before.get(position) !== stratum) {
      found.push({
        path: `${path}.stratum`,
        rule: "pair-complete",
        message: "Both positions of a pair have one stratum.",
      });
    }
    before.delete(position);
  }
  for (const position of before.keys()) {
    const message = `Position ${position} has no intervention position.`;
    found.push({ path: "groups.intervention", rule: "pair-complete", message });
  }
  return found;
}

function usageProblems({ usageSurvey }: CampaignInput): RuleDetail[] {
  if ("share" in usageSurvey) {
    const { share } = usageSurvey;
    if (share.gte(zero) && share.lte(1)) return [];
    return [{ path: "usageSurvey.share", rule: "range", message: "From none to all of the devices are in use." }];
  }
  if ("surveyed" in usageSurvey) return surveyProblems(usageSurvey, "usageSurvey");
  const found = usageSurvey.flatMap((cohort, index) => surveyProblems(cohort, `usageSurvey.${index}`));
  if (new Set(usageSurvey.map(({ age }) => age)).size < usageSurvey.length) {
    found.push({ path: "usageSurvey", rule: "age-once", message: "Each age is surveyed once." });
  }
  return found;
}

export function countsDevices(devices: CampaignInput["devices"]): devices is DeviceCount {
  return "cohorts" in devices;
}

export function statesDevices(devices: CampaignInput["devices"]): devices is StatedDevices {
  return "newDevices" in devices && !countsDevices(devices);
}

function statedProblems({ devices, usageSurvey }: CampaignInput): RuleDetail[] {
  if (!statesDevices(devices)) return [];
  const found: RuleDetail[] = [];
  for (const field of ["devices", "newDevices"] as const) {
    if (devices[field].gte(zero)) continue;
    found.push({ path: `devices.${field}`, rule: "range", message: "A number of devices is 0 or more." });
  }
  if (Array.isArray(usageSurvey)) {
    const message = "A survey by age needs registered devices, whose ages are known.";
    found.push({ path: "usageSurvey", rule: "devices-registered", message });
  }
  return found;
}

export function isMinimumService({ baseline }: CampaignInput): boolean {
  return baseline === "minimum-service";
}

function baselineProblems(input: CampaignInput): RuleDetail[] {
  if (!isMinimumService(input)) return [];
  return fuelsOf(input).flatMap((fuel) => {
    if (Object.hasOwn(minimumServiceLevels, fuel)) return [];
    const message = `Option B has a minimum service level of ${Object.keys(minimumServiceLevels).join(" and ")}, not of ${fuel}.`;
    return [{ path: "baseline", rule: "minimum-service-known", message }];
  });
}

function factorProblems(input: CampaignInput): RuleDetail[] {
  const { factors, method } = input;
  const found: RuleDetail[] = [];
  for (const [fuel, given] of Object.entries(factors)) {
    const path = `factors.${fuel}`;
    if (!isFuelId(fuel)) found.push({ path, rule: "fuel-known", message: `${fuel} is not a fuel here.` });
    if (given?.wet === undefined) continue;
    if (given.values.NCV !== undefined) {
      const message = "Give NCV, or the dry NCV with its moisture, not both.";
      found.push({ path: `${path}.NCV`, rule: "one-ncv", message });
    }
    if (!(given.wet.moisture.gte(zero) && given.wet.moisture.lt(1))) {
      found.push({ path: `${path}.moisture`, rule: "range", message: "A moisture lies from 0 to below 1." });
    }
  }
  const known = testMethods().find(({ id }) => id === method);
  return known === undefined
    ? found
    : [
        ...found,
        ...(known.metered === undefined ? testedFuels(input, known) : meteredFuels(input, known, known.metered)),
      ];
}

function testedFuels(input: CampaignInput, method: Method): RuleDetail[] {
  const { test } = method;
  const measured = [test?.fuel.symbol, test?.devices.symbol, test?.usage, test?.householdSize];
  return fuelsOf(input).flatMap((fuel) => fuelProblems(input, method, { side: "project", fuel, measured }));
}

/** The fuels of the reference group, and the one that meters count; what else the project burns is not credited. */
function meteredFuels(input: CampaignInput, method: Method, { amount, share }: MeteredSymbols): RuleDetail[] {
  const { meteredFuel } = input;
  const measured = [amount, share];
  const found = fuelsOf({ ...input, groups: { ...input.groups, intervention: [] } }).flatMap((fuel) =>
    fuelProblems(input, method, { side: "baseline", fuel, measured }),
  );
  if (meteredFuel === undefined) {
    const message = `${method.id} needs the fuel that the meters count: meteredFuel.`;
    return [...found, { path: "meteredFuel", rule: "metered-fuel-named", message }];
  }
  return [...found, ...fuelProblems(input, method, { side: "project", fuel: meteredFuel, measured })];
}

/** The factors of a burnt fuel, without what is measured or counted. */
function fuelProblems(
  { factors }: CampaignInput,
  { rows }: Method,
  { side, fuel, measured }: { side: Side; fuel: FuelId; measured: readonly (string | null | undefined)[] },
): RuleDetail[] {
  const given = parametersOf(rows[side], { fuel }).filter(({ symbol }) => !measured.includes(symbol));
  return parameterProblems(given, factors[fuel]?.values ?? {}, `factors.${fuel}`, { fuel });
}
