import { type DriedFuel, isDriedFuel } from "../../../../wire/src/kpt-visits.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../../../platform/errors.ts";
import {
  adjustmentLine,
  type CampaignInput,
  type CampaignOutcome,
  type Decimal,
  type DeviceCount,
  decimal,
  evaluateCampaign,
  type Flag,
  type FuelId,
  type FuelUse,
  fuelIds,
  fuels,
  type LeftOut,
  type Line,
  line,
  type Method,
  methods,
  type Reading,
  type RenewabilityArea,
  resolveFnrb,
  testMethods,
  type ValueUnit,
} from "../../emissions/index.ts";
import { type Group, groups } from "../groups.ts";
import { openUsagePositions, type SurveyedCohort, usageCohortsOf } from "../usage/survey.ts";
import { type CommittedParameter, committedMinimums } from "./inputs/committed-parameters.ts";
import { defaultMethods, type EmissionsTerms, type MethodId, valueUnitOf } from "./inputs/emissions-terms.ts";
import { dailyFuels, type MeasuredHousehold, unitNames } from "./inputs/households.ts";
import { type Assumption, type KnownFacts, type Parameters, parametersOf } from "./inputs/parameters.ts";
import { type CountedSizes, type CreditedSize, creditedSize } from "./inputs/value-unit.ts";
import { registryProblems } from "./registry-rules.ts";
import { type Replacements, replacementProblems } from "./replacement-rules.ts";

/** A reduction in tCO2e a year, exact, with every step of its calculation. */
export type Reduction = { be: Decimal; ae: Decimal; le: Decimal; er: Decimal; lines: Line[] };

/** The reduction by a method, or each rule that prevents one. */
export type MethodOutcome = { method: MethodId; version: string; title: string; assumptions: Assumption[] } & (
  | { reduction: Reduction; broken: [] }
  | { reduction: null; broken: RuleDetail[] }
);

/** What a certificate of a result may rest on, or everything that prevents one. */
export type Certifiability = {
  /** tCO2e a year; null where something prevents a certificate. */
  er: Decimal | null;
  /** `sensitivity` where more than 5 % of a group is unmeasured and that gives less. */
  basis: "measured" | "sensitivity";
  problems: RuleDetail[];
};

export type Evaluation = {
  measured: MethodOutcome;
  /** The same with every drawn household that was not measured counted against the project. */
  sensitive: MethodOutcome;
  certifiability: Certifiability;
  flags: Flag[];
};

export type CampaignToEvaluate = Pick<CampaignInput, "test" | "convention" | "precision" | "design" | "groups"> & {
  /** Strata with their households of the intervention frame; absent where the sample has none. */
  strata?: CampaignInput["strata"];
  /** The same positions with the values of households, where those of `groups` are of a person or standard adult. */
  perHousehold?: CampaignInput["groups"] | undefined;
  /** How large households are, where the value is that of a person or standard adult; absent where that is not known. */
  sizes?: CountedSizes | undefined;
  /** Measured households whose people are not known, where the value is that of a person or standard adult. */
  withoutPeople?: Record<Group, number> | undefined;
  frameSizes: Record<Group, number>;
  /** Households that a small frame leaves out; absent from results of earlier versions. */
  leftOut?: LeftOut | undefined;
  /** Whether two parties drew, so that neither alone could have chosen the sample. */
  twoParties: boolean;
  terms: EmissionsTerms;
  parameters?: readonly CommittedParameter[] | undefined;
  /** Registered devices of the intervention frame's households; absent: none is registered, and the terms state a number. */
  devices?: DeviceCount | undefined;
  /** Whether a certificate needs units and usage of registered devices; absent from results of earlier versions. */
  requiresRegistry?: boolean | undefined;
  /** How the drawn devices of the usage survey ended; absent where there is no such survey. */
  usageSurvey?: readonly SurveyedCohort[] | undefined;
  /** Positions that have not ended, by group. */
  open: Record<Group, readonly number[]>;
  /** Positions that ended as missing, by group. */
  missing: Record<Group, readonly number[]>;
  /** Households that were to be measured in each group. */
  sampleSize: number;
  /** Absent from results that were closed before they recorded replacements. */
  replacements?: Replacements | undefined;
  /** What prevents a certificate because values or groups could be chosen. */
  chosen: readonly RuleDetail[];
  /** Ids of siblings that are neither closed nor abandoned. */
  openSiblings: readonly string[];
};

