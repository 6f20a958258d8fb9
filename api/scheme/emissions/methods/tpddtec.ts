import type { RuleDetail } from "../../../platform/errors.ts";
import { type Decimal, zero } from "../decimal.ts";
import { quantityLine } from "../lines.ts";
import { type Quantity, subtract, total } from "../units.ts";
import { type EmissionsMethod, pairProblems, type Reduction, scenarioEmissions } from "./method.ts";

export type TpddtecParams = {
  /** Leakage that the project's assessment found, tCO2e in the year; 0 when it found none. */
  leakage: Quantity<"tCO2e">;
  /** Calendar year of the reduction. */
  vintage?: number | undefined;
};

const title = "Gold Standard technologies and practices to displace decentralized thermal energy consumption (TPDDTEC)";
const source = "Gold Standard TPDDTEC v4.0";
const most = 1_000_000_000_000;

/** The plain form of TPDDTEC: baseline less project less leakage, without the adjustments of the simplified methodology. */
export const tpddtec: EmissionsMethod<"tpddtec", TpddtecParams> = {
  id: "tpddtec",
  version: "4.0",
  title,
  formula: [
    "BE  = Σ N·U·P_b·NCV·(EF_CO2·fNRB + EF_nonCO2)",
    "AE  = Σ N·U·P_p·NCV·(EF_CO2·fNRB + EF_nonCO2)",
    "ER  = BE − AE − LE",
  ],
  problems: ({ params, ...pairs }) => [...pairProblems(pairs), ...leakageProblems(params.leakage.value)],
  calculate,
};

function calculate({ baselinePairs, activityPairs, params }: Parameters<typeof tpddtec.calculate>[0]): Reduction {
  const baseline = scenarioEmissions("Baseline", baselinePairs, source);
  const activity = scenarioEmissions("Activity", activityPairs, source);
  const be = total("tCO2e", baseline.emissions);
  const ae = total("tCO2e", activity.emissions);
  const saved = subtract(be, ae);
  const le = params.leakage;
  const er = subtract(saved, le);
  const lines = [
    ...baseline.lines,
    quantityLine("Baseline emissions, BE", be, source),
    ...activity.lines,
    quantityLine("Activity emissions, AE", ae, source),
    quantityLine("Reduction before leakage, BE − AE", saved, source),
    quantityLine("Leakage, LE", le, "given, by the project's own assessment"),
    quantityLine("Emission reduction, ER", er, source),
  ];
  return { be, ae, le, er, lines };
}

function leakageProblems(leakage: Decimal): RuleDetail[] {
  if (leakage.gte(zero) && leakage.lte(most)) return [];
  return [{ path: "params.leakage", rule: "range", message: `leakage lies from 0 to ${most} tCO2e.` }];
}
