import { type DriedFuel, driedFuels, isDriedFuel } from "../../../../../wire/src/kpt-visits.ts";
import type { RuleDetail } from "../../../../platform/errors.ts";
import {
  decimal,
  decimalText,
  defaultFigures,
  fuelIds,
  type Method,
  methods,
  minimumNames,
  type RecordedMinimum,
  readsMeters,
  withRecordedMinimums,
} from "../../../emissions/index.ts";
import { idOf, isValidIn, type ParameterEntry, type Parameters } from "../../../parameters/index.ts";
import { vintageOf } from "../../terms/vintage-rules.ts";
import { type EmissionsTerms, freeParameters } from "./emissions-terms.ts";

/** A parameter of the regulator's list that a campaign refers to; plain JSON, `value` is decimal text. */
export type CommittedParameter = { id: string; kind: string; key: string; value: string; source: string };

/** A parameter with the days on which it is valid. */
type Validity = Pick<ParameterEntry, "validFrom" | "validTo">;

type List = Pick<Parameters, "all" | "byId">;
type Period = { startDate: string; endDate: string };
/** When a campaign measures, and for which days its reduction is credited. */
type Periods = { test: Period; credited: Period; isVintageStated: boolean };

/** The days for which a reduction is credited: the calendar year of the vintage, or of metered energy the test itself. */
export function creditedPeriod(terms: EmissionsTerms, test: Period, vintage = vintageOf(terms, test.endDate)): Period {
  if (readsMeters(terms.method)) return test;
  return { startDate: `${vintage}-01-01`, endDate: `${vintage}-12-31` };
}

function periodsOf(terms: EmissionsTerms, test: Period): Periods {
  return { test, credited: creditedPeriod(terms, test), isVintageStated: terms.vintage !== undefined };
}

/**
 * Whether a figure is one of a campaign: valid on every credited day, or in the whole test and on some credited day. One of the second kind
 * is not certified, and refused where the vintage is stated: an older figure must not take its place.
 */
function applies(entry: Validity, { test, credited }: Periods): boolean {
  const { validFrom, validTo } = entry;
  const isCreditedOnce = validFrom <= credited.endDate && (validTo === null || credited.startDate <= validTo);
  return isValidIn(entry, credited) || (isValidIn(entry, test) && isCreditedOnce);
}
/** Kind of a figure that a method has no default for. */
export const methodKind = "method-parameter";
/** Kind of what the regulator asks of a method's tests. */
const minimumKind = "method-minimum";
/** Kinds that a test must fit, whatever year its reduction is credited in. */
const isOfTest = (kind: string) => kind === "method" || kind === minimumKind;
type Found = { path: string; id: string; entry: ParameterEntry | undefined };

/** What a parameter of each kind must be of. */
const termOfKind: Partial<Record<string, "area" | "fuel" | "method">> = {
  fnrb: "area",
  ncv: "fuel",
  "ncv-dry": "fuel",
  "ef-co2": "fuel",
  "ef-nonco2": "fuel",
  "ef-upstream": "fuel",
  "ef-grid": "area",
  "grid-losses": "area",
  method: "method",
};

/** List each rule that the references of new terms break. */
export async function referenceProblems(
  list: Pick<List, "all">,
  terms: EmissionsTerms,
  test: Period,
): Promise<RuleDetail[]> {
  const entries = await list.all();
  const period = periodsOf(terms, test);
  const found = referencesOf(terms, entries);
  const figures = new Set<string>();
  const problems = found.flatMap(({ path, id, entry }): RuleDetail[] => {
    if (entry === undefined) {
      const message = `${id} is not a parameter that the regulator recorded (GET /v1/parameters).`;
      return [{ path, rule: path.endsWith("Approval") ? "fnrb-approval-recorded" : "parameter-recorded", message }];
    }
    const broken = entryProblems(entry, { path, terms, period, entries });
    const figure = `${entry.kind} of ${entry.key}`;
    if (figures.has(figure)) {
      broken.push({ path, rule: "parameter-once", message: `Another parameter of the kind ${figure} is named.` });
    }
    figures.add(figure);
    return broken;
  });
  return [
    ...problems,
    ...approvalProblems(terms, found),
    ...fnrbProblems(terms, entries, period),
    ...methodProblems(terms, entries, period),
    ...dryNcvProblems(terms, entries, period),
    ...methodFigureProblems(terms, entries, period),
  ];
}