/** Positions of the sample: the measured households with what they burn a day, and those without a measurement. */
export function positionsOf(
  { fuel = "wood" }: EmissionsTerms,
  measured: readonly MeasuredHousehold[],
  unmeasured: readonly number[],
  stratumAt: (position: number) => string | undefined = () => undefined,
): CampaignInput["groups"][Group] {
  return [
    ...measured.map((household) => ({
      position: household.position,
      stratum: stratumAt(household.position),
      daily: dailyFuels(household, fuel) ?? undefined,
      days: household.logs,
    })),
    ...unmeasured.map((position) => ({ position, stratum: stratumAt(position) })),
  ];
}

/** Evaluate a campaign by its committed method and by those that are always shown. */
export function evaluationsOf(campaign: CampaignToEvaluate, facts: KnownFacts): Evaluation[] {
  const { method: committed } = campaign.terms;
  return evaluatedMethods(committed).map((id) => evaluate(id, campaign, facts));
}

/** The methods of a result: those that are always shown, and the committed one. */
export function evaluatedMethods(committed: MethodId | undefined): MethodId[] {
  const ids = committed === undefined || defaultMethods.includes(committed) ? [] : [committed];
  return [...defaultMethods, ...ids];
}

function evaluate(id: MethodId, campaign: CampaignToEvaluate, facts: KnownFacts): Evaluation {
  const method = testMethods().find((each) => each.id === id);
  if (method === undefined) throw new Error(`No method ${id} evaluates a campaign.`);
  const parameters = parametersOf(id, campaign.terms, facts);
  const { version, title } = method;
  const named = { method: id, version, title, assumptions: parameters.assumptions };
  try {
    const factors = factorsOf(method, campaign, parameters);
    refuseBrokenRules(dryNcvProblems(campaign, factors), "The dry mass of a fuel has no calorific value.");
    refuseBrokenRules(peopleProblems(campaign), "The people of some households are not known.");
    const size = campaign.sizes && creditedSize(campaign.sizes, parameters.householdSize);
    const outcome = evaluateCampaign(inputOf(method, campaign, { parameters, factors, size }));
    const limit = limitOf(method, campaign, { parameters, factors });
    const sources = {
      householdSize: size === undefined ? parameters.householdSizeSource : creditedSource,
      per: valueUnitOf(campaign.terms),
      size,
      factors,
      metered: method.metered,
      isDry: (fuel: FuelId) => countsDry(campaign.terms, fuel),
    };
    const linesOf = (limiting: Reading | null | undefined) => (reading: Reading) => [
      ...parameters.lines,
      ...readingLines(reading, outcome, sources),
      ...limitLines(limiting),
    ];
    const measured = { ...named, ...readingOutcome(outcome, outcome.asMeasured, linesOf(limit?.asMeasured)) };
    const sensitive = { ...named, ...readingOutcome(outcome, outcome.withMissing, linesOf(limit?.withMissing)) };
    return {
      measured,
      sensitive,
      certifiability: certifiabilityOf(measured, limited(outcome, limit), campaign),
      flags: outcome.flags,
    };
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== "RULE_VIOLATION") throw error;
    const broken = [...groupProblems(campaign), ...error.details];
    const outcome = { ...named, reduction: null, broken };
    return {
      measured: outcome,
      sensitive: outcome,
      certifiability: certifiabilityOf(outcome, null, campaign),
      flags: [],
    };
  }
}

