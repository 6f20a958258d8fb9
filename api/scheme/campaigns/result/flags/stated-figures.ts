import type { RuleDetail } from "../../../../platform/errors.ts";
import { type Decimal, decimal, decimalText, displayText, peopleOf, readsMeters } from "../../../emissions/index.ts";
import { inOrder } from "../in-order.ts";
import { methodKind, recordedOfMethod } from "../inputs/committed-parameters.ts";
import { assumedSize } from "../inputs/parameters.ts";
import { type ResultRecord, resultFrom } from "../record.ts";
import { registryProblems } from "../registry-rules.ts";

/** List the figures that terms state and that are beyond what is on record, and days that differ between claims. */
export function statedFigureProblems(record: ResultRecord): RuleDetail[] {
  // A result of today has these among its own problems.
  const uncounted = record.requiresRegistry ? [] : registryProblems(record);
  return [
    ...uncounted,
    ...unitProblems(record),
    ...methodFigureProblems(record),
    ...leakageProblems(record),
    ...creditingYearProblems(record),
    ...householdSizeProblems(record),
    ...dayProblems(record),
  ];
}

/** Where the terms fix no number of days, it could be chosen for each household by what was measured. Meters count on every day. */
function dayProblems({ terms, claims }: ResultRecord): RuleDetail[] {
  const weighed = readsMeters(terms.method) ? claims.filter(({ group }) => group === "reference") : claims;
  const counts = inOrder(weighed.map(({ logs }) => logs));
  if (counts.length <= 1) return [];
  const message = `The claims have ${counts.join(", ")} daily logs; a certificate needs claims with equally many.`;
  return [{ path: "days", rule: "days-equal", message }];
}

/** Without registered devices nothing on record shows more than one for each household of the intervention frame. */
function unitProblems({ terms, devices, frameSizes }: ResultRecord): RuleDetail[] {
  if (devices !== undefined) return [];
  const households = frameSizes.intervention;
  return (["units", "newUnits"] as const).flatMap((name) => {
    const stated = terms[name];
    if (stated === undefined || decimal(stated).lte(households)) return [];
    const message = `The terms state ${name} ${decimalText(decimal(stated))}, and the intervention frame has ${households} households. More need registered devices (POST /v1/devices).`;
    return [{ path: `emissions.${name}`, rule: "units-within-frame", message }];
  });
}

/** Terms that the regulator may record for a method, by the symbol of the record. */
const recordedTerms = { householdSize: "HN", leakage: "LE", creditingYear: "year" } as const;

/** The figure of the committed method that the campaign refers to on the regulator's list. */
function recordedFigure({ terms, parameters = [] }: ResultRecord, symbol: string): Decimal | undefined {
  const find = (key: string) => parameters.find((each) => each.kind === methodKind && each.key === key);
  const entry = recordedOfMethod(terms, symbol, find);
  return entry === undefined ? undefined : decimal(entry.value);
}

/** Figures of a method that nothing measures and no default gives must be on record: with them, any result can be stated. */
function methodFigureProblems(record: ResultRecord): RuleDetail[] {
  const { method, methodParameters = {} } = record.terms;
  return Object.entries(methodParameters).flatMap(([symbol, figure]) => {
    if (recordedFigure(record, symbol)?.eq(figure)) return [];
    const message = `The terms state ${symbol} ${figure}, which is not on record for ${method}. A certificate needs a parameter of the regulator, method-parameter of ${method}/${symbol} (GET /v1/parameters).`;
    return [{ path: `emissions.methodParameters.${symbol}`, rule: "figure-on-record", message }];
  });
}

