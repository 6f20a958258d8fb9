import { exact } from "../../../../wire/src/exact.ts";
import { driedFuels, kptFuels } from "../../../../wire/src/kpt-visits.ts";
import type { Schemas } from "../../../../wire/src/routes.ts";

type NewParameter = Schemas["NewParameter"];

/** What the key of a kind is made of, in order, with a slash or, before a year, a hyphen between. */
export type KeyPart =
  | "area"
  | "fuel"
  | "solidFuel"
  | "method"
  | "symbol"
  | "minimum"
  | "onlyArea"
  | "party"
  | "year"
  | "approach"
  | "plan"
  | "phase"
  | "registry";

type KindRules = {
  key: readonly KeyPart[];
  /** The key of a kind that has only one. */
  onlyKey?: string;
  /** Unit of the value; absent where it depends on the key, or there is none. */
  unit?: string;
  choices?: readonly string[];
  /** Neither a value nor a choice: only a validity. */
  isBare?: boolean;
};

const weighedFuels = kptFuels.filter((fuel) => fuel !== "electricity");

/** The kinds that the form records. Carbon registries have a separate page. */
export const kinds = {
  fnrb: { key: ["area"] },
  ncv: { key: ["fuel"], unit: "TJ/t" },
  "ncv-dry": { key: ["solidFuel"], unit: "TJ/t" },
  "ef-co2": { key: ["fuel"], unit: "t/TJ" },
  "ef-nonco2": { key: ["fuel"], unit: "tCO2e/TJ" },
  "ef-upstream": { key: ["fuel"], unit: "tCO2e/TJ" },
  "ef-grid": { key: ["area"], unit: "tCO2e/MWh" },
  "grid-losses": { key: ["area"] },
  method: { key: ["method"] },
  "method-parameter": { key: ["method", "symbol", "onlyArea"] },
  "method-minimum": { key: ["method", "minimum", "onlyArea"] },
  "measurement-order": { key: [], onlyKey: "campaigns", choices: ["any", "after-draw"] },
  "plan-area": { key: ["plan"], choices: ["ZMB", "MWI", "KEN", "SSA"] },
  "plan-fuel": { key: ["plan"], choices: weighedFuels },
  "ndc-method": { key: ["party"], choices: ["trajectory", "averaging", "cumulative"] },
  "ndc-level": { key: ["party", "year"], unit: "tCO2e" },
  "ndc-emissions": { key: ["party", "year"], unit: "tCO2e" },
  mechanism: { key: ["approach"], choices: ["article-6.2", "article-6.4"] },
  corsia: { key: ["phase", "registry"], isBare: true },
} as const satisfies Partial<Record<NewParameter["kind"], KindRules>>;
export type Kind = keyof typeof kinds;

export const kindIds = Object.keys(kinds) as Kind[];
export const options = {
  fuel: kptFuels,
  solidFuel: driedFuels,
  method: ["smec-4", "tpddtec-4", "tpddtec", "vm0050-1", "mecd-specific-energy"],
  minimum: ["sample", "days", "usage-survey", "usage-cohort", "precision"],
  phase: ["pilot-phase", "first-phase", "second-phase"],
} as const;

const rulesOf = (kind: string): KindRules | undefined => (kinds as Record<string, KindRules>)[kind];

export const hasPart = (kind: string, part: KeyPart) => rulesOf(kind)?.key.includes(part) === true;
export const choicesOf = (kind: string) => rulesOf(kind)?.choices;
export const unitOf = (kind: string) => rulesOf(kind)?.unit;

/** Whether a kind has a value. */
export function hasValue(kind: string): boolean {
  const rules = rulesOf(kind);
  return rules !== undefined && rules.choices === undefined && rules.isBare !== true;
}

const number = /^\d{1,30}([.,]\d{1,18})?$/;
export const isNumber = (text: string) => number.test(text);

/** Build the request from the texts of the form, digit for digit. */
export function parameterOf(text: (name: string) => string) {
  const kind = text("kind") as Kind;
  const rules: KindRules = kinds[kind];
  const parts = rules.key.map((part) => ({ part, said: text(part) })).filter(({ said }) => said !== "");
  const joined = parts.reduce((key, { part, said }) => {
    const own = ["area", "onlyArea", "party", "approach"].includes(part) ? said.toUpperCase() : said;
    return key === "" ? own : `${key}${part === "year" ? "-" : "/"}${own}`;
  }, "");
  return {
    kind,
    key: rules.onlyKey ?? joined,
    ...(hasValue(kind) ? { value: exact(text("value").replace(",", ".")) } : {}),
    ...(rules.choices === undefined ? {} : { choice: text(`choice ${kind}`) }),
    source: text("source"),
    validFrom: text("validFrom"),
    ...(text("validTo") === "" ? {} : { validTo: text("validTo") }),
  };
}