function referencesOf({ parameters = [], fnrbApproval }: EmissionsTerms, entries: readonly ParameterEntry[]): Found[] {
  const named = parameters.map((id, index) => ({ path: `emissions.parameters.${index}`, id }));
  const approval = fnrbApproval === undefined ? [] : [{ path: "emissions.fnrbApproval", id: fnrbApproval }];
  return [...named, ...approval].map(({ path, id }) => ({
    path,
    id,
    entry: entries.find((entry) => idOf(entry) === id),
  }));
}

type EntryPlace = { path: string; period: Periods; entries: readonly ParameterEntry[] };

function entryProblems(entry: ParameterEntry, at: EntryPlace & { terms: EmissionsTerms }): RuleDetail[] {
  const { path, terms } = at;
  const id = idOf(entry);
  if (entry.kind === methodKind || entry.kind === minimumKind) {
    if (!isOfMethod(entry.key, terms)) {
      const message = `${id} (${entry.kind} of ${entry.key}) is of another method or area than the terms.`;
      return [{ path, rule: "parameter-fits", message }];
    }
    return validityProblems(entry, at);
  }
  const term = termOfKind[entry.kind];
  if (term === undefined || (terms[term] !== entry.key && !isOfOtherFuel(entry, terms))) {
    const wanted = term === undefined ? "is not used in a calculation" : `needs the term ${term} "${entry.key}"`;
    return [{ path, rule: "parameter-fits", message: `${id} (${entry.kind} of ${entry.key}) ${wanted}.` }];
  }
  if (otherNcv(terms, entry.key) === entry.kind) {
    const [recorded, counted] =
      entry.kind === "ncv" ? ["as weighed", "dry mass"] : ["without water", "mass as weighed"];
    const message = `${id} is the calorific value of ${entry.key} ${recorded}; the terms count ${counted}.`;
    return [{ path, rule: "ncv-fits-mass", message }];
  }
  return validityProblems(entry, at);
}

function validityProblems(entry: ParameterEntry, { path, period, entries }: EntryPlace): RuleDetail[] {
  const id = idOf(entry);
  const { test, credited, isVintageStated } = period;
  const needed = isVintageStated && !isOfTest(entry.kind) ? credited : test;
  if (!isValidIn(entry, needed) && (isOfTest(entry.kind) || !isValidIn(entry, credited))) {
    const message = `${id} is not valid on every day from ${needed.startDate} to ${needed.endDate}.`;
    return [{ path, rule: "parameter-valid", message }];
  }
  const newest = newestValid(entries, entry.kind, entry.key, period);
  if (newest === undefined || newest.number === entry.number) return [];
  return [{ path, rule: "parameter-newest", message: `${id} is superseded by ${idOf(newest)}.` }];
}

function approvalProblems({ fnrb, fnrbApproval }: EmissionsTerms, found: readonly Found[]): RuleDetail[] {
  if (fnrbApproval === undefined) return [];
  const entry = found.find(({ path }) => path === "emissions.fnrbApproval")?.entry;
  if (entry === undefined) return [];
  const path = "emissions.fnrbApproval";
  if (entry.kind !== "fnrb") {
    const message = `${fnrbApproval} approves no fNRB: it is a parameter of the kind ${entry.kind}.`;
    return [{ path, rule: "fnrb-approval-recorded", message }];
  }
  if (fnrb === undefined || entry.value.gte(fnrb)) return [];
  const message = `${fnrbApproval} approves an fNRB of ${decimalText(entry.value)} at most, not ${fnrb}.`;
  return [{ path, rule: "fnrb-within-default", message }];
}

/** Without an approval, the recorded fNRB of the area is the highest that terms may state. */
function fnrbProblems(
  { area, fnrb, fnrbApproval }: EmissionsTerms,
  entries: readonly ParameterEntry[],
  period: Periods,
): RuleDetail[] {
  if (area === undefined || fnrb === undefined || fnrbApproval !== undefined) return [];
  const entry = newestValid(entries, "fnrb", area, period);
  if (entry === undefined || entry.value.gte(fnrb)) return [];
  const message = `${idOf(entry)} records an fNRB of ${decimalText(entry.value)} for ${area}, and ${fnrb} is above it.`;
  return [{ path: "emissions.fnrb", rule: "fnrb-within-default", message }];
}