function inputOf(
  method: Method,
  campaign: CampaignToEvaluate,
  { parameters, factors, size }: { parameters: Parameters; factors: Factors; size: CreditedSize | undefined },
): CampaignInput {
  const { test, convention, precision, design, strata, groups: sampled, frameSizes, leftOut } = campaign;
  const { terms, devices, usageSurvey } = campaign;
  const { units, newUnits, usage, householdSize, baseline, vintage } = parameters;
  const per = valueUnitOf(terms);
  return {
    method: method.id,
    convention,
    precision,
    design,
    test,
    strata,
    groups: sampled,
    householdSize: size?.people ?? householdSize,
    ...(per === "household" || size === undefined ? {} : { value: { per, perHousehold: size.units } }),
    devices: devices ?? { devices: units, newDevices: newUnits },
    creditingPeriod: { from: `${vintage}-01-01`, to: `${vintage}-12-31` },
    usageSurvey:
      (usageSurvey === undefined ? terms.usageSurveys : usageCohortsOf(usageSurvey)) ??
      ("surveyed" in usage ? usage : { share: usage }),
    factors: factorsByFuel(factors, terms),
    parameters: symbolsOf(method.id, parameters, terms),
    gwp: terms.gwp,
    meteredFuel: parameters.meteredFuel,
    baseline,
    minimums: committedMinimums(campaign.parameters ?? [], method.id),
    frameSizes,
    leftOut,
  };
}

/**
 * Evaluate the same data per household, where the terms count a person or standard adult. A certificate rests on the smaller of both,
 * so that households of another size or composition in one group raise none.
 */
function limitOf(
  method: Method,
  { perHousehold, ...campaign }: CampaignToEvaluate,
  given: { parameters: Parameters; factors: Factors },
): CampaignOutcome | null {
  if (perHousehold === undefined) return null;
  const ofHousehold = { ...campaign, groups: perHousehold, terms: { ...campaign.terms, valuePer: undefined } };
  return evaluateCampaign(inputOf(method, ofHousehold, { ...given, size: undefined }));
}

/** What can be certified of an outcome: at most what can be of `limit`, and nothing where that has a reason against it. */
function limited(outcome: CampaignOutcome, limit: CampaignOutcome | null): CampaignOutcome {
  if (limit === null) return outcome;
  const known = new Set(outcome.reasons.map(({ path, rule }) => `${path} ${rule}`));
  const reasons = [...outcome.reasons, ...limit.reasons.filter(({ path, rule }) => !known.has(`${path} ${rule}`))];
  const [one, other] = [outcome.certifiable, limit.certifiable];
  if (one === null || other === null) return { ...outcome, certifiable: null, reasons };
  return other.lt(one) ? { ...outcome, certifiable: other, basis: limit.basis, reasons } : { ...outcome, reasons };
}

function limitLines(limiting: Reading | null | undefined): Line[] {
  if (limiting == null) return [];
  const source = "the same data per household; a certificate counts at most this";
  return [adjustmentLine(line("Reduction per household", limiting.result.reductions, "tCO2e/year", source))];
}

/** A method's parameters by symbol. */
function symbolsOf(
  id: string,
  { life, daf, he, leakage }: Parameters,
  { creditingYear, leakage: assessed, methodParameters = {} }: EmissionsTerms,
): Record<string, Decimal> {
  const symbols: Record<string, Decimal> = {};
  for (const [symbol, text] of Object.entries(methodParameters)) symbols[symbol] = decimal(text);
  if (id === "smec-4") {
    Object.assign(symbols, { DAF: daf, life, HE: he });
    if (creditingYear !== undefined) symbols.year = decimal(creditingYear);
  }
  if (id === "mecd-specific-energy") symbols.DAF = daf;
  // tpddtec-4 has a default leakage.
  if (id === "tpddtec" || (id === "tpddtec-4" && assessed !== undefined)) symbols.LE = leakage;
  return symbols;
}

