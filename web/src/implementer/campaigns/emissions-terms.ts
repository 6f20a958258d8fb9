import { exact } from "../../../../wire/src/exact.ts";
import { type DriedFuel, driedFuels } from "../../../../wire/src/kpt-visits.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";
import type { Campaign } from "./records.ts";

/** The programme's data in addition to its measurements, as typed; blank: not given. */
export const blankTerms = {
  method: "",
  methodVersion: "",
  fuel: "",
  fuelMass: "",
  valuePer: "",
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

/** Props of a form part that edits terms. */
export type TermsProps = {
  draft: TermsDraft;
  onChange: (part: Partial<TermsDraft>) => void;
  /** Fields with a text that is not a number. */
  unreadable: readonly string[];
};

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
const words = [
  "method",
  "methodVersion",
  "fuel",
  "fuelMass",
  "valuePer",
  "gwp",
  "area",
  "baseline",
  "fnrbApproval",
] as const;

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

type CommittedTerms = NonNullable<Campaign["emissions"]>;

/** Committed data as the texts of the form. */
export function draftOf(terms: CommittedTerms | null): TermsDraft {
  const draft = { ...blankTerms };
  const told = { ...terms, parameters: terms?.parameters?.join(", "), ...terms?.methodParameters };
  const survey = { surveyed: terms?.usageSurvey?.surveyed, inUse: terms?.usageSurvey?.inUse };
  const dryNcv = Object.entries(terms?.dryNcv ?? {}).map(([fuel, value]) => [`dryNcv.${fuel}`, value] as const);
  const values = new Map<string, unknown>([...Object.entries({ ...told, ...survey }), ...dryNcv]);
  for (const name of Object.keys(draft) as (keyof TermsDraft)[]) {
    const value = values.get(name);
    if (value !== undefined) draft[name] = String(value);
  }
  return draft;
}

/** Data that the form has in fields of other names. */
const partlyShown = ["dryNcv", "usageSurvey"];

/** The data of an amendment, which replaces all that were committed: those of the form, and those that it does not have. */
export function amendedTerms(committed: CommittedTerms | null, draft: TermsDraft): Record<string, unknown> {
  const terms = termsOf(draft) ?? {};
  const { methodParameters: figures = {}, ...given } = committed ?? {};
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(blankTerms, name) && !partlyShown.includes(name)) terms[name] = value;
  }
  const others = Object.entries(figures).filter(([symbol]) => !symbols.some((each) => each === symbol));
  if (others.length > 0 && draft.method === (committed?.method ?? "")) {
    const own = terms.methodParameters as Record<string, unknown> | undefined;
    terms.methodParameters = {
      ...Object.fromEntries(others.map(([symbol, value]) => [symbol, exact(String(value))])),
      ...own,
    };
  }
  return terms;
}
