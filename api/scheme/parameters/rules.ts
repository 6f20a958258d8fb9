import { corsiaPhases, mechanisms, ndcMethods } from "../../../indexer/schema/article-6-words.ts";
import { registrySpelling } from "../../../indexer/schema/registry-names.ts";
import { driedFuels, isDriedFuel } from "../../../wire/src/kpt-visits.ts";
import type { RuleDetail } from "../../platform/errors.ts";
import {
  type Decimal,
  decimal,
  decimalText,
  fuelIds,
  type MinimumLimits,
  methods,
  minimumLimits,
  minimumNames,
  type RecordedFigure,
  recordableFigure,
  renewabilityAreas,
} from "../emissions/index.ts";
import { ALIAS_KIND, REGISTRY_LIST_KEY, registryIdOf } from "./carbon-registries.ts";
import { MEASUREMENT_KEY, type NewParameter, type ParameterKind, VALUE_DECIMALS } from "./schemas.ts";

type KindRules = {
  unit: string;
  min: string;
  max: string;
  keys:
    | "area"
    | "fuel"
    | "solid-biomass"
    | "method"
    | "method-parameter"
    | "method-minimum"
    | "name"
    | "list"
    | "campaigns"
    | "plan"
    | "party-year"
    | "approach"
    | "phase";
  /** The words of a kind that is a choice. On chain: the word as unit, and its number from 1 as value. */
  choices?: readonly string[];
  /** Whether the validity is whole calendar years with an end. */
  wholeYears?: boolean;
};

/** Most characters of a unit on chain. */
const MOST_UNIT = 32;

/** Above the emissions of all countries together. */
const MOST_TONNES = "1000000000000";

const rules: Record<ParameterKind, KindRules> = {
  fnrb: { unit: "1", min: "0", max: "1", keys: "area" },
  ncv: { unit: "TJ/t", min: "0.001", max: "0.2", keys: "fuel" },
  "ncv-dry": { unit: "TJ/t", min: "0.001", max: "0.2", keys: "solid-biomass" },
  "ef-co2": { unit: "t/TJ", min: "0", max: "500", keys: "fuel" },
  "ef-nonco2": { unit: "tCO2e/TJ", min: "0", max: "500", keys: "fuel" },
  "ef-upstream": { unit: "tCO2e/TJ", min: "0", max: "500", keys: "fuel" },
  "ef-grid": { unit: "tCO2e/MWh", min: "0", max: "3", keys: "area" },
  "grid-losses": { unit: "1", min: "0", max: "0.6", keys: "area" },
  method: { unit: "version", min: "0", max: "1000000", keys: "method" },
  // Unit and limits of these two are those of the method.
  "method-parameter": { unit: "", min: "0", max: "1e12", keys: "method-parameter" },
  "method-minimum": { unit: "", min: "0", max: "1000000", keys: "method-minimum" },
  registry: { unit: "", min: "0", max: "0", keys: "name" },
  "registry-alias": { unit: "", min: "0", max: "0", keys: "name" },
  "registry-list": { unit: "", min: "1", max: "2", keys: "list", choices: ["open", "closed"] },
  "measurement-order": { unit: "", min: "1", max: "2", keys: "campaigns", choices: ["any", "after-draw"] },
  "plan-area": { unit: "", min: "1", max: "1000", keys: "plan", choices: renewabilityAreas },
  "plan-fuel": {
    unit: "",
    min: "1",
    max: "1000",
    keys: "plan",
    choices: fuelIds.filter((fuel) => fuel !== "electricity"),
  },
  "ndc-method": { unit: "", min: "1", max: "3", keys: "area", choices: ndcMethods, wholeYears: true },
  mechanism: { unit: "", min: "1", max: "2", keys: "approach", choices: mechanisms },
  corsia: { unit: "", min: "0", max: "0", keys: "phase" },
  "ndc-level": { unit: "tCO2e", min: "0", max: MOST_TONNES, keys: "party-year" },
  "ndc-emissions": { unit: "tCO2e", min: "0", max: MOST_TONNES, keys: "party-year" },
};

