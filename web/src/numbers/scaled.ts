/**
 * Parse typed decimal text as an integer of 10^-decimals, without floating point. Point and comma are both decimal
 * signs; blanks may group digits. Undefined when the text is not such a number.
 */
export function parseScaled(text: string, decimals: number): bigint | undefined {
  const match = /^(-?)(\d+)(?:[.,](\d*))?$/.exec(text.replaceAll(/[\s\u00a0\u202f]/g, ""));
  if (match === null) return undefined;
  const [, sign, whole = "", fraction = ""] = match;
  const kept = fraction.replace(/0+$/, "");
  if (kept.length > decimals) return undefined;
  const value = BigInt(whole + kept.padEnd(decimals, "0"));
  return sign === "-" ? -value : value;
}

/** Format `value` units of 10^-decimals exactly, with a point and without trailing zeros, like a JSON number. */
export function formatScaled(value: bigint, decimals: number): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
