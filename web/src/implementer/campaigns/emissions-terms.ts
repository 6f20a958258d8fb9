import { exact } from "../../../../wire/src/exact.ts";
import { type DriedFuel, driedFuels } from "../../../../wire/src/kpt-visits.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";

/** The programme's data in addition to its measurements, as typed; blank: not given. */
export const blankTerms = {
  method: "",
  methodVersion: "",
  fuel: "",
  fuelMass: "",
  gwp: "",
  area: "",
  units: "",
  householdSize: "",
  usage: "",
  surveyed: "",
  inUse: "",
  fnrb: "",
  fnrbApproval: "",
  baseline: "",
  newUnits: "",
  life: "",
  creditingYear: "",
  daf: "",
  he: "",
  leakage: "",
  vintage: "",
  parameters: "",
  meteredFuel: "",
  SC_b: "",
  SC_p: "",
  P_CAP: "",
  MPE: "",
  eta_old: "",
  eta_new: "",
  PE_other: "",
  LE_RB: "",
  // Calorific values of dry fuels.
  "dryNcv.wood": "",
  "dryNcv.pellets": "",
  "dryNcv.briquettes": "",
  "dryNcv.residues": "",
  "dryNcv.dung": "",
};
export type TermsDraft = typeof blankTerms;

/** Parameters of a method that the form asks for, by symbol. */
export const methodParameters: Readonly<Record<string, readonly ParameterSymbol[]>> = {
  "vm0050-1": ["eta_old", "eta_new", "PE_other", "LE_RB"],
  "mecd-specific-energy": ["SC_b", "SC_p", "P_CAP", "MPE"],
};
const symbols = ["SC_b", "SC_p", "P_CAP", "MPE", "eta_old", "eta_new", "PE_other", "LE_RB"] as const;
export type ParameterSymbol = (typeof symbols)[number];

/** Sets of global warming potentials. */
export const gwpSets = ["AR4", "AR5", "AR6"] as const satisfies NonNullable<Schemas["EmissionsTerms"]["gwp"]>[];

/** Terms that few campaigns state; the form shows them on request. */
export const rareTerms = [
  "gwp",
  "methodVersion",
  "parameters",
  "units",
  "newUnits",
  "usage",
  "surveyed",
  "inUse",
  "dryNcv.wood",
  "dryNcv.pellets",
  "dryNcv.briquettes",
  "dryNcv.residues",
  "dryNcv.dung",
] as const satisfies readonly (keyof TermsDraft)[];
export type RareTerm = (typeof rareTerms)[number];

/** Whether a method credits what meters counted, instead of a saving. */
export function readsMeters(method: string): boolean {
  return method === "mecd-specific-energy";
}

/** The field of a dry fuel's calorific value. */
export const dryNcvField = (fuel: DriedFuel) => `dryNcv.${fuel}` as const;

const decimals = ["units", "householdSize", "usage", "fnrb", "newUnits", "life", "daf", "he", "leakage"] as const;
const wholes = ["surveyed", "inUse", "creditingYear", "vintage"] as const;
const words = ["method", "methodVersion", "fuel", "fuelMass", "gwp", "area", "baseline", "fnrbApproval"] as const;

/** The parameters of the chosen method; those of another method that was chosen before do not count. */
const parametersOf = ({ method }: Partial<TermsDraft>) => methodParameters[method ?? ""] ?? [];

/** The calorific values that count: a mass as weighed has none. */
const dryNcvOf = ({ fuelMass }: Partial<TermsDraft>) => (fuelMass === "dry" ? driedFuels.map(dryNcvField) : []);

/** The fields with a text that is not a number. A comma is a decimal sign. */
export function unreadableTerms(draft: TermsDraft): (keyof TermsDraft)[] {
  const wrong = (names: readonly (keyof TermsDraft)[], form: RegExp) =>
    names.filter((name) => draft[name].trim() !== "" && !form.test(draft[name].trim()));
  return [
    ...wrong([...decimals, ...parametersOf(draft), ...dryNcvOf(draft)], /^-?\d{1,15}([.,]\d{1,18})?$/),
    ...wrong(wholes, /^\d{1,9}$/),
  ];
}

/** The data in the API's form, digit for digit; undefined when nothing was entered. */
export function termsOf(draft: TermsDraft): Record<string, unknown> | undefined {
  const told = Object.fromEntries(
    Object.entries(draft)
      .map(([name, text]) => [name, text.trim()] as const)
      .filter(([, text]) => text !== ""),
  ) as Partial<TermsDraft>;
  const number = (text: string) => exact(text.replace(",", "."));
  const terms: Record<string, unknown> = {};
  for (const name of words) if (told[name] !== undefined) terms[name] = told[name];
  for (const name of [...decimals, "creditingYear", "vintage"] as const) {
    const text = told[name];
    if (text !== undefined) terms[name] = number(text);
  }
  if (told.meteredFuel !== undefined && readsMeters(told.method ?? "")) terms.meteredFuel = told.meteredFuel;
  const recorded = told.parameters?.split(/[\s,;]+/).filter(Boolean) ?? [];
  if (recorded.length > 0) terms.parameters = recorded;
  const parameters = parametersOf(told).flatMap((symbol) => {
    const text = told[symbol];
    return text === undefined ? [] : [[symbol, number(text)] as const];
  });
  if (parameters.length > 0) terms.methodParameters = Object.fromEntries(parameters);
  const dryNcv = dryNcvOf(told).flatMap((name, i) => {
    const text = told[name];
    return text === undefined ? [] : [[driedFuels[i], number(text)] as const];
  });
  if (dryNcv.length > 0) terms.dryNcv = Object.fromEntries(dryNcv);
  if (told.surveyed !== undefined || told.inUse !== undefined) {
    terms.usageSurvey = {
      ...(told.surveyed === undefined ? {} : { surveyed: number(told.surveyed) }),
      ...(told.inUse === undefined ? {} : { inUse: number(told.inUse) }),
    };
  }
  return Object.keys(terms).length === 0 ? undefined : terms;
}