/** The unit of a request's value: for a kind with choices the word that was chosen, for registries and aliases the registry's id. */
export function unitOf({ kind, key, choice, registryId }: NewParameter): string {
  if (kind === "registry") return registryId ?? registryIdOf(key);
  if (kind === ALIAS_KIND) return registryId ?? "";
  if (kind === "method-parameter") return figureOf(key)?.unit.slice(0, MOST_UNIT) ?? "";
  if (kind === "method-minimum") return minimumOf(key)?.unit ?? "";
  return rules[kind].choices === undefined ? rules[kind].unit : (choice ?? "");
}

/** The exact value of a request: the number of the choice, and 0 for a kind without a value. */
export function exactValue({ kind, value, choice }: Pick<NewParameter, "kind" | "value" | "choice">): Decimal {
  const { choices } = rules[kind];
  if (choices !== undefined) return decimal(choices.indexOf(choice ?? "") + 1);
  return decimal(value ?? 0n).div(decimal(10).pow(VALUE_DECIMALS));
}

/** The word that an entry on chain chose; null for a kind without choices. */
export function choiceOf({ kind, unit }: { kind: string; unit: string }): string | null {
  return (rules as Record<string, KindRules>)[kind]?.choices?.find((word) => word === unit) ?? null;
}

/** List each rule that a new parameter breaks, apart from the spelling of a registry's name. */
export function parameterProblems(input: NewParameter): RuleDetail[] {
  const { kind, key, validFrom, validTo } = input;
  const found = [...keyProblems(kind, key), ...valueProblems(input), ...registryIdProblems(input)];
  if (validTo !== undefined && validTo < validFrom) {
    const message = "The validity must not end before it starts.";
    found.push({ path: "validTo", rule: "dates-ordered", message });
  }
  if (rules[kind].wholeYears && !(validFrom.endsWith("-01-01") && validTo?.endsWith("-12-31"))) {
    const message = `The validity of ${kind} is the NDC period: from 1 January of its first to 31 December of its last year.`;
    found.push({ path: "validTo", rule: "whole-years", message });
  }
  return found;
}

function registryIdProblems({ kind, registryId }: NewParameter): RuleDetail[] {
  const path = "registryId";
  if (kind === ALIAS_KIND && registryId === undefined) {
    return [{ path, rule: "required", message: "An alias says which registry it names." }];
  }
  if (kind === "registry" || kind === ALIAS_KIND || registryId === undefined) return [];
  return [{ path, rule: "registry-id-absent", message: "Only a registry and its alias have a registry's id." }];
}

function keyProblems(kind: ParameterKind, key: string): RuleDetail[] {
  const refused = (message: string) => [{ path: "key", rule: "key-known", message }];
  switch (rules[kind].keys) {
    case "area":
      return /^[A-Z]{3}$/.test(key) ? [] : refused(`The key of ${kind} is a code of three letters, such as ZMB.`);
    case "fuel":
      return (fuelIds as string[]).includes(key) ? [] : refused(`${key} is not a fuel: ${fuelIds.join(", ")}.`);
    case "solid-biomass":
      return isDriedFuel(key) ? [] : refused(`${key} is not solid biomass: ${driedFuels.join(", ")}.`);
    case "method":
      return methods.has(key) ? [] : refused(`${key} is not a method here: ${[...methods.keys()].join(", ")}.`);
    case "method-parameter":
      return figureOf(key) === undefined
        ? refused(
            `The key of ${kind} is a method, the symbol of its figure and, if it is of one area, that area, such as mecd-specific-energy/SC_b/KEN.`,
          )
        : [];
    case "method-minimum":
      return minimumOf(key) === undefined
        ? refused(
            `The key of ${kind} is a method, one of ${minimumNames.join(", ")} and, if it is of one area, that area, such as vm0050-1/sample.`,
          )
        : [];
    case "party-year":
      return /^[A-Z]{3}-20\d\d$/.test(key)
        ? []
        : refused(`The key of ${kind} is a Party and a year, such as ZMB-2025.`);
    case "approach":
      return /^CA\d{4}$/.test(key) ? [] : refused(`The key of ${kind} is a cooperative approach, such as CA0001.`);
    case "phase": {
      const phases = Object.keys(corsiaPhases);
      const isPhase = phases.some((phase) => key.startsWith(`${phase}/`) && key.length > phase.length + 1);
      return isPhase ? [] : refused(`The key of ${kind} is ${phases.join(" or ")}, a slash, and a registry's name.`);
    }
    case "name":
      return registrySpelling(key) === null
        ? refused("A registry's name has printable ASCII characters, one of them a letter or digit.")
        : [];
    case "list":
      return key === REGISTRY_LIST_KEY ? [] : refused(`The key of ${kind} is ${REGISTRY_LIST_KEY}.`);
    // A plan may be recorded before it is registered.
    case "plan":
      return [];
    case "campaigns":
      return key === MEASUREMENT_KEY ? [] : refused(`The key of ${kind} is ${MEASUREMENT_KEY}.`);
  }
}