/** Factors of each fuel by symbol, each with its source. */
type Factors = ReadonlyMap<FuelId, ReadonlyMap<string, { value: Decimal; source: string }>>;

/** Symbols of the factors on record: of a fuel, and of the grid of an area. */
const symbolOfKind = { ncv: "NCV", "ef-co2": "EF_CO2", "ef-nonco2": "EF_nonCO2", "ef-upstream": "UEF" } as const;
const symbolOfGrid = { "ef-grid": "EF_el", "grid-losses": "TDL" } as const;

/** @throws AppError RULE_VIOLATION for an fNRB above what is recorded, or above the default */
function factorsOf(method: Method, campaign: CampaignToEvaluate, { fuel: main, area }: Parameters): Factors {
  const { parameters: committed = [], terms } = campaign;
  const needsFnrb = fuels[main].carrier === "woody" || method.metered !== undefined;
  const fnrb = needsFnrb ? fnrbOf(campaign, area) : undefined;
  return new Map(
    fuelIds.map((fuel) => {
      const { carrier } = fuels[fuel];
      const found = new Map<string, { value: Decimal; source: string }>();
      const take = (symbol: string, kind: string, key: string) => {
        const entry = committed.find((each) => each.kind === kind && each.key === key);
        if (entry !== undefined) found.set(symbol, { value: decimal(entry.value), source: recordedSource(entry) });
      };
      for (const [kind, symbol] of Object.entries(symbolOfKind)) take(symbol, kind, fuel);
      if (countsDry(terms, fuel)) {
        found.delete("NCV");
        const stated = terms.dryNcv?.[fuel];
        if (stated !== undefined)
          found.set("NCV", { value: decimal(stated), source: "dry fuel, given with the campaign" });
        take("NCV", "ncv-dry", fuel);
      }
      if (carrier === "electricity")
        for (const [kind, symbol] of Object.entries(symbolOfGrid)) take(symbol, kind, area);
      if (carrier === "woody" && fnrb !== undefined) found.set("fNRB", fnrb);
      const known = [...method.rows.baseline, ...method.rows.project].filter(
        ({ carriers }) => carriers === undefined || carriers.includes(carrier),
      );
      return [fuel, new Map([...found].filter(([symbol]) => known.some((each) => each.symbol === symbol)))];
    }),
  );
}

/** The fNRB of the area, which applies to every woody fuel. */
function fnrbOf({ terms, parameters: committed }: CampaignToEvaluate, area: RenewabilityArea) {
  const recorded = committed?.find((each) => each.kind === "fnrb" && each.key === area);
  const given = terms.fnrb === undefined ? undefined : decimal(terms.fnrb);
  if (recorded !== undefined && (given === undefined || given.lte(recorded.value))) {
    return { value: given ?? decimal(recorded.value), source: recordedSource(recorded, given) };
  }
  const approval = committed === undefined ? terms.fnrbApproval : undefined;
  return resolveFnrb({ area, fnrb: given, approval }).line;
}

/** Whether the terms count the dry mass of a fuel. */
function countsDry({ fuelMass }: EmissionsTerms, fuel: FuelId): fuel is DriedFuel {
  return fuelMass === "dry" && isDriedFuel(fuel);
}

/** Refuse dry mass of a burnt fuel whose calorific value without water is not known: the default is of fuel as weighed. */
function dryNcvProblems({ terms, groups: sampled }: CampaignToEvaluate, factors: Factors): RuleDetail[] {
  const burnt = new Set(groups.flatMap((group) => sampled[group].flatMap(({ daily }) => Object.keys(daily ?? {}))));
  return fuelIds.flatMap((fuel): RuleDetail[] => {
    if (!burnt.has(fuel) || !countsDry(terms, fuel) || factors.get(fuel)?.has("NCV")) return [];
    const message = `The terms have no calorific value of dry ${fuel}, and the default is of fuel as weighed.`;
    return [{ path: `factors.${fuel}.NCV`, rule: "ncv-fits-mass", message }];
  });
}