/** A method whose version the regulator recorded must be in force at that version. */
function methodProblems({ method }: EmissionsTerms, entries: readonly ParameterEntry[], period: Periods): RuleDetail[] {
  if (method === undefined || !entries.some(({ kind, key }) => kind === "method" && key === method)) return [];
  const { test } = period;
  const entry = newestValid(entries, "method", method, period);
  const version = methods.get(method)?.version;
  if (entry !== undefined && version !== undefined && entry.value.eq(version)) return [];
  const message =
    entry === undefined
      ? `The regulator's list has no version of ${method} that is valid from ${test.startDate} to ${test.endDate}.`
      : `The regulator's list has version ${decimalText(entry.value)} of ${method}; this service calculates ${version}.`;
  return [{ path: "emissions.method", rule: "method-in-force", message }];
}

/** Whether a figure is of a fuel that the terms do not name. Visits may weigh any fuel; metered energy replaces several fuels. */
function isOfOtherFuel({ kind }: ParameterEntry, { method }: EmissionsTerms): boolean {
  return termOfKind[kind] === "fuel" && (kind !== "ef-upstream" || readsMeters(method));
}

/** The kind of calorific value that does not fit the mass of a fuel that the terms count. */
function otherNcv({ fuelMass }: EmissionsTerms, fuel: string): string {
  return fuelMass === "dry" && isDriedFuel(fuel) ? "ncv" : "ncv-dry";
}

/** A calorific value of dry fuel is the recorded one where there is one; dry mass of the campaign's fuel needs one. */
function dryNcvProblems(
  { fuelMass, dryNcv = {}, fuel = "wood" }: EmissionsTerms,
  entries: readonly ParameterEntry[],
  period: Periods,
): RuleDetail[] {
  if (fuelMass !== "dry") return [];
  const problems = driedFuels.flatMap((each): RuleDetail[] => {
    const [stated, recorded] = [dryNcv[each], newestValid(entries, "ncv-dry", each, period)];
    if (stated === undefined || recorded === undefined || recorded.value.eq(stated)) return [];
    const message = `${idOf(recorded)} records ${decimalText(recorded.value)} TJ/t for dry ${each}, not ${stated}.`;
    return [{ path: `emissions.dryNcv.${each}`, rule: "figure-as-recorded", message }];
  });
  const isKnown = !isDriedFuel(fuel) || dryNcv[fuel] !== undefined;
  if (isKnown || newestValid(entries, "ncv-dry", fuel, period) !== undefined) return problems;
  const message = `Dry mass needs the calorific value of dry ${fuel}: the regulator's parameter ncv-dry, or emissions.dryNcv.`;
  return [...problems, { path: "emissions.fuelMass", rule: "ncv-fits-mass", message }];
}

/** A figure of the method that the regulator recorded is the one to calculate with. */
function methodFigureProblems(
  terms: EmissionsTerms,
  entries: readonly ParameterEntry[],
  period: Periods,
): RuleDetail[] {
  return Object.entries(terms.methodParameters ?? {}).flatMap(([symbol, figure]) => {
    const entry = recordedOfMethod(terms, symbol, (key) => newestValid(entries, methodKind, key, period));
    if (entry === undefined || entry.value.eq(figure)) return [];
    const message = `${idOf(entry)} records ${symbol} of ${terms.method} as ${decimalText(entry.value)}; the terms state ${figure}.`;
    return [{ path: `emissions.methodParameters.${symbol}`, rule: "figure-as-recorded", message }];
  });
}

/** Whether the key of a method's parameter is of the method and, if it names an area, of the area of terms. */
function isOfMethod(key: string, { method, area }: EmissionsTerms): boolean {
  const [ofMethod, , ofArea] = key.split("/");
  return method !== undefined && ofMethod === method && (ofArea === undefined || ofArea === area);
}

/** Find the record of a method's figure by its key: of the area of the terms, else of every area. */
export function recordedOfMethod<Entry>(
  { method, area }: EmissionsTerms,
  symbol: string,
  find: (key: string) => Entry | undefined,
): Entry | undefined {
  if (method === undefined) return undefined;
  const key = `${method}/${symbol}`;
  return (area === undefined ? undefined : find(`${key}/${area}`)) ?? find(key);
}

