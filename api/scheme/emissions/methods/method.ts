import type { RuleDetail } from "../../../platform/errors.ts";
import type { Decimal } from "../decimal.ts";
import { type Line, line, quantityLine } from "../lines.ts";
import { convert, type Quantity, rate, scale, type Unit } from "../units.ts";

/** A technology that burns a fuel. `fuel` is the adjusted amount that one unit burns in a year; the factors are per TJ. */
export type Pair = {
  /** Share of units in use, 0 to 1. */
  usage: Decimal;
  /** TJ/t. */
  ncv: Decimal;
  /** t/TJ. */
  efCo2: Decimal;
  /** 0 to 1. */
  fnrb: Decimal;
  /** tCO2e/TJ. */
  efNonCo2: Decimal;
  units: Decimal;
  fuel: Quantity<"t">;
};

export type Pairs = { baselinePairs: readonly Pair[]; activityPairs: readonly Pair[] };

/** A reduction with every step of its calculation, exact, in tCO2e. */
export type Reduction = {
  be: Quantity<"tCO2e">;
  ae: Quantity<"tCO2e">;
  le: Quantity<"tCO2e">;
  er: Quantity<"tCO2e">;
  lines: Line[];
};

/** A method to calculate a reduction, as plain data. To add one, add a file to this folder and a line to `methods.ts`. */
export type EmissionsMethod<Id extends string, Params> = {
  readonly id: Id;
  readonly version: string;
  readonly title: string;
  readonly formula: readonly string[];
  /** List every rule of the method that the input breaks. `calculate` requires an empty list. */
  readonly problems: (input: Pairs & { params: Params }) => RuleDetail[];
  readonly calculate: (input: Pairs & { params: Params }) => Reduction;
};

/** Calculate the emissions of one pair in a year: N·U·P, times NCV, times EF_CO2·fNRB + EF_nonCO2. */
export function pairEmissions(
  name: string,
  pair: Pair,
  source: string,
): { emissions: Quantity<"tCO2e">; lines: Line[] } {
  const fuel = scale(scale(pair.fuel, pair.units), pair.usage);
  const energy = convert(fuel, rate(pair.ncv, "t", "TJ"));
  const renewable = pair.efCo2.times(pair.fnrb);
  const factor = rate(renewable.plus(pair.efNonCo2), "TJ", "tCO2e");
  const emissions = convert(energy, factor);
  const lines = [
    quantityLine(`${name}: fuel of one unit in a year, P`, pair.fuel, "given, adjusted already"),
    line(`${name}: units, N`, pair.units, "unit", "given"),
    line(`${name}: usage, U`, pair.usage, "1", "given; the lower bound when surveyed"),
    quantityLine(`${name}: fuel burnt, N·U·P`, fuel, source),
    quantityLine(`${name}: energy, fuel·NCV`, energy, `NCV ${pair.ncv} TJ/t, given`),
    line(
      `${name}: CO2 that counts, EF_CO2·fNRB`,
      renewable,
      "tCO2e/TJ",
      `EF_CO2 ${pair.efCo2}, fNRB ${pair.fnrb}, given`,
    ),
    line(`${name}: other gases, EF_nonCO2`, pair.efNonCo2, "tCO2e/TJ", "given"),
    quantityLine(`${name}: emissions`, emissions, source),
  ];
  return { emissions, lines };
}

/** Calculate the total emissions of several pairs, each with its lines. */
export function scenarioEmissions(
  name: string,
  pairs: readonly Pair[],
  source: string,
): { emissions: Quantity<"tCO2e">[]; lines: Line[] } {
  const each = pairs.map((pair, index) => pairEmissions(`${name} ${index + 1}`, pair, source));
  return { emissions: each.map(({ emissions }) => emissions), lines: each.flatMap(({ lines }) => lines) };
}

/** Check the rules of every method: the ranges refuse figures in a wrong unit (kg, MJ/kg, kg/TJ). */
export function pairProblems({ baselinePairs, activityPairs }: Pairs): RuleDetail[] {
  const found: RuleDetail[] = [];
  if (baselinePairs.length === 0) {
    found.push({ path: "baselinePairs", rule: "pairs-present", message: "At least one baseline pair is needed." });
  }
  const sides = [
    ["baselinePairs", baselinePairs],
    ["activityPairs", activityPairs],
  ] as const;
  for (const [side, pairs] of sides) {
    for (const [index, pair] of pairs.entries()) {
      for (const [field, limit] of Object.entries(pairLimits)) {
        const given = pairField(pair, field);
        if (given.gte(0) && given.lte(limit.max)) continue;
        const message = `${field} lies from 0 to ${limit.max} ${limit.unit}.`.replace(" .", ".");
        found.push({ path: `${side}.${index}.${field}`, rule: "range", message });
      }
      if ((pair.fuel.unit as Unit) !== "t") {
        const message = `p_fuel is in t a unit and year, not in ${pair.fuel.unit}.`;
        found.push({ path: `${side}.${index}.p_fuel`, rule: "units-match", message });
      }
    }
  }
  return found;
}

/** Largest value of each field of a pair, by its name in a request. */
export const pairLimits = {
  usage: { max: 1, unit: "" },
  ncv: { max: 0.2, unit: "TJ/t" },
  ef_co2: { max: 500, unit: "t/TJ" },
  fnrb: { max: 1, unit: "" },
  ef_nonco2: { max: 500, unit: "tCO2e/TJ" },
  n_stoves: { max: 1_000_000_000, unit: "units" },
  p_fuel: { max: 200, unit: "t a unit and year" },
} as const;

function pairField(pair: Pair, field: string): Decimal {
  const fields: Record<string, Decimal> = {
    usage: pair.usage,
    ncv: pair.ncv,
    ef_co2: pair.efCo2,
    fnrb: pair.fnrb,
    ef_nonco2: pair.efNonCo2,
    n_stoves: pair.units,
    p_fuel: pair.fuel.value,
  };
  return fields[field] as Decimal;
}