/** Refuse a value of a person for households without registered members, or of which visits fed nobody. */
function peopleProblems({ terms, sizes, withoutPeople }: CampaignToEvaluate): RuleDetail[] {
  const unknown = groups.flatMap((group): RuleDetail[] => {
    const count = withoutPeople?.[group] ?? 0;
    if (count === 0) return [];
    const message = `${count} measured households of the ${group} group have no people: no members are registered, or visits fed none of them.`;
    return [{ path: `groups.${group}`, rule: "people-known", message }];
  });
  if (unknown.length > 0 || sizes !== undefined || valueUnitOf(terms) === "household") return unknown;
  const message = "The mean size of a household is not known: a group or a stratum has too few measured households.";
  return [{ path: "emissions.valuePer", rule: "people-known", message }];
}

function factorsByFuel(factors: Factors, terms: EmissionsTerms): CampaignInput["factors"] {
  return Object.fromEntries(
    [...factors].map(([fuel, bySymbol]) => {
      const values = Object.fromEntries([...bySymbol].map(([symbol, { value }]) => [symbol, value]));
      return [fuel, countsDry(terms, fuel) ? { values, isDry: true } : { values }];
    }),
  );
}

function recordedSource({ id, value, source }: CommittedParameter, given?: Decimal): string {
  const recorded = `parameter ${id} of the regulator: ${source}`;
  return given === undefined || given.eq(value) ? recorded : `given, below ${value} (${recorded})`;
}

function readingOutcome(
  outcome: CampaignOutcome,
  reading: Reading | null,
  linesOf: (reading: Reading) => Line[],
): { reduction: Reduction; broken: [] } | { reduction: null; broken: RuleDetail[] } {
  if (reading === null) {
    const small = groups.flatMap((group) => smallGroup(group, outcome.groups[group].measured));
    const unknown = outcome.reasons.filter(({ rule }) => rule === "reduction-known");
    return { reduction: null, broken: small.length > 0 ? small : unknown };
  }
  const { baseline, project, leakage, reductions } = reading.result;
  return {
    reduction: { be: baseline, ae: project, le: leakage, er: reductions, lines: linesOf(reading) },
    broken: [],
  };
}

function groupProblems({ groups: sampled }: CampaignToEvaluate): RuleDetail[] {
  return groups.flatMap((group) => smallGroup(group, sampled[group].filter(({ daily }) => daily !== undefined).length));
}

function smallGroup(path: Group, measured: number): RuleDetail[] {
  if (measured >= 2) return [];
  const message =
    measured === 0
      ? `The ${path} group has no measurement.`
      : `The ${path} group has one measurement; a bound needs two.`;
  return [{ path, rule: "group-measured", message }];
}

const creditedSource =
  "least of the people that both groups counted, their registered members and the size that the terms give; see docs/campaign-results.md, unit of a value";

/** Where figures come from that a kitchen performance test does not measure. */
type Sources = {
  householdSize: string;
  per: ValueUnit;
  /** People and units of a household, where the value is that of a person or standard adult. */
  size: CreditedSize | undefined;
  factors: Factors;
  metered: Method["metered"];
  /** Whether the amounts of a fuel are dry mass. */
  isDry: (fuel: FuelId) => boolean;
};