/** Terms with the figures that are recorded for their method: those that it has no default for, and the records of stated ones. */
function withMethodFigures(terms: EmissionsTerms, entries: readonly ParameterEntry[], period: Periods) {
  const { householdSize, leakage, creditingYear, methodParameters } = terms;
  const stated = { HN: householdSize, LE: leakage, year: creditingYear, ...methodParameters };
  const free = freeParameters(terms.method).map(({ symbol }) => symbol);
  const figures: Record<string, string> = {};
  const added = [...new Set([...free, "HN", "LE", "year"])].flatMap((symbol) => {
    const isFree = free.includes(symbol);
    if (!isFree && stated[symbol as keyof typeof stated] === undefined) return [];
    const entry = recordedOfMethod(terms, symbol, (key) => newestValid(entries, methodKind, key, period));
    if (entry === undefined) return [];
    if (isFree) figures[symbol] = decimalText(entry.value);
    return [idOf(entry)];
  });
  return { added, figures };
}

/** The ids of what the regulator asks of the tests of a method. */
function addedMinimums(terms: EmissionsTerms, entries: readonly ParameterEntry[], period: Periods): string[] {
  return minimumNames.flatMap((name) => {
    const entry = recordedOfMethod(terms, name, (key) => newestValid(entries, minimumKind, key, period));
    return entry === undefined ? [] : [idOf(entry)];
  });
}

/** Find the newest figure of a kind and key that applies; of what a test must fit, the newest that is valid in the whole test. */
function newestValid(entries: readonly ParameterEntry[], kind: string, key: string, periods: Periods) {
  const isMeant = (entry: ParameterEntry) =>
    isOfTest(kind) ? isValidIn(entry, periods.test) : applies(entry, periods);
  return entries.findLast((entry) => entry.kind === kind && entry.key === key && isMeant(entry));
}

/**
 * The terms with the recorded figures that apply to them and that they do not name: the fNRB of their area, unless they state an
 * approval, the figures of every fuel that differ from the built-in ones, because visits may weigh any fuel, and the figures and
 * minimums of their method.
 */
export async function withRecordedFigures(
  list: Pick<List, "all">,
  terms: EmissionsTerms,
  test: Period,
): Promise<EmissionsTerms> {
  const period = periodsOf(terms, test);
  const { area, parameters = [], fnrbApproval } = terms;
  const entries = await list.all();
  const named = entries.filter((entry) => parameters.includes(idOf(entry)));
  const isNamed = (kind: string, key: string) => named.some((entry) => entry.kind === kind && entry.key === key);
  const added: string[] = [];
  if (area !== undefined && fnrbApproval === undefined && !named.some(({ kind }) => kind === "fnrb")) {
    const entry = newestValid(entries, "fnrb", area, period);
    if (entry !== undefined) added.push(idOf(entry));
  }
  for (const { kind, key } of figuresOfFuels(terms)) {
    const entry = newestValid(entries, kind, key, period);
    if (entry !== undefined && !isNamed(kind, key) && !isBuiltIn(entry)) added.push(idOf(entry));
  }
  const ofMethod = withMethodFigures(terms, entries, period);
  const ofTest = addedMinimums(terms, entries, period);
  added.push(...[...ofMethod.added, ...ofTest].filter((id) => !parameters.includes(id)));
  if (added.length === 0 && Object.keys(ofMethod.figures).length === 0) return terms;
  const methodParameters = { ...terms.methodParameters, ...ofMethod.figures };
  const figures = Object.keys(methodParameters).length === 0 ? {} : { methodParameters };
  return { ...terms, ...figures, parameters: [...parameters, ...added] };
}

/** List the figures that were added to terms with a stated vintage and are not valid on every day that it credits. */
export async function addedFigureProblems(
  list: Pick<List, "byId">,
  { given, whole }: Record<"given" | "whole", EmissionsTerms>,
  test: Period,
): Promise<RuleDetail[]> {
  if (given.vintage === undefined) return [];
  const credited = creditedPeriod(given, test);
  const added = (whole.parameters ?? []).filter((id) => !given.parameters?.includes(id));
  const entries = await Promise.all(added.map((id) => list.byId(id)));
  return entries.flatMap((entry): RuleDetail[] => {
    if (entry === null || isOfTest(entry.kind) || isValidIn(entry, credited)) return [];
    const message = `${idOf(entry)} is the newest ${entry.kind} of ${entry.key} in the test period, and is not valid on every day from ${credited.startDate} to ${credited.endDate}.`;
    return [{ path: "emissions.vintage", rule: "parameter-valid", message }];
  });
}