/** Leakage that a project assessed counts only where it is recorded, or not below the default of 5 % of the saving. */
function leakageProblems(record: ResultRecord): RuleDetail[] {
  const { method, leakage } = record.terms;
  if (leakage === undefined || (method !== "tpddtec" && method !== "tpddtec-4")) return [];
  const stated = decimal(leakage);
  const recorded = recordedFigure(record, recordedTerms.leakage);
  if (recorded !== undefined && stated.gte(recorded)) return [];
  const reduction = resultFrom(record).reductions.find((each) => each.method === method)?.reduction;
  const least = reduction == null ? undefined : defaultLeakage.times(reduction.be.minus(reduction.ae));
  if (least === undefined || stated.gte(least)) return [];
  const message = `The terms state leakage ${decimalText(stated)}, and the default is ${displayText(least, 3)} tCO2e, 5 % of the saving. Less needs a parameter of the regulator, method-parameter of ${method}/LE.`;
  return [{ path: "emissions.leakage", rule: "leakage-at-least-default", message }];
}
const defaultLeakage = decimal("0.05");

/** The counted new units are those installed in the crediting year, so it is their first. */
function creditingYearProblems(record: ResultRecord): RuleDetail[] {
  const { method, creditingYear = 1 } = record.terms;
  if (method !== "smec-4" || creditingYear === 1 || record.devices?.newDevices === 0) return [];
  if (recordedFigure(record, recordedTerms.creditingYear)?.eq(creditingYear)) return [];
  const message = `The terms state creditingYear ${creditingYear}, and the new units are devices that were installed in the year of the result: it is their first.`;
  return [{ path: "emissions.creditingYear", rule: "crediting-year-of-devices", message }];
}

/** Methods that multiply by the people of a household. */
const methodsOfPeople: readonly (string | undefined)[] = ["smec-4", "tpddtec", "tpddtec-4", "mecd-specific-energy"];

/**
 * The people of a household raise the baseline: as a factor of option B, or by the cap on what a person uses. So their number is at most
 * that of the registered members, or what the regulator recorded. Where no members are registered, it is at most what a calculation assumes.
 * Where those of some are, it is at most the smaller of both: who registers members chooses which households have some.
 */
function householdSizeProblems(record: ResultRecord): RuleDetail[] {
  const { terms, claims, members } = record;
  if (terms.householdSize === undefined || !methodsOfPeople.includes(terms.method ?? "smec-4")) return [];
  const stated = decimal(terms.householdSize);
  if (recordedFigure(record, recordedTerms.householdSize)?.gte(stated)) return [];
  const group = readsMeters(terms.method) ? "intervention" : "reference";
  const isOfGroup = (each: { group: string }) => each.group === group;
  const measured = new Set(claims.filter(isOfGroup).map(({ position }) => position));
  const sizes = members.filter(isOfGroup).map(peopleOf);
  const known = sizes.filter((people) => people > 0);
  const path = "emissions.householdSize";
  const rule = "household-size-on-record";
  const begin = `The terms state householdSize ${decimalText(stated)}`;
  if (known.length < measured.size && terms.baseline === "minimum-service") {
    const message = `${begin}, and the members of ${known.length} of the ${measured.size} measured reference households are registered. Option B needs all of them.`;
    return [{ path, rule, message }];
  }
  const people = known.reduce((sum, each) => sum + each, 0);
  const isOfKnown = stated.times(known.length).lte(people);
  if (known.length < measured.size) {
    if (stated.lte(assumedSize) && isOfKnown) return [];
    const most = known.length === 0 ? assumedSize : smaller(assumedSize, decimal(people).div(known.length));
    const message = `${begin}, and the members of ${known.length} of the ${measured.size} measured ${group} households are registered. More than ${displayText(most, 2)} needs all of them.`;
    return [{ path, rule, message }];
  }
  if (isOfKnown) return [];
  const mean = displayText(decimal(people).div(known.length), 2);
  const message = `${begin}, and the measured ${group} households have ${mean} people on average, by their registered members.`;
  return [{ path, rule, message }];
}

function smaller(a: Decimal, b: Decimal): Decimal {
  return a.lt(b) ? a : b;
}
