import { type Decimal, decimal } from "./decimal.ts";

/** A figure and its publication. */
export type Sourced = { readonly value: Decimal; readonly unit: string; readonly source: string };

export type Fuel = "wood" | "charcoal";

/** Make a figure with its source from decimal text. */
export function sourced(value: string, unit: string, source: string): Sourced {
  return { value: decimal(value), unit, source };
}

/** The Gold Standard's simplified methodology for efficient cookstoves. */
const smec = "Gold Standard SMEC v4.0";
const tool33 = "CDM TOOL33 v03.0 (EB 125, 12 June 2025)";

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
