import { z } from "@hono/zod-openapi";
import { isLosslessNumber } from "lossless-json";
import { formatScaled } from "../../../wire/src/exact.ts";

export { formatScaled };

/** Largest amount: 2^53 − 1 micro-units, which clients with 64-bit floats can hold exactly. */
export const maxMicro = 9_007_199_254_740_991n;

/**
 * A number in a response. At run time it is JSON.rawJSON, so that JSON.stringify writes its exact digits. Its type is number
 * because a client reads a number. Never calculate with it.
 */
export type JsonNumber = number & { readonly exactJson: unique symbol };

declare global {
  interface JSON {
    rawJSON(text: string): object;
  }
}

/** Parse a JSON number's text to an integer in units of 10^-decimals; undefined where digits would be lost. */
export function parseScaled(text: string, decimals: number): bigint | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text);
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = "", exponentText = "0"] = match;
  const digits = (whole + fraction).replace(/^0+/, "");
  if (digits === "") return 0n;
  const significant = digits.replace(/0+$/, "");
  const trailing = digits.length - significant.length;
  const exponent = Number(exponentText) - fraction.length + trailing + decimals;
  // A longer number is out of every allowed range; refusing it here keeps 1e999999999 from becoming a huge bigint.
  if (exponent < 0 || significant.length + exponent > 40) return undefined;
  const value = BigInt(significant) * 10n ** BigInt(exponent);
  return sign === "-" ? -value : value;
}

/** Build the JSON number of an amount in micro-units: 100500000n is written as 100.5. */
export function jsonAmount(micro: bigint): JsonNumber {
  return jsonScaled(micro, 6);
}

/** Build the JSON number of `value` in units of 10^-decimals, with exact digits. */
export function jsonScaled(value: bigint, decimals: number): JsonNumber {
  return JSON.rawJSON(formatScaled(value, decimals)) as unknown as JsonNumber;
}

type ScaledLimits = { decimals: number; min: bigint; max: bigint };

function scaledNumber({ decimals, min, max }: ScaledLimits) {
  return z.unknown().transform((value, ctx): bigint => {
    const refuse = (rule: string, message: string) => {
      ctx.addIssue({ code: "custom", message, params: { rule } });
      return z.NEVER;
    };
    if (value === undefined) return refuse("required", "This field is required.");
    if (!isLosslessNumber(value)) return refuse("type", "A JSON number is expected; text is not accepted.");
    const scaled = parseScaled(value.value, decimals);
    if (scaled === undefined) {
      return refuse("decimals", `The number must have at most ${decimals} decimals and be in the allowed range.`);
    }
    if (scaled < min || scaled > max) {
      return refuse(
        "range",
        `The number must be from ${formatScaled(min, decimals)} to ${formatScaled(max, decimals)}.`,
      );
    }
    return scaled;
  });
}

/** Exact decimal in a JSON body → bigint in units of 10^-decimals. `min` and `max` are in those units. */
export function exactDecimal(limits: ScaledLimits) {
  return scaledNumber(limits).openapi({
    type: "number",
    minimum: Number(formatScaled(limits.min, limits.decimals)),
    maximum: Number(formatScaled(limits.max, limits.decimals)),
    // Clients check multiples with floats, which are too coarse for finer ones.
    ...(limits.decimals <= 9 ? { multipleOf: Number(formatScaled(1n, limits.decimals)) } : {}),
  });
}

/** CARBON amount in a JSON body → bigint micro-units, 0 allowed. */
export const carbonAmount = exactDecimal({ decimals: 6, min: 0n, max: maxMicro });
/** CARBON amount in a JSON body → bigint micro-units, more than 0. */
export const positiveCarbonAmount = exactDecimal({ decimals: 6, min: 1n, max: maxMicro });

/** Amount in a response (built by jsonAmount). For response schemas only. */
export const amountInResponse = z.number().openapi({ type: "number", multipleOf: 0.000001 });

/** The same, or null. */
export const nullableAmountInResponse = z
  .number()
  .nullable()
  .openapi({ type: ["number", "null"], multipleOf: 0.000001 });

/** Integer in a JSON body → number, both ends included. */
export function integer(min: number, max: number) {
  return scaledNumber({ decimals: 0, min: BigInt(min), max: BigInt(max) })
    .transform((value) => Number(value))
    .openapi({ type: "integer", minimum: min, maximum: max });
}

const maxSerial = 2n ** 63n;

/** Registry serial in a JSON body: an integer from 0 to 2^63, as number or decimal text → bigint. */
export const serialNumber = z
  .unknown()
  .transform((value, ctx): bigint => {
    const text = isLosslessNumber(value)
      ? value.value
      : typeof value === "string" && /^\d{1,19}$/.test(value)
        ? value
        : "";
    const parsed = parseScaled(text, 0);
    if (parsed === undefined || parsed < 0n || parsed > maxSerial) {
      const rule = value === undefined ? "required" : "serial-number";
      ctx.addIssue({
        code: "custom",
        message: "An integer from 0 to 2^63 is expected, as number or decimal text.",
        params: { rule },
      });
      return z.NEVER;
    }
    return parsed;
  })
  .openapi({
    type: ["integer", "string"],
    description: "Integer from 0 to 2^63, as a number or decimal text.",
    example: 1,
  });
