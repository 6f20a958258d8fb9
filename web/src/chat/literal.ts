/**
 * Arguments as JSON for a person to judge. Characters that are not seen, and those that turn the order of the others around, are
 * written out: what is shown is what the tool is given.
 */
export function literal(args: unknown): string {
  return visible(JSON.stringify(args, undefined, 2) ?? "");
}

/** A text of the oracle's, with all of its characters to be seen. */
export function visible(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u3164\uffa0]/gu, codeOf);
}

function codeOf(symbol: string): string {
  const units = Array.from({ length: symbol.length }, (_, i) => symbol.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
