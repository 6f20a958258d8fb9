import type { Phrase } from "./phrases.ts";
import { proseOf } from "./prose.ts";

export type Finding = { file: string; line: number; found: string; plain: string };

/** Find the phrases in the prose of a file, whole words in any case. */
export function findPhrases(file: string, text: string, phrases: readonly Phrase[]): Finding[] {
  const prose = proseOf(file, text);
  return phrases
    .flatMap(({ pattern, plain }) =>
      [...prose.matchAll(wholeWords(pattern))].map(({ 0: found, index }) => ({
        file,
        line: prose.slice(0, index).split("\n").length,
        found: found.replace(/\s+/g, " "),
        plain,
      })),
    )
    .sort((a, b) => a.line - b.line);
}

const wholeWords = ({ source }: RegExp) => new RegExp(`\\b(?:${source.replaceAll(" ", "\\s+")})\\b`, "gi");

/** One line for people and editors. */
export const describeFinding = ({ file, line, found, plain }: Finding) => `${file}:${line} "${found}": write ${plain}`;
