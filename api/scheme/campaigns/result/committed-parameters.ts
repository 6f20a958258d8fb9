import { type DriedFuel, driedFuels, isDriedFuel } from "../../../../wire/src/kpt-visits.ts";
import type { RuleDetail } from "../../../platform/errors.ts";
import { decimal, decimalText, defaultFigures, fuelIds, methods, readsMeters } from "../../emissions/index.ts";
import { idOf, isValidIn, type ParameterEntry, type Parameters } from "../../parameters/index.ts";
import { type EmissionsTerms, freeParameters } from "./emissions-terms.ts";

/** A parameter of the regulator's list that a campaign refers to; plain JSON, `value` is decimal text. */
export type CommittedParameter = { id: string; kind: string; key: string; value: string; source: string };

type List = Pick<Parameters, "all" | "byId">;
type Period = { startDate: string; endDate: string };
/** Kind of a figure that a method has no default for. */
export const methodKind = "method-parameter";
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

/** List each rule that the references of new terms break; `period` is that of the test. */
export async function referenceProblems(
  list: Pick<List, "all">,
  terms: EmissionsTerms,
  period: Period,
): Promise<RuleDetail[]> {
  const entries = await list.all();
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

type EntryPlace = { path: string; period: Period; entries: readonly ParameterEntry[] };

function entryProblems(entry: ParameterEntry, at: EntryPlace & { terms: EmissionsTerms }): RuleDetail[] {
  const { path, terms } = at;
  const id = idOf(entry);
  if (entry.kind === methodKind) {
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
  if (!isValidIn(entry, period)) {
    const message = `${id} is not valid on every day from ${period.startDate} to ${period.endDate}.`;
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
  period: Period,
): RuleDetail[] {
  if (area === undefined || fnrb === undefined || fnrbApproval !== undefined) return [];
  const entry = newestValid(entries, "fnrb", area, period);
  if (entry === undefined || entry.value.gte(fnrb)) return [];
  const message = `${idOf(entry)} records an fNRB of ${decimalText(entry.value)} for ${area}, and ${fnrb} is above it.`;
  return [{ path: "emissions.fnrb", rule: "fnrb-within-default", message }];
}

/** A method whose version the regulator recorded must be in force at that version. */
function methodProblems({ method }: EmissionsTerms, entries: readonly ParameterEntry[], period: Period): RuleDetail[] {
  if (method === undefined || !entries.some(({ kind, key }) => kind === "method" && key === method)) return [];
  const entry = newestValid(entries, "method", method, period);
  const version = methods.get(method)?.version;
  if (entry !== undefined && version !== undefined && entry.value.eq(version)) return [];
  const message =
    entry === undefined
      ? `The regulator's list has no version of ${method} that is valid from ${period.startDate} to ${period.endDate}.`
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
  period: Period,
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
function methodFigureProblems(terms: EmissionsTerms, entries: readonly ParameterEntry[], period: Period): RuleDetail[] {
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
function withMethodFigures(terms: EmissionsTerms, entries: readonly ParameterEntry[], period: Period) {
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

function newestValid(entries: readonly ParameterEntry[], kind: string, key: string, period: Period) {
  return entries.findLast((entry) => entry.kind === kind && entry.key === key && isValidIn(entry, period));
}

/**
 * The terms with the recorded figures that apply to them and that they do not name: the fNRB of their area, unless they state an
 * approval, the figures of every fuel that differ from the built-in ones, because visits may weigh any fuel, and the figures of their
 * method.
 */
export async function withRecordedFigures(
  list: Pick<List, "all">,
  terms: EmissionsTerms,
  period: Period,
): Promise<EmissionsTerms> {
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
  added.push(...ofMethod.added.filter((id) => !parameters.includes(id)));
  if (added.length === 0 && Object.keys(ofMethod.figures).length === 0) return terms;
  const methodParameters = { ...terms.methodParameters, ...ofMethod.figures };
  const figures = Object.keys(methodParameters).length === 0 ? {} : { methodParameters };
  return { ...terms, ...figures, parameters: [...parameters, ...added] };
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

/** List the fuels whose calorific value without water committed terms have. */
export async function fuelsWithDryNcv(list: Pick<List, "byId">, terms: EmissionsTerms): Promise<DriedFuel[]> {
  const committed = await committedParameters(list, terms);
  const isRecorded = (fuel: string) => committed.some(({ kind, key }) => kind === "ncv-dry" && key === fuel);
  return driedFuels.filter((fuel) => terms.dryNcv?.[fuel] !== undefined || isRecorded(fuel));
}

/** The parameters that committed terms refer to. One that is not on the list is left out. */
export async function committedParameters(
  list: Pick<List, "byId">,
  { parameters = [], fnrbApproval }: EmissionsTerms,
): Promise<CommittedParameter[]> {
  const ids = fnrbApproval === undefined ? parameters : [...parameters, fnrbApproval];
  const entries = await Promise.all([...new Set(ids)].map((id) => list.byId(id)));
  return entries.flatMap((entry) => {
    if (entry === null) return [];
    const { kind, key, value, source } = entry;
    return [{ id: idOf(entry), kind, key, value: decimalText(decimal(value)), source }];
  });
}