/** The figures that a calculation may read of fuels, those of the campaign's fuel first. */
function figuresOfFuels({ method, fuel, fuelMass }: EmissionsTerms): { kind: string; key: string }[] {
  const others = ["ef-co2", "ef-nonco2", ...(readsMeters(method) ? ["ef-upstream"] : [])];
  const ordered = [...(fuel === undefined ? [] : [fuel]), ...fuelIds.filter((each) => each !== fuel)];
  return ordered.flatMap((key) => {
    const ncv = fuelMass === "dry" && isDriedFuel(key) ? "ncv-dry" : "ncv";
    return [ncv, ...others].map((kind) => ({ kind, key }));
  });
}

function isBuiltIn({ kind, key, value }: ParameterEntry): boolean {
  return defaultFigures().some((each) => each.kind === kind && each.key === key && each.value.eq(value));
}

/** List the figures of committed terms that are not valid on every day for which the reduction of a vintage is credited. */
export async function validityInVintageProblems(
  list: Pick<List, "byId">,
  terms: EmissionsTerms,
  { test, vintage }: { test: Period; vintage: number },
): Promise<RuleDetail[]> {
  const credited = creditedPeriod(terms, test, vintage);
  const entries = await Promise.all(parameterIds(terms).map((id) => list.byId(id)));
  return entries.flatMap((entry): RuleDetail[] => {
    if (entry === null || isOfTest(entry.kind) || isValidIn(entry, credited)) return [];
    const message = `${idOf(entry)} (${entry.kind} of ${entry.key}) is not valid on every day from ${credited.startDate} to ${credited.endDate}, for which the reduction is credited.`;
    return [{ path: "emissions.parameters", rule: "parameter-valid-in-vintage", message }];
  });
}

/** The ids of the parameters that terms refer to, each once. */
function parameterIds({ parameters = [], fnrbApproval }: EmissionsTerms): string[] {
  return [...new Set(fnrbApproval === undefined ? parameters : [...parameters, fnrbApproval])];
}

/** List the fuels whose calorific value without water committed terms have. */
export async function fuelsWithDryNcv(list: Pick<List, "byId">, terms: EmissionsTerms): Promise<DriedFuel[]> {
  const committed = await committedParameters(list, terms);
  const isRecorded = (fuel: string) => committed.some(({ kind, key }) => kind === "ncv-dry" && key === fuel);
  return driedFuels.filter((fuel) => terms.dryNcv?.[fuel] !== undefined || isRecorded(fuel));
}

/** The parameters that committed terms refer to. One that is not on the list is left out. */
export async function committedParameters(
  list: Pick<List, "byId">,
  terms: EmissionsTerms,
): Promise<CommittedParameter[]> {
  const entries = await Promise.all(parameterIds(terms).map((id) => list.byId(id)));
  return entries.flatMap((entry) => {
    if (entry === null) return [];
    const { kind, key, value, source } = entry;
    return [{ id: idOf(entry), kind, key, value: decimalText(decimal(value)), source }];
  });
}

/** What the regulator asks of the tests of a method, among committed parameters. */
export function committedMinimums(committed: readonly CommittedParameter[], method: string): RecordedMinimum[] {
  return committed.flatMap(({ id, kind, key, value, source }) => {
    const [ofMethod, named] = key.split("/");
    const name = minimumNames.find((each) => each === named);
    if (kind !== minimumKind || ofMethod !== method || name === undefined) return [];
    return [{ name, value: decimal(value), source: `parameter ${id} of the regulator: ${source}` }];
  });
}

/** The method of committed terms with what the regulator asks of its tests; undefined where they name none. */
export async function committedMethod(
  list: Pick<List, "byId">,
  terms: EmissionsTerms | null,
): Promise<Method | undefined> {
  const method = terms?.method === undefined ? undefined : methods.get(terms.method);
  if (terms === null || method === undefined) return undefined;
  return withRecordedMinimums(method, committedMinimums(await committedParameters(list, terms), method.id));
}
