import { decimal } from "../decimal.ts";
import { defineMethod } from "./define-method.ts";
import type { Formula, Parameter } from "./definition.ts";
import {
  capParameters,
  count,
  emissionFormulas,
  factorParameters,
  ninetyTenOnMean,
  parameter,
  share,
  testMinimums,
} from "./parameters.ts";

const source = "Gold Standard TPDDTEC v4.0";

const rowParameters: Parameter[] = [
  parameter("N", "Devices", "device-year", count, `${source}, N`),
  parameter("U", "Share of devices in use", "1", share, `${source}, U`),
  parameter("P", "Fuel of a device", "t (MWh of electricity)/year", { min: 0, max: 200 }, `${source}, P`),
  ...factorParameters(`${source}, fuel data`),
];

/** So large that the cap does not lower a fuel that is adjusted already. */
const uncappedSize = decimal(50);
const capped = capParameters({ wood: "1.25", charcoal: "0.40", source: "cap of SMEC v4.0" }).map((each) =>
  each.symbol === "HN" ? { ...each, default: { kind: "value", value: uncappedSize } as const } : each,
);

const formulas: Formula[] = [
  {
    symbol: "P_adj",
    name: "Baseline fuel of a device, at most the cap",
    unit: "t/year",
    expression: "min(P, P_CAP * HN)",
    source,
    rows: { side: "baseline", carriers: ["woody"] },
  },
  {
    symbol: "P_adj",
    name: "Baseline fuel of a device",
    unit: "t (MWh)/year",
    expression: "P",
    source,
    rows: { side: "baseline", carriers: ["biomass", "fossil", "electricity"] },
  },
  ...emissionFormulas("E_b", "baseline", "N * U * P_adj", { name: "Baseline emissions", source }),
  { symbol: "BE", name: "Baseline emissions", unit: "tCO2e", expression: "sum(E_b)", source },
  ...emissionFormulas("E_p", "project", "N * U * P", { name: "Activity emissions", source }),
  { symbol: "AE", name: "Activity emissions", unit: "tCO2e", expression: "sum(E_p)", source },
  { symbol: "ER", name: "Emission reduction", unit: "tCO2e", expression: "BE - AE - LE", source },
];

/**
 * The plain form of TPDDTEC that `POST /v1/emissions/calculate` offers: years, leakage as assessed. The baseline of a campaign has the
 * cap of SMEC; fuel without a household size is adjusted already.
 */
export const tpddtecPlain = defineMethod({
  id: "tpddtec",
  version: "4.0",
  title: "Gold Standard TPDDTEC, plain form: baseline less project less assessed leakage",
  parameters: [parameter("LE", "Leakage, as assessed", "tCO2e", { min: 0, max: "1e12" }, `${source}, leakage`)],
  rows: { baseline: [...rowParameters, ...capped], project: rowParameters },
  formulas,
  results: { baseline: "BE", project: "AE", leakage: "LE", reductions: "ER" },
  adjustments: ["P_CAP", "P_adj", "LE"],
  minimums: testMinimums(ninetyTenOnMean("the campaign's default precision"), source),
  test: {
    fuel: { symbol: "P", per: "year" },
    devices: { symbol: "N", per: "year" },
    usage: "U",
    newDevices: null,
    householdSize: "HN",
  },
});
