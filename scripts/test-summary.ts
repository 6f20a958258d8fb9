import { existsSync, readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

export type Counts = { passed: number; failed: number; skipped: number };
export type FileTime = { file: string; seconds: number; passed: boolean };
export type Failure = { test: string; file: string; message: string };

/** What a runner's own closing lines count: node's test runner ("ℹ pass 3"), Hardhat's ("3 passing") and Vitest's ("Tests  3 passed"). */
export function countTests(output: string): Counts {
  const text = stripVTControlCharacters(output);
  const sum = (...words: string[]) => words.reduce((total, word) => total + sumOf(text, word), 0);
  return {
    passed: sum("^\\W*pass (\\d+)$", "^\\s*(\\d+) passing\\b.*$", "^\\s*Tests .*?\\b(\\d+) passed\\b.*$"),
    failed: sum(
      "^\\W*fail (\\d+)$",
      "^\\W*cancelled (\\d+)$",
      "^\\s*(\\d+) failing$",
      "^\\s*Tests .*?\\b(\\d+) failed\\b.*$",
    ),
    skipped: sum(
      "^\\W*skipped (\\d+)$",
      "^\\W*todo (\\d+)$",
      "^\\s*(\\d+) (?:pending|skipped)$",
      "^\\s*Tests .*?\\b(\\d+) skipped\\b.*$",
      "^\\s*Tests .*?\\b(\\d+) todo\\b.*$",
    ),
  };
}

function sumOf(text: string, pattern: string): number {
  const matches = text.matchAll(new RegExp(pattern, "gm"));
  return [...matches].reduce((total, match) => total + Number(match[1]), 0);
}

/** What scripts/test-durations.mjs wrote into these files; of a stage that never ended there is none. */
export function readRecords(paths: readonly string[]): { times: FileTime[]; failures: Failure[] } {
  const lines = paths.filter((path) => existsSync(path)).flatMap((path) => readFileSync(path, "utf8").split("\n"));
  const records = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as FileTime | Failure);
  return {
    times: records.filter((record) => "seconds" in record),
    failures: records.filter((record) => "message" in record),
  };
}

/** A failed test in a few lines, for the end of a log: the whole error stands where its stage ended. */
export function failureLines({ test, file, message }: Failure): string[] {
  const lines = stripVTControlCharacters(message).split("\n");
  return [`  ${relative(".", file)}: ${test}`, ...lines.slice(0, 6).map((line) => `    ${line.slice(0, 200)}`)];
}

/** Lines that name the files which took longest, the slowest first. */
export function slowestLines(times: readonly FileTime[], count: number): string[] {
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
  return slowest.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(7)} s  ${file}`);
}

/** Files at which a second look is worth while: so few failed that they may have lacked processor time, and nothing else did. */
export function worthAnotherLook(times: readonly FileTime[], { failed }: Counts): string[] {
  const files = times.filter(({ passed }) => !passed).map(({ file }) => file);
  return files.length <= 2 && failed <= 3 ? files : [];
}
