import type { Phrase } from "./phrases.ts";

/** The words that docs/glossary.md rules out: the last cell of each row, separated by commas. */
export function ruledOutSynonyms(glossary: string): Phrase[] {
  const rows = glossary.split("\n").filter((line) => line.startsWith("|") && !/^\|\s*(-|term\b)/.test(line));
  return rows.flatMap((row) => {
    const cells = row.split("|").map((cell) => cell.trim());
    const [, term = ""] = cells;
    const words = (cells.at(-2) ?? "").split(",").map((word) => word.trim());
    return words
      .filter((word) => word !== "")
      .map((word) => ({ pattern: new RegExp(`${literal(word)}(?:s|es)?`), plain: term }));
  });
}

/** The glossary without its last column, which must name the words that it rules out. */
export const withoutSynonyms = (glossary: string) =>
  glossary.replace(/^(\|.*\|)([^|\n]*)\|$/gm, (_, kept: string, cell: string) => `${kept}${" ".repeat(cell.length)}|`);

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
