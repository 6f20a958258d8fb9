import { LosslessNumber, parse, stringify } from "lossless-json";
import { numberFormat } from "../i18n/formats.ts";

/** A number of an answer that is no whole number, or too large for one, stays its own digits. */
export type Decimal = number | string;

const whole = /^-?\d{1,15}$/;

/** JSON with exact numbers: whole ones up to 15 digits are numbers, all others their own text. */
export function parseExact(text: string): unknown {
  return parse(text, undefined, { parseNumber: (digits) => (whole.test(digits) ? Number(digits) : digits) });
}

/** A number for a request's body, digit for digit: `{ amount: exact("12.5") }`. */
export function exact(digits: string): LosslessNumber {
  return new LosslessNumber(digits);
}

/** JSON of a request's body; numbers made by `exact` keep their digits. */
export function stringifyExact(body: unknown): string {
  return stringify(body) ?? "null";
}

/** Micro-units of an amount of an answer or an input: `"12.5"` → 12500000n. @throws RangeError when it has more than 6 decimals */
export function toMicro(value: Decimal): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,6})0*)?$/.exec(String(value).trim());
  if (match === null) throw new RangeError(`${value} is no amount with at most 6 decimals.`);
  const [, sign, units = "0", decimals = ""] = match;
  const micro = BigInt(units) * 1_000_000n + BigInt(decimals.padEnd(6, "0"));
  return sign === "-" ? -micro : micro;
}

/** Shortest decimal text of micro-units: 12500000n → "12.5". */
export function fromMicro(micro: bigint): string {
  const size = micro < 0n ? -micro : micro;
  const decimals = (size % 1_000_000n).toString().padStart(6, "0").replace(/0+$/, "");
  return `${micro < 0n ? "-" : ""}${size / 1_000_000n}${decimals === "" ? "" : `.${decimals}`}`;
}

/** Micro-units for a person: grouped, no digit lost. */
export function formatMicro(micro: bigint, locale: string, decimals: { least?: number } = {}): string {
  const format = numberFormat(locale, {
    minimumFractionDigits: decimals.least ?? 0,
    maximumFractionDigits: 6,
  });
  // Decimal text goes through Intl without ever being a floating-point number.
  return format.format(fromMicro(micro) as Intl.StringNumericLiteral);
}
