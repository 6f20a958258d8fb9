import { stripVTControlCharacters } from "node:util";

export type Counts = { passed: number; failed: number; skipped: number };

/** What a runner's own closing lines count: node's test runner ("ℹ pass 3") and Hardhat's ("3 passing"). */
export function countTests(output: string): Counts {
  const text = stripVTControlCharacters(output);
  const sum = (...words: string[]) => words.reduce((total, word) => total + sumOf(text, word), 0);
  return {
    passed: sum("^\\W*pass (\\d+)$", "^\\s*(\\d+) passing\\b.*$"),
    failed: sum("^\\W*fail (\\d+)$", "^\\W*cancelled (\\d+)$", "^\\s*(\\d+) failing$"),
    skipped: sum("^\\W*skipped (\\d+)$", "^\\W*todo (\\d+)$", "^\\s*(\\d+) (?:pending|skipped)$"),
  };
}

function sumOf(text: string, pattern: string): number {
  const matches = text.matchAll(new RegExp(pattern, "gm"));
  return [...matches].reduce((total, match) => total + Number(match[1]), 0);
}
