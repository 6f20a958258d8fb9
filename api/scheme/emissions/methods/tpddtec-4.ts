import type { RuleDetail } from "../../../platform/errors.ts";
import { fuels } from "../fuels.ts";
import { defineMethod } from "./define-method.ts";
import type { Formula, MethodInputs, Parameter } from "./definition.ts";
import {
  capParameters,
  emissionFormulas,
  factorParameters,
  ninetyThirtyOnSaving,
  parameter,
  share,
  testMinimums,
  valueDefault,
} from "./parameters.ts";

const source = "Gold Standard TPDDTEC v4.0";
const section = (what: string) => `${source}, ${what}`;

const rowParameters: Parameter[] = [
  parameter("N", "Technology-days", "device-day", { min: 0, max: "4e11" }, section("equations 1 to 5, N_b,p,y")),
  parameter("U", "Usage rate", "1", share, section("equations 1 to 5, U_p,y")),
  parameter("P", "Fuel of a device", "t (MWh of electricity)/day", { min: 0, max: "0.6" }, section("P_b,y and P_p,y")),
  ...factorParameters(section("fuel data")),
];

const formulas: Formula[] = [
  {
    symbol: "P_adj",
    name: "Baseline fuel of a device, at most the cap",
    unit: "t/day",
    expression: "min(P, P_CAP * HN / 365)",
    source: section("cap on P_b,y"),
    rows: { side: "baseline", carriers: ["woody"] },
  },
  {
    symbol: "P_adj",
    name: "Baseline fuel of a device",
    unit: "t (MWh)/day",
    expression: "P",
    source: section("P_b,y"),
    rows: { side: "baseline", carriers: ["biomass", "fossil", "electricity"] },
  },
  ...emissionFormulas("E_b", "baseline", "N * U * P_adj", {
    name: "Baseline emissions",
    source: section("equation 4"),
  }),
  { symbol: "BE", name: "Baseline emissions", unit: "tCO2e", expression: "sum(E_b)", source: section("equation 4") },
  ...emissionFormulas("E_p", "project", "N * U * P", { name: "Project emissions", source: section("equation 5") }),
  { symbol: "PE", name: "Project emissions", unit: "tCO2e", expression: "sum(E_p)", source: section("equation 5") },
  {
    symbol: "ER",
    name: "Emission reduction",
    unit: "tCO2e",
    expression: "BE - PE - LE",
    source: section("equation 3"),
  },
];

/**
 * Gold Standard TPDDTEC v4.0, with emissions of both sides (method 3). Where both sides burn one fuel it gives the result of
 * methods 1 and 2, whose saving is the difference of the two.
 */
export const tpddtec4 = defineMethod({
  id: "tpddtec-4",
  version: "4.0",
  title:
    "Gold Standard reduced emissions from cooking and heating: technologies and practices to displace decentralised thermal energy consumption (TPDDTEC)",
  parameters: [
    parameter("l", "Default leakage, a share of the reduction", "1", share, section("leakage, option 1: factor 0.95"), {
      default: valueDefault("0.05"),
      isFixed: true,
    }),
    parameter("LE", "Leakage, as assessed or by default", "tCO2e", { min: 0, max: "1e12" }, section("leakage"), {
      default: { kind: "formula", expression: "l * max(BE - PE, 0)" },
    }),
  ],
  rows: {
    baseline: [
      ...rowParameters,
      // The cap is 0.95 t of wood; a tonne of charcoal takes 4 t of wood (CDM TOOL33).
      ...capParameters({ wood: "0.95", charcoal: "0.2375", source: section("cap on P_b,y") }),
    ],
    project: rowParameters,
  },
  formulas,
  results: { baseline: "BE", project: "PE", leakage: "LE", reductions: "ER" },
  adjustments: ["P_CAP", "P_adj", "l", "LE"],
  minimums: testMinimums(ninetyThirtyOnSaving(section("90/30 rule of field tests")), source),
  test: {
    fuel: { symbol: "P", per: "day" },
    devices: { symbol: "N", per: "day" },
    usage: "U",
    newDevices: null,
    householdSize: "HN",
  },
  check: introducedFuels,
});

/** A fossil fuel or electricity that only the project burns is measured by meters, under another method. */
function introducedFuels({ baseline, project }: MethodInputs): RuleDetail[] {
  const before = new Set(baseline.map(({ fuel }) => fuel));
  return project.flatMap(({ fuel }, index) => {
    const { carrier } = fuels[fuel];
    if (before.has(fuel) || carrier === "woody" || carrier === "biomass") return [];
    const message = `${fuels[fuel].title} is new in the project; TPDDTEC v4.0 leaves such fuels to the method for metered devices.`;
    return [{ path: `project.${index}.fuel`, rule: "fuel-covered", message }];
  });
}