/** The lines of a reading: each group's fuel, the method's figures, and each formula with its result. */
function readingLines(
  { fuels: used, result }: Reading,
  { usage, groups: counted }: CampaignOutcome,
  sources: Sources,
): Line[] {
  const sides = { baseline: "Baseline", project: "Activity" } as const;
  const isSingle = used.length === 1;
  const titleOf = (of: string | null) => {
    if (of === null) return "";
    const [side, fuel] = of.split(" ") as [keyof typeof sides, FuelId?];
    return isSingle || fuel === undefined ? `${sides[side]}: ` : `${sides[side]}, ${fuel}: `;
  };
  const sourceOf = (symbol: string, of: string | null, source: string) => {
    if (symbol === "HN") return sources.householdSize;
    const measured = meteredSource(sources, symbol);
    if (measured !== undefined) return measured;
    const fuel = of?.split(" ")[1] as FuelId | undefined;
    return (fuel === undefined ? undefined : sources.factors.get(fuel)?.get(symbol)?.source) ?? source;
  };
  const seen = new Map<string, Set<string>>();
  for (const { symbol, value } of result.values) {
    seen.set(symbol, (seen.get(symbol) ?? new Set()).add(value.toString()));
  }
  const adjustments: readonly string[] = methods.get(result.method)?.adjustments ?? [];
  const marked = (symbol: string, of: Line) => (adjustments.includes(symbol) ? adjustmentLine(of) : of);
  const shown = new Set<string>();
  const values = result.values.flatMap(({ symbol, of, value, unit, source }) => {
    const name = (seen.get(symbol)?.size ?? 0) > 1 ? `${titleOf(of)}${symbol}` : symbol;
    if (shown.has(name)) return [];
    shown.add(name);
    const title = symbol === "HN" ? "Household size" : name;
    return [marked(symbol, line(title, value, unit, sourceOf(symbol, of, source)))];
  });
  const steps = result.steps.map(({ symbol, name, of, formula, result: value, unit, source }) =>
    marked(symbol, line(`${titleOf(of)}${name}, ${symbol}`, value, unit, `${source}: ${formula}`)),
  );
  const bounds = usage.bounds.map(({ age, bound }) =>
    line(`Usage of devices in their year ${age}`, bound, "1", "exact lower bound of the survey"),
  );
  return [
    ...used.flatMap((use) => fuelLines(use, counted, { isSingle, isDry: sources.isDry(use.fuel), per: sources.per })),
    ...sizeLines(sources),
    ...bounds,
    ...values,
    ...steps,
  ];
}

/** Where a figure comes from that meters or the reference group show. */
function meteredSource({ metered, householdSize }: Sources, symbol: string): string | undefined {
  switch (symbol) {
    case metered?.amount:
      return "meters of the measured intervention households";
    case metered?.share:
      return "KPT of the campaign: energy of the reference group";
    case metered?.users:
      return `measured household-days ÷ 365 × household size (${householdSize})`;
    case metered?.coverage:
      return "measured of the drawn intervention households";
    default:
      return undefined;
  }
}

function fuelLines(
  { fuel, reference, intervention, saving, baseline, project, taken }: FuelUse,
  counted: CampaignOutcome["groups"],
  { isSingle, isDry, per }: { isSingle: boolean; isDry: boolean; per: ValueUnit },
): Line[] {
  const daily = `${fuels[fuel].unit === "MWh" ? "kWh" : "kg"}/${unitNames[per]}/day`;
  const of = isSingle ? "" : `, ${fuel}`;
  const kpt = isDry ? "KPT of the campaign, dry mass" : "KPT of the campaign";
  const sides = [
    ["Baseline", reference, baseline, counted.reference],
    ["Activity", intervention, project, counted.intervention],
  ] as const;
  return [
    ...sides.flatMap(([name, { n, mean, precision }, value, { measured }]) => [
      line(
        `${name}${of}: mean of ${n} households`,
        mean,
        daily,
        n === measured ? kpt : `${kpt}; ${n - measured} not measured`,
      ),
      ...(precision === null ? [] : [line(`${name}${of}: precision`, precision, "1", kpt)]),
      adjustmentLine(line(`${name}${of}: adjustment for precision`, value.minus(mean), daily, taken)),
    ]),
    line(`Saving${of}: mean`, saving.mean, daily, kpt),
    line(`Saving${of}: half-width`, saving.halfWidth, daily, kpt),
  ];
}

/** How many people or standard adults a household counts as, by which the values are multiplied. */
function sizeLines({ per, size, householdSize }: Sources): Line[] {
  if (size === undefined || per === "household") return [];
  return [adjustmentLine(line(unitsOfHousehold[per], size.units, unitNames[per], householdSize))];
}

