import {
  adjustmentLine,
  type Decimal,
  decimal,
  decimalText,
  type FuelId,
  type Line,
  line,
  type RenewabilityArea,
  readsMeters,
  type UsageSurvey,
} from "../../../emissions/index.ts";
import type { EmissionsTerms, MethodId } from "./emissions-terms.ts";

/** A figure of the calculation that nobody gave. No certificate is made of a result with one. */
export type Assumption = { parameter: keyof EmissionsTerms; value: string; message: string };

/** What the campaign itself tells where its terms do not. */
export type KnownFacts = {
  /** Households of the intervention frame. */
  interventionFrame: number;
  /** Measured reference households, those whose members are registered, and how many people these are. */
  reference: { measured: number; known: number; people: number };
  /** Year in which the test ended. */
  year: number;
  /** Whether the plan's devices are registered, so that they are counted. */
  hasDevices: boolean;
  /** Whether the plan's devices are surveyed for their usage. */
  hasUsageSurvey?: boolean | undefined;
};

/** Everything that a method needs, with what had to be assumed for it. */
export type Parameters = {
  fuel: FuelId;
  meteredFuel: FuelId;
  area: RenewabilityArea;
  units: Decimal;
  householdSize: Decimal;
  householdSizeSource: string;
  usage: Decimal | UsageSurvey;
  baseline: "measured" | "minimum-service";
  newUnits: Decimal;
  life: Decimal;
  daf: Decimal;
  he: Decimal;
  leakage: Decimal;
  vintage: number;
  lines: Line[];
  assumptions: Assumption[];
};

const given = "given with the campaign";
/** People of a household where nothing else is known. */
export const assumedSize = decimal("4.5");
/** Years; with less than five, a unit's embodied emissions are all charged in its first year. */
const assumedLife = decimal(1);

/** Terms that not every method reads, and the methods that need each. */
const neededBy: Partial<Record<keyof EmissionsTerms, readonly MethodId[]>> = {
  meteredFuel: ["mecd-specific-energy"],
  newUnits: ["smec-4", "mecd-specific-energy"],
  life: ["smec-4"],
  daf: ["smec-4", "mecd-specific-energy"],
  he: ["smec-4"],
  leakage: ["tpddtec"],
  householdSize: ["smec-4", "tpddtec", "tpddtec-4", "mecd-specific-energy"],
};

/** The parameters of a method: the terms as given, then what is known of the campaign, then named assumptions. */
export function parametersOf(method: MethodId, terms: EmissionsTerms, facts: KnownFacts): Parameters {
  const chosen = new Chosen(method, terms);
  if (facts.hasDevices) chosen.leaveOut("units", "newUnits");
  if (terms.usageSurveys !== undefined || facts.hasUsageSurvey) chosen.leaveOut("usage");
  // Meters show how many devices are used.
  if (readsMeters(method)) chosen.leaveOut("units", "usage");
  const units = chosen.figure("units", "unit", facts.interventionFrame, "one unit for each household of the frame");
  const size = householdSize(chosen, terms, facts);
  const everyUnit = "every unit is new";
  const briefly = "less than five years, which charges all its embodied emissions in the first year";
  return {
    fuel: chosen.word("fuel", "wood", "the fuel of both groups"),
    meteredFuel: chosen.word("meteredFuel", "electricity", "the fuel that the meters count"),
    area: chosen.word("area", "SSA", "sub-Saharan Africa, for the default of fNRB"),
    units,
    ...size,
    usage: terms.usageSurvey ?? chosen.figure("usage", "1", 1, "every unit is in use"),
    baseline: terms.baseline ?? "measured",
    newUnits: chosen.figure("newUnits", "unit", units, everyUnit),
    life: chosen.figure("life", "year", assumedLife, briefly),
    daf: chosen.figure("daf", "1", 0, "no downward adjustment"),
    he: chosen.figure("he", "1", 1, "no Hawthorne effect"),
    leakage: chosen.figure("leakage", "tCO2e", 0, "no leakage"),
    vintage: terms.vintage ?? facts.year,
    lines: chosen.lines,
    assumptions: chosen.assumptions,
  };
}

function householdSize(
  chosen: Chosen,
  terms: EmissionsTerms,
  { reference: { measured, known, people } }: KnownFacts,
): Pick<Parameters, "householdSize" | "householdSizeSource"> {
  if (terms.householdSize !== undefined) {
    return { householdSize: decimal(terms.householdSize), householdSizeSource: given };
  }
  const isWhole = known > 0 && known === measured;
  const value = known === 0 ? assumedSize : decimal(people).div(known);
  const source = `mean of the ${known} of ${measured} measured reference households whose members are registered`;
  if (isWhole) return { householdSize: value, householdSizeSource: source };
  const message = known === 0 ? "no household's members are registered" : source;
  chosen.assume("householdSize", value, message);
  return { householdSize: value, householdSizeSource: `assumed: ${message}` };
}

/** Terms that adjust the reduction. */
const adjustingTerms: readonly (keyof EmissionsTerms)[] = ["daf", "he", "leakage"];

/** Takes each parameter from the terms, or assumes it and says so. */
class Chosen {
  readonly lines: Line[] = [];
  readonly assumptions: Assumption[] = [];
  readonly #terms: EmissionsTerms;
  readonly #unread: Set<keyof EmissionsTerms>;

  constructor(method: MethodId, terms: EmissionsTerms) {
    this.#terms = terms;
    const limited = Object.keys(neededBy) as (keyof EmissionsTerms)[];
    this.#unread = new Set(limited.filter((name) => !neededBy[name]?.includes(method)));
  }

  figure(
    name: "units" | "usage" | "newUnits" | "life" | "daf" | "he" | "leakage",
    unit: string,
    fallback: Decimal | number,
    message: string,
  ): Decimal {
    const stated = this.#terms[name];
    const value = decimal(stated ?? fallback);
    if (stated === undefined) this.assume(name, value, message);
    if (!this.#unread.has(name)) {
      const stating = line(`Parameter: ${name}`, value, unit, stated === undefined ? `assumed: ${message}` : given);
      this.lines.push(adjustingTerms.includes(name) ? adjustmentLine(stating) : stating);
    }
    return value;
  }

  /** Terms that the calculation does not read. */
  leaveOut(...names: (keyof EmissionsTerms)[]): void {
    for (const name of names) this.#unread.add(name);
  }

  word<K extends "fuel" | "area" | "meteredFuel">(name: K, fallback: NonNullable<EmissionsTerms[K]>, message: string) {
    const stated = this.#terms[name];
    if (stated === undefined) this.assume(name, fallback, message);
    return stated ?? fallback;
  }

  assume(parameter: keyof EmissionsTerms, value: Decimal | string, message: string): void {
    if (this.#unread.has(parameter)) return;
    const text = typeof value === "string" ? value : decimalText(value);
    this.assumptions.push({ parameter, value: text, message: `${parameter} is assumed: ${message}.` });
  }
}