function valueProblems(input: NewParameter): RuleDetail[] {
  const { min, max, choices, unit } = limitsOf(input);
  if (choices !== undefined) return choiceProblems(input, choices);
  if (input.choice !== undefined) {
    return [{ path: "choice", rule: "choice-absent", message: `A parameter of the kind ${input.kind} has no choice.` }];
  }
  const isGiven = input.value !== undefined;
  if (input.kind === "registry" || input.kind === "corsia" || input.kind === ALIAS_KIND) {
    if (!isGiven) return [];
    const message =
      input.kind === "registry" ? "A registry has no value." : `A parameter of the kind ${input.kind} has no value.`;
    return [{ path: "value", rule: "value-absent", message }];
  }
  if (!isGiven)
    return [{ path: "value", rule: "required", message: `A parameter of the kind ${input.kind} has a value.` }];
  const value = exactValue(input);
  if (input.kind === "method-minimum" && minimumOf(input.key)?.isWhole && !value.isInteger()) {
    return [{ path: "value", rule: "whole-number", message: `${input.key} is a whole number.` }];
  }
  if (value.gte(min) && value.lte(max)) return [];
  return [{ path: "value", rule: "range", message: `${input.kind} lies from ${min} to ${max} ${unit}.` }];
}

/** Limits of a value; those of a method's figure are the method's own, and a minimum is not looser than the method's. */
function limitsOf({ kind, key }: NewParameter): Pick<KindRules, "min" | "max" | "choices" | "unit"> {
  const figure = kind === "method-parameter" ? figureOf(key) : kind === "method-minimum" ? minimumOf(key) : undefined;
  if (figure === undefined) return rules[kind];
  return { min: decimalText(figure.min), max: decimalText(figure.max), unit: figure.unit };
}

/** The figure that the key of a method's parameter names. */
function figureOf(key: string): RecordedFigure | undefined {
  return ofMethod(key, recordableFigure);
}

/** The minimum that the key of a method's minimum names. */
function minimumOf(key: string): MinimumLimits | undefined {
  return ofMethod(key, minimumLimits);
}

/** Find what a key names of a method; undefined where the key is not of the form method/name or method/name/area. */
function ofMethod<Found>(key: string, find: (method: string, name: string) => Found | undefined): Found | undefined {
  const [method = "", name = "", area, ...more] = key.split("/");
  if (more.length > 0 || (area !== undefined && !/^[A-Z]{3}$/.test(area))) return undefined;
  return find(method, name);
}

function choiceProblems({ kind, value, choice }: NewParameter, choices: readonly string[]): RuleDetail[] {
  const problems: RuleDetail[] = [];
  if (value !== undefined) {
    problems.push({ path: "value", rule: "value-absent", message: `${kind} takes a choice and no value.` });
  }
  if (choice === undefined || !choices.includes(choice)) {
    problems.push({ path: "choice", rule: "choice-known", message: `${kind} is one of ${choices.join(", ")}.` });
  }
  return problems;
}

/** The value as a whole number and its decimals, without zeros at the end. */
export function scaledValue(value: Decimal): { value: bigint; decimals: number } {
  const [whole = "0", decimals = ""] = decimalText(value).split(".");
  return { value: BigInt(whole + decimals), decimals: decimals.length };
}