/** Name of the line with the people or standard adults of a household. */
export const unitsOfHousehold = {
  person: "People that a household counts as",
  "standard-adult": "Standard adults that a household counts as",
} as const;

/** Whether a certificate can rest on a method's reduction, and on how much of it. */
function certifiabilityOf(
  measured: MethodOutcome,
  outcome: CampaignOutcome | null,
  campaign: CampaignToEvaluate,
): Certifiability {
  const prevents = outcome?.reasons.filter(({ rule }) => rule !== "reduction-known") ?? [];
  const problems = [
    ...termProblems(measured, campaign),
    ...openProblems(campaign),
    ...openUsageProblems(campaign),
    ...replacementProblems(campaign),
    ...campaign.chosen,
    ...prevents,
    ...siblingProblems(campaign),
    ...drawProblems(campaign),
    ...measured.broken.map(({ path, rule, message }) => ({
      path: path === undefined ? "emissions" : `emissions.${path}`,
      rule,
      message,
    })),
    ...statedNcvProblems(campaign),
    ...(campaign.requiresRegistry ? registryProblems(campaign, measured.method) : []),
  ];
  return {
    er: problems.length > 0 ? null : (outcome?.certifiable ?? null),
    basis: outcome?.basis ?? "measured",
    problems,
  };
}

function termProblems({ method, assumptions }: MethodOutcome, { terms }: CampaignToEvaluate): RuleDetail[] {
  const rule = "terms-committed";
  const found = assumptions.map(({ parameter, message }) => ({
    path: `emissions.${parameter}`,
    rule,
    message: `The campaign did not commit ${parameter} before its draw: ${message}`,
  }));
  if (terms.method === method) return found;
  const message =
    terms.method === undefined
      ? "The campaign did not commit a method before its draw."
      : `The campaign committed the method ${terms.method} before its draw.`;
  return [{ path: "emissions.method", rule, message }, ...found];
}

/** A calorific value that only the terms state proves nothing: the regulator records those that certificates rest on. */
function statedNcvProblems({ terms, parameters = [] }: CampaignToEvaluate): RuleDetail[] {
  return Object.keys(terms.dryNcv ?? {}).flatMap((fuel): RuleDetail[] => {
    if (parameters.some(({ kind, key }) => kind === "ncv-dry" && key === fuel)) return [];
    const message = `The calorific value of dry ${fuel} is stated, and the regulator has not recorded it.`;
    return [{ path: `emissions.dryNcv.${fuel}`, rule: "figure-recorded", message }];
  });
}

function openProblems({ open }: CampaignToEvaluate): RuleDetail[] {
  return groups.flatMap((group) => {
    const { length } = open[group];
    if (length === 0) return [];
    const message = `${length} drawn households of the ${group} group are neither measured nor replaced nor marked as missing.`;
    return [{ path: `groups.${group}`, rule: "sample-complete", message }];
  });
}

function openUsageProblems({ usageSurvey = [] }: CampaignToEvaluate): RuleDetail[] {
  const open = openUsagePositions(usageSurvey);
  if (open === 0) return [];
  const message = `${open} drawn devices of the usage survey are neither surveyed nor marked as missing.`;
  return [{ path: "usageSurvey", rule: "usage-survey-complete", message }];
}

function drawProblems({ twoParties }: CampaignToEvaluate): RuleDetail[] {
  if (twoParties) return [];
  const message = "One party alone could have chosen the draw; two parties must draw.";
  return [{ path: "draw", rule: "draw-by-two-parties", message }];
}

function siblingProblems({ openSiblings }: CampaignToEvaluate): RuleDetail[] {
  return openSiblings.map((campaignId) => {
    const message = `Campaign ${campaignId} over the same households and period is still open.`;
    return { path: "siblings", rule: "siblings-ended", message };
  });
}
