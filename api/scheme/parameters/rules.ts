import type { RuleDetail } from "../../platform/errors.ts";
import { type Decimal, decimal, decimalText, fuelIds, methods } from "../emissions/index.ts";
import { type NewParameter, type ParameterKind, VALUE_DECIMALS } from "./schemas.ts";

type KindRules = { unit: string; min: string; max: string; keys: "area" | "fuel" | "method" | "any" };

const rules: Record<ParameterKind, KindRules> = {
  fnrb: { unit: "1", min: "0", max: "1", keys: "area" },
  ncv: { unit: "TJ/t", min: "0.001", max: "0.2", keys: "fuel" },
  "ef-co2": { unit: "t/TJ", min: "0", max: "500", keys: "fuel" },
  "ef-nonco2": { unit: "tCO2e/TJ", min: "0", max: "500", keys: "fuel" },
  method: { unit: "version", min: "0", max: "1000000", keys: "method" },
  registry: { unit: "", min: "0", max: "0", keys: "any" },
};

export function unitOf(kind: ParameterKind): string {
  return rules[kind].unit;
}

/** The exact value of a request; 0 for a registry. */
export function exactValue({ value }: Pick<NewParameter, "value">): Decimal {
  return decimal(value ?? 0n).div(decimal(10).pow(VALUE_DECIMALS));
}

/** List each rule that a new parameter breaks. */
export function parameterProblems(input: NewParameter): RuleDetail[] {
  const { kind, key, validFrom, validTo } = input;
  const found = [...keyProblems(kind, key), ...valueProblems(input)];
  if (validTo !== undefined && validTo < validFrom) {
    const message = "The validity must not end before it starts.";
    found.push({ path: "validTo", rule: "dates-ordered", message });
  }
  return found;
}

function keyProblems(kind: ParameterKind, key: string): RuleDetail[] {
  const refused = (message: string) => [{ path: "key", rule: "key-known", message }];
  switch (rules[kind].keys) {
    case "area":
      return /^[A-Z]{3}$/.test(key) ? [] : refused(`The key of ${kind} is a code of three letters, such as ZMB.`);
    case "fuel":
      return (fuelIds as string[]).includes(key) ? [] : refused(`${key} is not a fuel: ${fuelIds.join(", ")}.`);
    case "method":
      return methods.has(key) ? [] : refused(`${key} is not a method here: ${[...methods.keys()].join(", ")}.`);
    case "any":
      return [];
  }
}

function valueProblems(input: NewParameter): RuleDetail[] {
  const { min, max } = rules[input.kind];
  const isGiven = input.value !== undefined;
  if (input.kind === "registry") {
    if (!isGiven) return [];
    return [{ path: "value", rule: "value-absent", message: "A registry has no value." }];
  }
  if (!isGiven)
    return [{ path: "value", rule: "required", message: `A parameter of the kind ${input.kind} has a value.` }];
  const value = exactValue(input);
  if (value.gte(min) && value.lte(max)) return [];
  return [{ path: "value", rule: "range", message: `${input.kind} lies from ${min} to ${max} ${unitOf(input.kind)}.` }];
}

/** The value as a whole number and its decimals, without zeros at the end. */
export function scaledValue(value: Decimal): { value: bigint; decimals: number } {
  const [whole = "0", decimals = ""] = decimalText(value).split(".");
  return { value: BigInt(whole + decimals), decimals: decimals.length };
}
