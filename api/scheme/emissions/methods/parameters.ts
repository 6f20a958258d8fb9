import { decimal } from "../decimal.ts";
import { embodiedPerUnit, marketLeakage } from "../defaults.ts";
import type { Carrier } from "../fuels.ts";
import type { DefaultValue, Formula, Minimums, Parameter, Side } from "./definition.ts";

type Range = { min: string | number; max: string | number };

/** Make a parameter; ranges refuse a figure in a wrong unit. */
export function parameter(
  symbol: string,
  name: string,
  unit: string,
  { min, max }: Range,
  source: string,
  options: { default?: DefaultValue; carriers?: readonly Carrier[]; isFixed?: boolean } = {},
): Parameter {
  return {
    symbol,
    name,
    unit,
    source,
    min: decimal(min),
    max: decimal(max),
    default: options.default ?? null,
    isFixed: options.isFixed ?? false,
    carriers: options.carriers,
  };
}

/** A default that is a plain figure. */
export function valueDefault(value: string): DefaultValue {
  return { kind: "value", value: decimal(value) };
}

/** Fuels that are weighed, not metered in MWh. */
export const burntFuels: readonly Carrier[] = ["woody", "biomass", "fossil"];
const metered: readonly Carrier[] = ["electricity"];

export const share: Range = { min: 0, max: 1 };
export const count: Range = { min: 0, max: "1e9" };

/** Leakage that SMEC and MECD fix for all: of making new devices, and of the market. */
export const leakageParameters: readonly Parameter[] = [
  parameter("EMEF", "Embodied emissions of a device", "tCO2e/device", share, embodiedPerUnit.source, {
    default: { kind: "value", value: embodiedPerUnit.value },
    isFixed: true,
  }),
  parameter("m", "Market leakage", "1", share, marketLeakage.source, {
    default: { kind: "value", value: marketLeakage.value },
    isFixed: true,
  }),
];

/** Factors of a fuel or of the grid, which every method needs. */
export function factorParameters(source: string): Parameter[] {
  return [
    parameter("NCV", "Net calorific value", "TJ/t", { min: "0.001", max: "0.2" }, source, {
      default: { kind: "fuel", factor: "ncv" },
      carriers: burntFuels,
    }),
    parameter("EF_CO2", "CO2 of burning", "t/TJ", { min: 0, max: 500 }, source, {
      default: { kind: "fuel", factor: "efCo2" },
      carriers: burntFuels,
    }),
    parameter("fNRB", "Fraction of non-renewable biomass", "1", share, source, {
      default: { kind: "fuel", factor: "fnrb" },
      carriers: burntFuels,
    }),
    parameter("EF_nonCO2", "CH4 and N2O of burning", "tCO2e/TJ", { min: 0, max: 500 }, source, {
      default: { kind: "fuel", factor: "efNonCo2" },
      carriers: burntFuels,
    }),
    parameter("EF_el", "Emission factor of the grid", "tCO2e/MWh", { min: 0, max: 3 }, "CDM TOOL07", {
      carriers: metered,
    }),
    parameter("TDL", "Losses of transmission and distribution", "1", { min: 0, max: "0.6" }, "CDM TOOL05", {
      carriers: metered,
    }),
  ];
}

/** The emissions of each fuel of a side: one formula for what is burnt, one for electricity. */
export function emissionFormulas(
  symbol: string,
  side: Side,
  amount: string,
  { name, source }: { name: string; source: string },
): Formula[] {
  return [
    {
      symbol,
      name,
      unit: "tCO2e",
      expression: `${amount} * NCV * (EF_CO2 * fNRB + EF_nonCO2)`,
      source,
      rows: { side, carriers: burntFuels },
    },
    {
      symbol,
      name,
      unit: "tCO2e",
      expression: `${amount} * EF_el * (1 + TDL)`,
      source,
      rows: { side, carriers: metered },
    },
  ];
}

/** Most fuel that a person is credited with, in the rows of wood fuels; pellets and briquettes count as wood. */
export function capParameters({
  wood,
  charcoal,
  source,
}: {
  wood: string;
  charcoal: string;
  source: string;
}): Parameter[] {
  const [ofWood, ofCharcoal] = [decimal(wood), decimal(charcoal)];
  const values = { wood: ofWood, pellets: ofWood, briquettes: ofWood, charcoal: ofCharcoal };
  return [
    parameter("P_CAP", "Most fuel that is credited to a person", "t/person/year", { min: 0, max: 10 }, source, {
      default: { kind: "table", values },
      carriers: ["woody"],
      isFixed: true,
    }),
    parameter("HN", "People in a household", "person", { min: "0.5", max: 50 }, source, { carriers: ["woody"] }),
  ];
}

const protocol = "Kitchen Performance Test protocol v3.0";
const samplingStandard = "CDM Guideline: Sampling and surveys for CDM project activities";

/** Minimums of kitchen performance tests and usage surveys. */
export function testMinimums(precision: Minimums["precision"], source: string): Minimums {
  return {
    sample: { value: 30, source: `${source}; ${samplingStandard}` },
    days: { value: 3, source: protocol },
    usageSurvey: { total: 100, perCohort: 30, source: "Gold Standard TPDDTEC v4.0, usage survey" },
    precision,
  };
}

/** A half-width of 10 % at 90 % confidence, on each group's mean. */
export function ninetyTenOnMean(source: string): Minimums["precision"] {
  return { of: "mean", limit: decimal("0.1"), source };
}

/** A half-width of 30 % at 90 % confidence, on the saving. */
export function ninetyThirtyOnSaving(source: string): Minimums["precision"] {
  return { of: "saving", limit: decimal("0.3"), source };
}
