import type { RuleDetail } from "../../../platform/errors.ts";
import { sumOf, zero } from "../decimal.ts";
import { defineMethod } from "./define-method.ts";
import type { Formula, MethodInputs, Parameter } from "./definition.ts";
import {
  burntFuels,
  count,
  factorParameters,
  leakageParameters,
  ninetyTenOnMean,
  parameter,
  share,
  testMinimums,
} from "./parameters.ts";

const version = "2.0";
const source = "Gold Standard MECD v2.0";
const section = (what: string) => `${source}, ${what}`;
const title = "Gold Standard metered and measured energy cooking devices (MECD)";

const upstream = parameter("UEF", "Emissions before the kitchen", "tCO2e/TJ", { min: 0, max: 500 }, section("UEF"), {
  carriers: burntFuels,
});
const efficiency = (side: string) =>
  parameter("eta", "Efficiency of the device", "1", { min: "0.01", max: 1 }, section(`eta_${side}`));

const projectRows: Parameter[] = [
  parameter(
    "P",
    "Fuel that the meters counted",
    "t (MWh of electricity)",
    { min: 0, max: "1e9" },
    section("EG_p,d,y and P_p,d,y"),
  ),
  ...factorParameters(section("fuel data")),
  upstream,
];

const commonParameters: Parameter[] = [
  parameter(
    "P_CAP",
    "Most baseline energy that is credited to a person",
    "TJ/person",
    { min: 0, max: 1 },
    section("PCAP"),
  ),
  parameter("users", "People who use the devices", "person", { min: 0, max: "1e10" }, section("PCAP")),
  parameter("DAF", "Downward adjustment factor", "1", share, section("DAF")),
  parameter(
    "BAU",
    "Emissions that the national projection allows",
    "tCO2e",
    { min: 0, max: "1e12" },
    section("BAU ceiling"),
    {
      default: { kind: "formula", expression: "BE_unc" },
    },
  ),
  parameter("MPE", "Greatest error of the meters", "1", share, section("meter error")),
  // A result of which less is metered cannot be calculated.
  parameter(
    "coverage",
    "Share of devices whose meters report",
    "1",
    { min: "0.95", max: 1 },
    section("CTEC, 95 % of the devices"),
  ),
  parameter("N_new", "Devices that were new in the period", "device", count, section("embodied leakage")),
  ...leakageParameters,
];

const energyOfProject: Formula[] = [
  {
    symbol: "Q_p",
    name: "Energy that the meters counted",
    unit: "TJ",
    expression: "P * NCV",
    source: section("equation 7"),
    rows: { side: "project", carriers: burntFuels },
  },
  {
    symbol: "Q_p",
    name: "Energy that the meters counted",
    unit: "TJ",
    expression: "P * 0.0036",
    source: section("equation 6"),
    rows: { side: "project", carriers: ["electricity"] },
  },
];

/** From the baseline's energy and its factor to the reduction; both methods end so. */
const toReduction: Formula[] = [
  {
    symbol: "BE_unc",
    name: "Baseline emissions before the downward adjustment",
    unit: "tCO2e",
    expression: "min(Q_b, P_CAP * users) * EF_b",
    source: section("equations 3 and 4, PCAP"),
  },
  {
    symbol: "BE",
    name: "Baseline emissions",
    unit: "tCO2e",
    expression: "max(min(BE_unc * (1 - DAF), BAU), 0)",
    source: section("DAF and BAU ceiling"),
  },
  {
    symbol: "E_p",
    name: "Emissions of the project's fuel",
    unit: "tCO2e",
    expression: "P * NCV * (EF_CO2 * fNRB + EF_nonCO2 + UEF)",
    source: section("equation 9"),
    rows: { side: "project", carriers: burntFuels },
  },
  {
    symbol: "E_p",
    name: "Emissions of the project's electricity",
    unit: "tCO2e",
    expression: "P * EF_el * (1 + TDL)",
    source: section("equation 8"),
    rows: { side: "project", carriers: ["electricity"] },
  },
  {
    symbol: "PE",
    name: "Project emissions",
    unit: "tCO2e",
    // Meters that may err by more than 2.5 % count as if they had shown too little.
    expression: "sum(E_p) * (MPE > 0.025 ? 1 + MPE : 1)",
    source: section("equations 8 and 9, meter error"),
  },
  {
    symbol: "LE",
    name: "Leakage",
    unit: "tCO2e",
    expression: "N_new * EMEF + m * (BE - PE)",
    source: section("embodied and market leakage"),
  },
  {
    symbol: "ER",
    name: "Emission reduction",
    unit: "tCO2e",
    expression: "BE - PE - LE",
    source: section("equation 10"),
  },
];

const results = { baseline: "BE", project: "PE", leakage: "LE", reductions: "ER" };
const adjustments = ["P_CAP", "BE_unc", "DAF", "BAU", "MPE", "EMEF", "m", "LE"];
const minimums = testMinimums(ninetyTenOnMean(section("90/10 rule")), source);

