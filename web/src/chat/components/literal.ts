/**
 * Format arguments as JSON for the user to check. Invisible characters and characters that change the text's direction
 * are escaped, so that the text shown is exactly what the tool gets.
 */
export function literal(args: unknown): string {
  return visible(JSON.stringify(args, undefined, 2) ?? "");
}

/** Escape the invisible characters of a text from the oracle. */
export function visible(text: string): string {
  return text.replace(/(?!\n)[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u3164\uffa0]/gu, codeOf);
}

function codeOf(symbol: string): string {
  const units = Array.from({ length: symbol.length }, (_, i) => symbol.charCodeAt(i));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, "0")}`).join("");
}
