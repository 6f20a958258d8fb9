/** One entry a line (commas and semicolons part them, too), in the order given, none twice. */
export function readLines(text: string): string[] {
  const entries = text.split(/[\n,;]/).map((line) => line.trim());
  return [...new Set(entries.filter((entry) => entry !== ""))];
}
