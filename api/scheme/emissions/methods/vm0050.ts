import { decimal } from "../decimal.ts";
import { defineMethod } from "./define-method.ts";
import type { Formula, Parameter } from "./definition.ts";
import {
  burntFuels,
  count,
  emissionFormulas,
  factorParameters,
  ninetyTenOnMean,
  parameter,
  share,
  testMinimums,
  valueDefault,
} from "./parameters.ts";

const source = "Verra VM0050 v1.0";
const section = (what: string) => `${source}, ${what}`;

const rowParameters: Parameter[] = [
  parameter("N", "Commissioned devices", "device-year", count, section("section 9.2, N_j,k,y")),
  parameter("n", "Share of devices in use", "1", share, section("section 9.2, n_j,k,y")),
  parameter(
    "BC",
    "Fuel of a device",
    "t (MWh of electricity)/year",
    { min: 0, max: 200 },
    section("BC_b,i,y, BC_p,j,k,y"),
  ),
  ...factorParameters(section("section 9.1, fuel data")),
];

function energyFormulas(symbol: string, side: "baseline" | "project", name: string): Formula[] {
  const from = section("equation 2");
  return [
    { symbol, name, unit: "TJ", expression: "N * n * BC * NCV", source: from, rows: { side, carriers: burntFuels } },
    {
      symbol,
      name,
      unit: "TJ",
      expression: "N * n * BC * 0.0036",
      source: from,
      rows: { side, carriers: ["electricity"] },
    },
  ];
}

const formulas: Formula[] = [
  ...energyFormulas("EC_b", "baseline", "Baseline energy"),
  ...energyFormulas("EC_p", "project", "Project energy"),
  {
    symbol: "EC_est",
    name: "Baseline energy that the project's energy explains",
    unit: "TJ",
    expression: "sum(EC_p) * eta_new / eta_old",
    source: section("equation 3"),
  },
  {
    symbol: "k",
    name: "Share of the baseline that is credited after the cross-check of stacking",
    unit: "1",
    // Efficient electric devices (0.7 and more) are exempt. A baseline without energy has no emissions to limit.
    expression: "eta_new >= 0.7 ? 1 : (sum(EC_b) > 0 ? min(EC_est / sum(EC_b), 1) : 1)",
    source: section("equation 3"),
  },
  ...emissionFormulas("E_b", "baseline", "N * n * BC", { name: "Baseline emissions", source: section("equation 1") }),
  {
    symbol: "BE",
    name: "Baseline emissions",
    unit: "tCO2e",
    expression: "k * sum(E_b)",
    source: section("equation 1"),
  },
  ...emissionFormulas("E_p", "project", "N * n * BC", {
    name: "Project emissions",
    source: section("equation 7; electricity: equation 8"),
  }),
  {
    symbol: "PE",
    name: "Project emissions",
    unit: "tCO2e",
    expression: "sum(E_p) + PE_other",
    source: section("equations 7 and 8"),
  },
  {
    symbol: "LE",
    name: "Leakage",
    unit: "tCO2e",
    expression: "l * (BE - PE) + LE_RB",
    source: section("equation 11: (BE − PE) · 0.95 − LE_RB"),
  },
  {
    symbol: "ER",
    name: "Emission reduction",
    unit: "tCO2e",
    expression: "BE - PE - LE",
    source: section("equation 11"),
  },
];

/** Share of an fNRB by CDM TOOL30 that its uncertainty discount leaves. */
export const tool30Remainder = decimal("0.74");

/** Verra VM0050 v1.0, as far as households' cookstoves need it. */
export const vm0050 = defineMethod({
  id: "vm0050-1",
  version: "1.0",
  title: "Verra VM0050 energy efficiency and fuel-switch measures in cookstoves",
  parameters: [
    parameter(
      "eta_new",
      "Mean efficiency of the devices used in the project",
      "1",
      { min: "0.05", max: 1 },
      section("section 9.2"),
    ),
    parameter(
      "eta_old",
      "Mean efficiency of the baseline devices",
      "1",
      { min: "0.05", max: 1 },
      section("section 9.1: 0.15 for a three-stone fire"),
    ),
    parameter("l", "Default leakage, a share of the reduction", "1", share, section("equation 11"), {
      default: valueDefault("0.05"),
      isFixed: true,
    }),
    parameter("LE_RB", "Leakage of renewable biomass", "tCO2e", { min: 0, max: "1e12" }, "CDM TOOL16"),
    parameter(
      "PE_other",
      "Emissions of transport, production and backup",
      "tCO2e",
      { min: 0, max: "1e12" },
      section("section 8.2"),
    ),
  ],
  rows: { baseline: rowParameters, project: rowParameters },
  formulas,
  results: { baseline: "BE", project: "PE", leakage: "LE", reductions: "ER" },
  adjustments: ["EC_est", "k", "l", "LE_RB", "LE"],
  minimums: testMinimums(ninetyTenOnMean(section("sections 6.2, 8.1.1 and 8.2.1.1")), source),
  test: {
    fuel: { symbol: "BC", per: "year" },
    devices: { symbol: "N", per: "year" },
    usage: "n",
    newDevices: null,
    householdSize: null,
  },
});
