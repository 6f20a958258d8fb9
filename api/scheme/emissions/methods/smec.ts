import { marketLeakage } from "../defaults.ts";
import { defineMethod } from "./define-method.ts";
import type { Formula, Parameter } from "./definition.ts";
import {
  capParameters,
  count,
  emissionFormulas,
  factorParameters,
  leakageParameters,
  ninetyTenOnMean,
  parameter,
  share,
  testMinimums,
  valueDefault,
} from "./parameters.ts";

const source = "Gold Standard SMEC v4.0 (GS4GG PAA M400-07)";
const section = (what: string) => `${source}, ${what}`;

const rowParameters: Parameter[] = [
  parameter("N", "Devices", "device-year", count, section("N")),
  parameter("U", "Share of devices in use", "1", share, section("U")),
  parameter("P", "Fuel of a device", "t (MWh of electricity)/year", { min: 0, max: 200 }, section("P")),
  ...factorParameters(section("fuel data")),
];

const formulas: Formula[] = [
  {
    symbol: "P_adj",
    name: "Baseline fuel of a device, at most the cap",
    unit: "t/year",
    expression: "min(P, P_CAP * HN)",
    source: section("P_b,adj, option A"),
    rows: { side: "baseline", carriers: ["woody"] },
  },
  {
    symbol: "P_adj",
    name: "Baseline fuel of a device",
    unit: "t (MWh)/year",
    expression: "P",
    source: section("P_b,adj"),
    rows: { side: "baseline", carriers: ["biomass", "fossil", "electricity"] },
  },
  ...emissionFormulas("E_b", "baseline", "N * U * P_adj", { name: "Baseline emissions", source: section("BE_unc") }),
  { symbol: "BAU", name: "Business as usual", unit: "tCO2e", expression: "sum(E_b)", source: section("BAU") },
  {
    symbol: "BE",
    name: "Baseline emissions",
    unit: "tCO2e",
    expression: "max(min(BAU * (1 - DAF), BAU), 0)",
    source: section("BE"),
  },
  ...emissionFormulas("E_p", "project", "N * U * P", { name: "Activity emissions", source: section("AE") }),
  { symbol: "AE", name: "Activity emissions", unit: "tCO2e", expression: "sum(E_p)", source: section("AE") },
  {
    symbol: "charged",
    name: "Share of embodied emissions charged this year",
    unit: "1",
    expression: "life < 5 ? 1 : (year <= 5 ? 1 / 5 : 0)",
    source: section("LE_embodied"),
  },
  {
    symbol: "LE_embodied",
    name: "Leakage, embodied emissions",
    unit: "tCO2e",
    expression: "N_new * EMEF * charged",
    source: section("LE_embodied"),
  },
  {
    symbol: "LE_market",
    name: "Leakage, market effects",
    unit: "tCO2e",
    expression: "m * (BE - AE)",
    source: section("LE_market"),
  },
  { symbol: "LE", name: "Leakage", unit: "tCO2e", expression: "LE_embodied + LE_market", source: section("LE") },
  {
    symbol: "ER",
    name: "Emission reduction",
    unit: "tCO2e",
    expression: "(BE - AE) * HE - LE",
    source: section("ER"),
  },
];

/** Gold Standard simplified methodology for clean and efficient cookstoves v4.0. */
export const smec = defineMethod({
  id: "smec-4",
  version: "4.0",
  title: "Gold Standard simplified methodology for clean and efficient cookstoves (SMEC)",
  parameters: [
    parameter("DAF", "Downward adjustment factor", "1", share, section("DAF, from GS4GG tool 05")),
    parameter("N_new", "Devices that were new in the year", "device", count, section("LE_embodied")),
    parameter("life", "Technical life of a device", "year", { min: "0.1", max: 100 }, section("LE_embodied")),
    parameter("year", "Year of the new devices, from 1", "1", { min: 1, max: 100 }, section("LE_embodied"), {
      default: valueDefault("1"),
    }),
    // With less than the market leakage, saving more fuel would lower the result.
    parameter("HE", "Hawthorne effect index", "1", { min: marketLeakage.value.toString(), max: 1 }, section("HE_ind")),
    ...leakageParameters,
  ],
  rows: {
    baseline: [...rowParameters, ...capParameters({ wood: "1.25", charcoal: "0.40", source: section("P_CAP") })],
    project: rowParameters,
  },
  formulas,
  results: { baseline: "BE", project: "AE", leakage: "LE", reductions: "ER" },
  adjustments: ["P_CAP", "P_adj", "DAF", "HE", "EMEF", "m", "charged", "LE_embodied", "LE_market", "LE"],
  minimums: testMinimums(ninetyTenOnMean(section("mandatory precision target")), source),
  test: {
    fuel: { symbol: "P", per: "year" },
    devices: { symbol: "N", per: "year" },
    usage: "U",
    newDevices: "N_new",
    householdSize: "HN",
  },
});
