import type { Decimal } from "../../../../wire/src/exact.ts";
import type { Reduction } from "./result.ts";

/** `total`: a height from zero; otherwise added to the step before. `amount` is exact decimal text. */
export type WaterfallStep = {
  key: "bau" | "daf" | "baseline" | "activity" | "adjustment" | "leakage" | "reduction";
  amount: string;
  isTotal: boolean;
};

/** Number of decimals used for sums; more than any answer has. */
const places = 80;

function scaled(value: Decimal): bigint {
  const [, sign, whole = "0", decimals = ""] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(String(value)) ?? [];
  if (sign === undefined) throw new RangeError(`${value} is not a decimal number.`);
  const digits = BigInt(whole + decimals.slice(0, places).padEnd(places, "0"));
  return sign === "-" ? -digits : digits;
}

function textOf(value: bigint): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, "0");
  const decimals = digits.slice(-places).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${digits.slice(0, -places)}${decimals === "" ? "" : `.${decimals}`}`;
}

/** The exact steps from the baseline to the reduction; undefined when the result breaks a rule of the method. */
export function waterfallOf({ be, ae, le, er, lines }: Reduction): WaterfallStep[] | undefined {
  if (be === null || ae === null || le === null || er === null) return undefined;
  const [base, activity, leakage, reduction] = [be, ae, le, er].map(scaled) as [bigint, bigint, bigint, bigint];
  const adjustment = reduction - (base - activity - leakage);
  const step = (key: WaterfallStep["key"], value: bigint, isTotal = false) => ({ key, amount: textOf(value), isTotal });
  const usual = lines.find(({ name }) => name.endsWith(", BAU"));
  const before = usual === undefined ? [] : [step("bau", scaled(usual.value), true)];
  if (usual !== undefined) before.push(step("daf", base - scaled(usual.value)));
  return [
    ...before,
    step("baseline", base, true),
    step("activity", -activity),
    ...(adjustment === 0n ? [] : [step("adjustment", adjustment)]),
    step("leakage", -leakage),
    step("reduction", reduction, true),
  ];
}

/** Format decimal text with at most this many decimals; Intl cuts digits without floating point. */
export function formatDecimal(value: Decimal, locale: string, most = 4): string {
  return new Intl.NumberFormat(locale, { maximumFractionDigits: most }).format(
    String(value) as Intl.StringNumericLiteral,
  );
}
