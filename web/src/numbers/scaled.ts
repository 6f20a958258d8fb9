/**
 * Read decimal text that a person typed as an integer of 10^-decimals, so that no digit passes through floating point.
 * Point and comma both stand for the decimal sign; blanks may group digits. Undefined: no such number.
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

/** Decimal text of `value` units of 10^-decimals, exact, with a point and without trailing zeros: as a JSON number has it. */
export function formatScaled(value: bigint, decimals: number): string {
  const negative = value < 0n;
  const digits = (negative ? -value : value).toString().padStart(decimals + 1, "0");
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "");
  return `${negative ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`;
}
