/**
 * One-time codes of households. A code is 15 random symbols of Crockford's base32 (75 bits) and one that checks them, which
 * finds every single wrong symbol and every swap of two. A private key is derived from it, whose address is committed on
 * chain; the code itself goes nowhere but on the household's paper.
 */

const symbols = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
const randomSymbols = 15;

/** Multiply by 2 in the field of 32 elements (x^5 + x^2 + 1). */
const doubled = (value: number) => ((value << 1) ^ (value & 16 ? 0b100101 : 0)) & 31;

/** Symbol i counts 2^i times, so no wrong symbol and no swap keeps the sum. */
function checkValue(values: readonly number[]): number {
  return doubled(values.reduce((sum, value) => doubled(sum) ^ value, 0));
}

/**
 * Write a household's code from its random bits: 16 symbols in groups of four.
 *
 * @param random at least 10 bytes, of which the first 75 bits are used
 * @example
 * ```ts
 * import { householdCode } from "@hearth/wire";
 *
 * householdCode(crypto.getRandomValues(new Uint8Array(10))); // such as "7K3M-9XTC-2WBH-QF04"
 * ```
 */
export function householdCode(random: Uint8Array): string {
  let bits = 0n;
  for (const byte of random.subarray(0, 10)) bits = (bits << 8n) | BigInt(byte);
  bits >>= 5n;
  const values = Array.from({ length: randomSymbols }, (_, place) =>
    Number((bits >> BigInt(5 * (randomSymbols - 1 - place))) & 31n),
  );
  const text = [...values, checkValue(values)].map((value) => symbols[value]).join("");
  return inGroups(text);
}

/**
 * Write a code as the text of its QR code.
 *
 * @example
 * ```ts
 * import { householdCodeQrText } from "@hearth/wire";
 *
 * householdCodeQrText("7K3M-9XTC-2WBH-QF04"); // "HK1:7K3M9XTC2WBHQF04"
 * ```
 */
export function householdCodeQrText(code: string): string {
  return `HK1:${code.replaceAll("-", "")}`;
}

/**
 * Read a code from its QR code or as a person typed it: small letters, spaces and hyphens do not matter, and O is read as
 * 0, I and L as 1. Undefined for any other text, and where the check symbol does not fit.
 *
 * @example
 * ```ts
 * import { householdCode, readHouseholdCode } from "@hearth/wire";
 *
 * const code = householdCode(crypto.getRandomValues(new Uint8Array(10)));
 * readHouseholdCode(code.toLowerCase()) === code; // true
 * ```
 */
export function readHouseholdCode(text: string): string | undefined {
  const typed = text.trim().toUpperCase().replace(/^HK1:/, "").replaceAll(/[\s-]/g, "");
  const canonical = typed.replaceAll("O", "0").replaceAll(/[IL]/g, "1");
  const values = [...canonical].map((symbol) => symbols.indexOf(symbol));
  if (values.length !== randomSymbols + 1 || values.includes(-1)) return undefined;
  if (checkValue(values.slice(0, -1)) !== values.at(-1)) return undefined;
  return inGroups(canonical);
}

/**
 * The text whose SHA-256 is the code's private key.
 *
 * @example
 * ```ts
 * import { householdCodeSecret } from "@hearth/wire";
 *
 * const text = householdCodeSecret("7K3M-9XTC-2WBH-QF04");
 * await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text)); // the private key
 * ```
 */
export function householdCodeSecret(code: string): string {
  return `Hearth household code 1\n${code.replaceAll("-", "")}`;
}

function inGroups(text: string): string {
  return text.replace(/(.{4})(?=.)/g, "$1-");
}
