/** Split a text into lines (or at commas and semicolons), in order and without duplicates. */
export function readLines(text: string): string[] {
  const entries = text.split(/[\n,;]/).map((line) => line.trim());
  return [...new Set(entries.filter((entry) => entry !== ""))];
}
