import { type Decimal, decimal, one, sumOf, zero } from "./decimal.ts";
import { type Sourced, sourced } from "./defaults.ts";

/**
 * How a fuel's CO2 counts. `woody`: as far as the wood is not renewable (fNRB). `biomass`: not at all, because it regrows within
 * a year. `fossil`: whole. `electricity`: by the factor of the grid.
 */
export type Carrier = "woody" | "biomass" | "fossil" | "electricity";

/** Sets of global warming potentials over 100 years, by the assessment report of the IPCC. */
export type GwpSet = "AR4" | "AR5" | "AR6";
/** The set where terms state none. */
export const usualGwp: GwpSet = "AR5";

export type FuelData = {
  readonly title: string;
  readonly carrier: Carrier;
  /** What a household's use is measured in. */
  readonly unit: "t" | "MWh";
  readonly ncv: Sourced;
  /** CO2 of burning, t/TJ; null for electricity. */
  readonly efCo2: Sourced | null;
  /** CH4 and N2O of burning, kg/TJ; null for electricity. */
  readonly gases: { readonly ch4: Decimal; readonly n2o: Decimal; readonly source: string } | null;
};

const ncvTable = "IPCC 2006 Guidelines, volume 2, table 1.2";
const residential = "IPCC 2006 Guidelines, volume 2, table 2.5 (residential)";

function burnt(
  title: string,
  carrier: Carrier,
  { ncv, co2, ch4, n2o, category }: { ncv: string; co2: string; ch4: string; n2o: string; category: string },
): FuelData {
  return {
    title,
    carrier,
    unit: "t",
    ncv: sourced(ncv, "TJ/t", `${ncvTable}, ${category}`),
    efCo2: sourced(co2, "t/TJ", `${residential}, ${category}`),
    gases: { ch4: decimal(ch4), n2o: decimal(n2o), source: `${residential}, ${category}` },
  };
}

const woodFigures = { ncv: "0.0156", co2: "112", ch4: "300", n2o: "4", category: "wood / wood waste" };
const residueFigures = { ncv: "0.0116", co2: "100", ch4: "300", n2o: "4", category: "other primary solid biomass" };

/** Fuels of cooking with their default factors. */
export const fuels = {
  wood: burnt("Wood", "woody", woodFigures),
  charcoal: burnt("Charcoal", "woody", { ncv: "0.0295", co2: "112", ch4: "200", n2o: "1", category: "charcoal" }),
  pellets: burnt("Wood pellets", "woody", woodFigures),
  briquettes: burnt("Wood briquettes", "woody", woodFigures),
  residues: burnt("Crop residues", "biomass", residueFigures),
  dung: burnt("Dung", "biomass", residueFigures),
  ethanol: burnt("Ethanol", "biomass", { ncv: "0.027", co2: "70.8", ch4: "10", n2o: "0.6", category: "biogasoline" }),
  biogas: burnt("Biogas", "biomass", { ncv: "0.0504", co2: "54.6", ch4: "5", n2o: "0.1", category: "other biogas" }),
  lpg: burnt("LPG", "fossil", {
    ncv: "0.0473",
    co2: "63.1",
    ch4: "5",
    n2o: "0.1",
    category: "liquefied petroleum gases",
  }),
  kerosene: burnt("Kerosene", "fossil", {
    ncv: "0.0438",
    co2: "71.9",
    ch4: "10",
    n2o: "0.6",
    category: "other kerosene",
  }),
  "natural-gas": burnt("Natural gas", "fossil", {
    ncv: "0.048",
    co2: "56.1",
    ch4: "5",
    n2o: "0.1",
    category: "natural gas",
  }),
  electricity: {
    title: "Electricity",
    carrier: "electricity",
    unit: "MWh",
    ncv: sourced("0.0036", "TJ/MWh", "definition of the watt hour"),
    efCo2: null,
    gases: null,
  },
} as const satisfies Record<string, FuelData>;

export type FuelId = keyof typeof fuels;
export const fuelIds = Object.keys(fuels) as FuelId[];

export function isFuelId(text: string): text is FuelId {
  return Object.hasOwn(fuels, text);
}

export const gwpSets: Record<GwpSet, { ch4: Decimal; fossilCh4: Decimal; n2o: Decimal; source: string }> = {
  AR4: { ch4: decimal(25), fossilCh4: decimal(25), n2o: decimal(298), source: "IPCC AR4, working group I, table 2.14" },
  AR5: {
    ch4: decimal(28),
    fossilCh4: decimal(28),
    n2o: decimal(265),
    source: "IPCC AR5, working group I, table 8.A.1",
  },
  AR6: {
    ch4: decimal(27),
    fossilCh4: decimal("29.8"),
    n2o: decimal(273),
    source: "IPCC AR6, working group I, table 7.15",
  },
};

/** tCO2e/TJ of CH4 and N2O when `fuel` burns; null for electricity, whose grid factor contains them. */
export function nonCo2Factor(fuel: FuelId, gwp: GwpSet): Sourced | null {
  const { gases, carrier }: FuelData = fuels[fuel];
  if (gases === null) return null;
  const potentials = gwpSets[gwp];
  const methane = carrier === "fossil" ? potentials.fossilCh4 : potentials.ch4;
  const value = sumOf([gases.ch4.times(methane), gases.n2o.times(potentials.n2o)]).div(1000);
  return { value, unit: "tCO2e/TJ", source: `${gases.source}; ${potentials.source}` };
}

/** Heat that evaporates water, at 25 °C: 2.44 MJ per kg of water. */
export const heatOfEvaporation = sourced("0.00244", "TJ/t", "latent heat of water at 25 °C (ISO 18125 prints 2.443)");

/** Share of water in wet fuel, from the share on dry basis that most meters show: MC_wet = MC_dry / (1 + MC_dry). */
export function wetBasis(dryBasis: Decimal): Decimal {
  return dryBasis.div(dryBasis.plus(one));
}

/** Net calorific value of wet fuel, TJ/t: NCV_dry · (1 − m) − 2.44 MJ/kg · m, m the share of water in the wet fuel. */
export function wetNetCalorificValue(dry: Decimal, moisture: Decimal): Decimal {
  if (!(moisture.gte(zero) && moisture.lt(one)))
    throw new RangeError(`A moisture lies from 0 to below 1, not ${moisture}.`);
  return dry.times(one.minus(moisture)).minus(heatOfEvaporation.value.times(moisture));
}
