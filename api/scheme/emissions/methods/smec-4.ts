import type { RuleDetail } from "../../../platform/errors.ts";
import { type Decimal, decimal, one, zero } from "../decimal.ts";
import { embodiedPerUnit, embodiedYears, marketLeakage } from "../defaults.ts";
import { type Line, line, quantityLine } from "../lines.ts";
import { add, greater, lesser, type Quantity, quantity, scale, subtract, total } from "../units.ts";
import { type EmissionsMethod, pairProblems, type Reduction, scenarioEmissions } from "./method.ts";

export type Smec4Params = {
  /** Downward adjustment factor of the baseline. */
  daf: Decimal;
  /** Units that were new in the year. */
  newUnits: Decimal;
  /** Technical life of a unit, years. */
  life: Decimal;
  /** Which year of the new units this is, from 1; 1 when absent. */
  creditingYear?: number | undefined;
  /** Calendar year of the reduction. */
  vintage?: number | undefined;
  /** Hawthorne effect: share of the measured saving that stays when nobody measures. */
  he: Decimal;
};

const title = "Gold Standard simplified methodology for efficient cookstoves";
const source = "Gold Standard SMEC v4.0";
/** Below it, market leakage would outweigh what the Hawthorne factor leaves, and saving more would lower the result. */
const leastHawthorne = marketLeakage.value;

/** Gold Standard simplified methodology for efficient cookstoves v4.0. */
export const smec4: EmissionsMethod<"smec-4", Smec4Params> = {
  id: "smec-4",
  version: "4.0",
  title,
  formula: [
    "BAU = Σ N·U·P_b·NCV·(EF_CO2·fNRB + EF_nonCO2)",
    "BE  = max(min(BAU·(1 − DAF), BAU), 0)",
    "AE  = Σ N·U·P_p·NCV·(EF_CO2·fNRB + EF_nonCO2)",
    "LE  = embodied + 0.02·(BE − AE)",
    "ER  = (BE − AE)·HE − LE",
  ],
  problems: ({ params, ...pairs }) => [...pairProblems(pairs), ...paramProblems(params)],
  calculate,
};

function calculate({ baselinePairs, activityPairs, params }: Parameters<typeof smec4.calculate>[0]): Reduction {
  const baseline = scenarioEmissions("Baseline", baselinePairs, source);
  const activity = scenarioEmissions("Activity", activityPairs, source);
  const bau = total("tCO2e", baseline.emissions);
  const be = greater(lesser(scale(bau, one.minus(params.daf)), bau), quantity(zero, "tCO2e"));
  const ae = total("tCO2e", activity.emissions);
  const saved = subtract(be, ae);
  const kept = scale(saved, params.he);
  const leakage = leakageOf(saved, params);
  const er = subtract(kept, leakage.le);
  const lines = [
    ...baseline.lines,
    quantityLine("Business as usual, BAU", bau, source),
    line("Downward adjustment factor, DAF", params.daf, "1", "given"),
    quantityLine("Downward adjustment, Δ = BAU − BE", subtract(bau, be), source),
    quantityLine("Baseline emissions, BE", be, source),
    ...activity.lines,
    quantityLine("Activity emissions, AE", ae, source),
    quantityLine("Reduction before adjustments, BE − AE", saved, source),
    line("Hawthorne effect, HE", params.he, "1", "given"),
    quantityLine("Hawthorne adjustment, (BE − AE)·(HE − 1)", subtract(kept, saved), source),
    ...leakage.lines,
    quantityLine("Leakage, LE", leakage.le, source),
    quantityLine("Emission reduction, ER", er, source),
  ];
  return { be, ae, le: leakage.le, er, lines };
}

function leakageOf(saved: Quantity<"tCO2e">, params: Smec4Params): { le: Quantity<"tCO2e">; lines: Line[] } {
  const charged = chargedShare(params);
  const embodied = scale(quantity(params.newUnits.times(embodiedPerUnit.value), "tCO2e"), charged.share);
  const market = scale(saved, marketLeakage.value);
  const lines = [
    line("New units", params.newUnits, "unit", "given"),
    line("Share of embodied emissions charged this year", charged.share, "1", charged.rule),
    quantityLine("Embodied leakage", embodied, `${embodiedPerUnit.value} tCO2e a new unit; ${embodiedPerUnit.source}`),
    quantityLine("Market leakage", market, `${marketLeakage.value} of BE − AE; ${marketLeakage.source}`),
  ];
  return { le: add(embodied, market), lines };
}

/** Short-lived units are charged whole when new; others a fifth in each of their first five years. */
function chargedShare({ life, creditingYear = 1 }: Smec4Params): { share: Decimal; rule: string } {
  if (life.lt(embodiedYears)) return { share: one, rule: `${source}; a life of ${life} years: all of it, up front` };
  const rule = `${source}; a life of ${life} years: a fifth in each of five years, of which this is year ${creditingYear}`;
  return { share: creditingYear <= embodiedYears ? one.div(embodiedYears) : zero, rule };
}

/** Range of each parameter. DAF may be anything that the formula's own bounds then hold. */
export const smec4Limits = {
  daf: { min: decimal(-10), max: decimal(10) },
  newUnits: { min: zero, max: decimal(1_000_000_000) },
  life: { min: decimal("0.1"), max: decimal(100) },
  he: { min: leastHawthorne, max: one },
} as const;

function paramProblems(params: Smec4Params): RuleDetail[] {
  const found: RuleDetail[] = [];
  for (const [field, { min, max }] of Object.entries(smec4Limits) as [
    keyof typeof smec4Limits,
    { min: Decimal; max: Decimal },
  ][]) {
    if (params[field].gte(min) && params[field].lte(max)) continue;
    found.push({ path: `params.${field}`, rule: "range", message: `${field} lies from ${min} to ${max}.` });
  }
  if (params.creditingYear !== undefined && !(Number.isInteger(params.creditingYear) && params.creditingYear >= 1)) {
    found.push({ path: "params.creditingYear", rule: "range", message: "creditingYear is a whole number from 1." });
  }
  return found;
}
