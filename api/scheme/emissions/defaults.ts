import { type Decimal, decimal } from "./decimal.ts";

/** A figure and its publication. */
export type Sourced = { readonly value: Decimal; readonly unit: string; readonly source: string };

export type Fuel = "wood" | "charcoal";

/** Make a figure with its source from decimal text. */
export function sourced(value: string, unit: string, source: string): Sourced {
  return { value: decimal(value), unit, source };
}

const ipcc = "IPCC 2006 Guidelines, volume 2 (Energy)";
/** The Gold Standard's simplified methodology for efficient cookstoves. */
const smec = "Gold Standard SMEC v4.0";
const tool33 = "CDM TOOL33 v03.0 (EB 125, 12 June 2025)";

/** Net calorific value, TJ/t. */
export const netCalorificValues: Record<Fuel, Sourced> = {
  wood: sourced("0.0156", "TJ/t", `${ipcc}, table 1.2, wood`),
  charcoal: sourced("0.0295", "TJ/t", `${ipcc}, table 1.2, charcoal`),
};

/** CO2 of burning, t/TJ; only the non-renewable share of the biomass counts. */
export const co2Factors: Record<Fuel, Sourced> = {
  wood: sourced("112", "tCO2e/TJ", `${ipcc}, table 2.5, wood`),
  charcoal: sourced("112", "tCO2e/TJ", `${ipcc}, table 2.5, charcoal`),
};

/** CH4 and N2O of burning, tCO2e/TJ. */
export const nonCo2Factors: Record<Fuel, Sourced> = {
  wood: sourced("9.46", "tCO2e/TJ", `${smec}, wood, warming potentials of AR5`),
  charcoal: sourced("5.865", "tCO2e/TJ", `${smec}, charcoal burnt (its making left out), warming potentials of AR5`),
};

/** Largest fuel use credited in the baseline, t per person and year. */
export const consumptionCaps: Record<Fuel, Sourced> = {
  wood: sourced("1.25", "t/person/year", `${smec}, P_CAP, wood`),
  charcoal: sourced("0.40", "t/person/year", `${smec}, P_CAP, charcoal`),
};

/** Option B: fuel for the minimum service level, t per person and year. */
export const minimumServiceLevels: Record<Fuel, Sourced> = {
  wood: sourced("0.50", "t/person/year", `${smec}, option B, minimum service level, wood`),
  charcoal: sourced("0.13", "t/person/year", `${smec}, option B, minimum service level, charcoal`),
};

/** Option B: share of the minimum service level after the discount for uncertainty. */
export const serviceLevelDiscount = sourced("0.95", "1", `${smec}, option B, uncertainty factor`);

/** Emissions of making and transporting one new unit. */
export const embodiedPerUnit = sourced("0.017", "tCO2e/unit", `${smec}, leakage, embodied emissions`);

/** Leakage: fuel that others burn because it was saved here, as a share of BE − AE. */
export const marketLeakage = sourced("0.02", "1", `${smec}, leakage, market effects`);

/** Years over which the embodied emissions of a unit that lives at least as long are charged. */
export const embodiedYears = 5;

/** Registry defaults of the fraction of non-renewable biomass by country (ISO 3166-1 alpha-3); SSA: sub-Saharan Africa. */
export const renewabilityDefaults = {
  ZMB: sourced("0.40", "1", `${tool33}, fNRB of Zambia`),
  MWI: sourced("0.48", "1", `${tool33}, fNRB of Malawi`),
  KEN: sourced("0.29", "1", `${tool33}, fNRB of Kenya`),
  SSA: sourced("0.40", "1", `${tool33}, fNRB of sub-Saharan Africa`),
} as const satisfies Record<string, Sourced>;

export type RenewabilityArea = keyof typeof renewabilityDefaults;
export const renewabilityAreas = Object.keys(renewabilityDefaults) as RenewabilityArea[];
