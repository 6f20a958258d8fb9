import { LosslessNumber, parse, stringify } from "lossless-json";

/** A number in an answer: a JavaScript number if it is an integer of at most 15 digits, otherwise decimal text. */
export type Decimal = number | string;

/** A number to send with all its digits. A JavaScript number can be used when it holds every digit, such as 50 or 12.5. */
export type ExactNumber = LosslessNumber;

/** An integer to send, such as a nonce: text where a JavaScript number cannot hold it. A time may be ISO 8601. */
export type IntegerOrText = number | string | ExactNumber;

const whole = /^-?\d{1,15}$/;

/**
 * Parse JSON without losing a digit.
 *
 * @throws SyntaxError when the text is not JSON
 *
 * @example
 * ```ts
 * import { parseExact } from "@hearth/wire";
 *
 * parseExact('{"amount":12.000001}'); // { amount: "12.000001" }
 * ```
 */
export function parseExact(text: string): unknown {
  return parse(text, undefined, { parseNumber: (digits) => (whole.test(digits) ? Number(digits) : digits) });
}

/**
 * Write JSON; numbers made by `exact` keep their digits.
 *
 * @example
 * ```ts
 * import { exact, stringifyExact } from "@hearth/wire";
 *
 * stringifyExact({ amount: exact("12.000001") }); // '{"amount":12.000001}'
 * ```
 */
export function stringifyExact(body: unknown): string {
  return stringify(body) ?? "null";
}

/**
 * Make a number to send from its decimal text.
 *
 * @throws Error when the text is not a number
 *
 * @example
 * ```ts
 * import { exact } from "@hearth/wire";
 *
 * const body = { amount: exact("12.000001") };
 * ```
 */
export function exact(digits: string): ExactNumber {
  return new LosslessNumber(digits);
}

/**
 * Convert a decimal amount to whole micro-units (millionths).
 *
 * @throws RangeError when it has more than 6 decimals
 *
 * @example
 * ```ts
 * import { toMicro } from "@hearth/wire";
 *
 * toMicro("12.5"); // 12500000n
 * ```
 */
export function toMicro(value: Decimal): bigint {
  const match = /^(-?)(\d+)(?:\.(\d{1,6})0*)?$/.exec(String(value).trim());
  if (match === null) throw new RangeError(`${value} is not an amount with at most 6 decimals.`);
  const [, sign, units = "0", decimals = ""] = match;
  const micro = BigInt(units) * 1_000_000n + BigInt(decimals.padEnd(6, "0"));
  return sign === "-" ? -micro : micro;
}

/**
 * Convert micro-units to their shortest decimal text.
 *
 * @example
 * ```ts
 * import { fromMicro } from "@hearth/wire";
 *
 * fromMicro(12_500_000n); // "12.5"
 * ```
 */
export function fromMicro(micro: bigint): string {
  return formatScaled(micro, 6);
}

/**
 * Write `value` units of 10^-decimals as decimal text, without trailing zeros.
 *
 * @example
 * ```ts
 * import { formatScaled } from "@hearth/wire";
 *
 * formatScaled(11_900n, 3); // "11.9"
 * ```
 */
export function formatScaled(value: bigint, decimals: number): string {
  const size = value < 0n ? -value : value;
  const digits = size.toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${value < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
