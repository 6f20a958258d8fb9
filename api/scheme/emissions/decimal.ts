import { Decimal as Library } from "decimal.js";
import type { JsonNumber } from "../../platform/values/numbers.ts";

/** The library rounds at 20 digits by default; products of reported figures stay exact within 60. */
const Exact = Library.clone({ defaults: true, precision: 60, rounding: Library.ROUND_HALF_EVEN });

/** Exact decimal number. Create it with `decimal`, so that its operations keep 60 significant digits. */
export type Decimal = Library;

/** Make an exact decimal from decimal text, an integer or a bigint. A fraction must be text, because a float has lost digits. */
export function decimal(value: string | number | bigint | Decimal): Decimal {
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new TypeError(`A decimal is made from text or an integer, not from the float ${value}.`);
  }
  const made = new Exact(typeof value === "bigint" ? value.toString() : value);
  if (!made.isFinite()) throw new TypeError(`${made} is not a number to calculate with.`);
  return made;
}

export const zero: Decimal = decimal(0);
export const one: Decimal = decimal(1);

/** Add decimals; 0 for an empty list. */
export function sumOf(values: readonly Decimal[]): Decimal {
  return values.reduce((sum, value) => sum.plus(value), zero);
}

/** Write a decimal as text with every digit, without exponents and trailing zeros. */
export function decimalText(value: Decimal): string {
  return value.isZero() ? "0" : value.toFixed();
}

/** Write a decimal rounded half to even at `places` decimals, only for display. */
export function displayText(value: Decimal, places: number): string {
  return decimalText(value.toDecimalPlaces(places, Library.ROUND_HALF_EVEN));
}

/** Make a JSON number with every digit of `value`. */
export function jsonExact(value: Decimal): JsonNumber {
  return JSON.rawJSON(decimalText(value)) as unknown as JsonNumber;
}

/** Make a JSON number rounded for display at `places` decimals (roots and quotients have no last digit); null stays null. */
export function jsonRounded(value: Decimal | null, places = 12): JsonNumber | null {
  return value === null ? null : (JSON.rawJSON(displayText(value, places)) as unknown as JsonNumber);
}