/** MECD by specific energy (method 2): controlled cooking tests give the ratio of baseline to project energy. */
export const mecdSpecificEnergy = defineMethod({
  id: "mecd-specific-energy",
  version,
  title: `${title}, method 2: specific energy`,
  parameters: [
    parameter("SC_b", "Energy of a cooking test, baseline devices", "TJ/person", { min: 0, max: 1 }, section("SC_b")),
    parameter(
      "SC_p",
      "Energy of a cooking test, project device",
      "TJ/person",
      { min: "1e-9", max: 1 },
      section("SC_p"),
    ),
    ...commonParameters,
  ],
  rows: {
    baseline: [
      parameter("share", "Share of the baseline's energy", "1", share, section("Prop_i,j")),
      ...factorParameters(section("fuel data")),
      upstream,
    ],
    project: projectRows,
  },
  formulas: [
    {
      symbol: "EF",
      name: "Emission factor of the fuel, by its share",
      unit: "tCO2e/TJ",
      expression: "share * (EF_CO2 * fNRB + EF_nonCO2 + UEF)",
      source: section("equation 2"),
      rows: { side: "baseline", carriers: burntFuels },
    },
    {
      symbol: "EF",
      name: "Emission factor of the grid, by its share",
      unit: "tCO2e/TJ",
      expression: "share * EF_el * (1 + TDL) / 0.0036",
      source: section("equation 2"),
      rows: { side: "baseline", carriers: ["electricity"] },
    },
    {
      symbol: "EF_b",
      name: "Baseline emission factor",
      unit: "tCO2e/TJ",
      expression: "sum(EF)",
      source: section("equation 2"),
    },
    ...energyOfProject,
    {
      symbol: "Q_b",
      name: "Energy that the baseline devices would have used",
      unit: "TJ",
      expression: "sum(Q_p) * SC_b / SC_p",
      source: section("equation 4"),
    },
    ...toReduction,
  ],
  results,
  adjustments,
  minimums,
  test: null,
  metered: { amount: "P", share: "share", factor: "EF", users: "users", coverage: "coverage", newDevices: "N_new" },
  check: sharesMakeOne,
});

/** MECD by useful energy (method 1): the efficiencies of the devices give the baseline's energy. */
export const mecdUsefulEnergy = defineMethod({
  id: "mecd-useful-energy",
  version,
  title: `${title}, method 1: useful energy`,
  parameters: commonParameters,
  rows: {
    baseline: [
      parameter("P", "Fuel of a household", "t (MWh of electricity)/day", { min: 0, max: "0.6" }, section("P_b,i,j")),
      ...factorParameters(section("fuel data")),
      upstream,
      efficiency("b"),
    ],
    project: [...projectRows, efficiency("p")],
  },
  formulas: [
    {
      symbol: "Q_i",
      name: "Energy of the fuel in a household",
      unit: "TJ/day",
      expression: "P * NCV",
      source: section("equation 1"),
      rows: { side: "baseline", carriers: burntFuels },
    },
    {
      symbol: "Q_i",
      name: "Energy of electricity in a household",
      unit: "TJ/day",
      expression: "P * 0.0036",
      source: section("equation 1"),
      rows: { side: "baseline", carriers: ["electricity"] },
    },
    {
      symbol: "E_i",
      name: "Emissions of the fuel in a household",
      unit: "tCO2e/day",
      expression: "P * NCV * (EF_CO2 * fNRB + EF_nonCO2 + UEF)",
      source: section("equation 1"),
      rows: { side: "baseline", carriers: burntFuels },
    },
    {
      symbol: "E_i",
      name: "Emissions of electricity in a household",
      unit: "tCO2e/day",
      expression: "P * EF_el * (1 + TDL)",
      source: section("equation 1"),
      rows: { side: "baseline", carriers: ["electricity"] },
    },
    {
      symbol: "W_i",
      name: "Useful energy of the fuel in a household",
      unit: "TJ/day",
      expression: "Q_i * eta",
      source: section("equation 1"),
      rows: { side: "baseline" },
    },
    {
      symbol: "EF_b",
      name: "Baseline emission factor of the energy used",
      unit: "tCO2e/TJ",
      expression: "sum(E_i) / sum(Q_i)",
      source: section("equation 1"),
    },
    ...energyOfProject,
    {
      symbol: "W_p",
      name: "Useful energy of the project",
      unit: "TJ",
      expression: "Q_p * eta",
      source: section("equations 6 and 7"),
      rows: { side: "project" },
    },
    {
      symbol: "Q_b",
      name: "Energy that the baseline devices would have used",
      unit: "TJ",
      expression: "sum(W_p) * sum(Q_i) / sum(W_i)",
      source: section("equations 1 and 3"),
    },
    ...toReduction,
  ],
  results,
  adjustments,
  minimums,
  test: null,
});

function sharesMakeOne({ baseline }: MethodInputs): RuleDetail[] {
  const total = sumOf(baseline.map(({ values }) => values.share ?? zero));
  if (total.eq(1)) return [];
  return [
    { path: "baseline", rule: "shares-make-one", message: `The shares of the baseline's fuels make ${total}, not 1.` },
  ];
}
