import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

export type Counts = { passed: number; failed: number; skipped: number };
/** `cpuSeconds`: processor time, which says more than the duration where several processes share the processor. */
export type FileTime = { file: string; seconds: number; cpuSeconds?: number; passed: boolean };
export type Failure = { test: string; file: string; message: string };
/** Outcome of a stage. `skips` are the reasons for which tests were left out. */
export type Outcome = Counts & { times: FileTime[]; failures: Failure[]; skips: string[] };

/** Parse the counts in a runner's closing lines: Hardhat's ("3 passing") and Vitest's ("Tests  3 passed"). */
export function countTests(output: string): Counts {
  const text = stripVTControlCharacters(output);
  const sum = (...words: string[]) => words.reduce((total, word) => total + sumOf(text, word), 0);
  return {
    passed: sum("^\\s*(\\d+) passing\\b.*$", "^\\s*Tests .*?\\b(\\d+) passed\\b.*$"),
    failed: sum("^\\s*(\\d+) failing$", "^\\s*Tests .*?\\b(\\d+) failed\\b.*$"),
    skipped: sum(
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

/**
 * Shorten failed tests to a few lines, for the end of a log: the whole error is where its stage ended. The first failure of a file often
 * causes the others, so these have one line each.
 */
export function failureLines(failures: readonly Failure[]): string[] {
  const files = new Set<string>();
  return failures.flatMap(({ test, file, message }) => {
    const most = files.has(file) ? 1 : 6;
    files.add(file);
    const lines = stripVTControlCharacters(message).split("\n").slice(0, most);
    return [`  ${relative(".", file)}: ${test}`, ...lines.map((line) => `    ${line.slice(0, 200)}`)];
  });
}

/** Lines that name the files which took longest, the slowest first. */
export function slowestLines(times: readonly FileTime[], count: number): string[] {
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
  return slowest.map(({ file, seconds, cpuSeconds }) => {
    const cpu = cpuSeconds === undefined ? "" : `, ${cpuSeconds.toFixed(1)} s of processor time`;
    return `${seconds.toFixed(1).padStart(7)} s  ${file}${cpu}`;
  });
}

/**
 * Choose failed files to run again: so few that they may have lacked processor time, if nothing else failed. The number of tests does
 * not count, since the tests of a page's file build on each other.
 */
export function worthAnotherLook(times: readonly FileTime[]): string[] {
  const files = times.filter(({ passed }) => !passed).map(({ file }) => file);
  return files.length <= 2 ? files : [];
}

/** List why tests were left out, each reason once, because a test that did not run has not passed. */
export function skipLines(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `  ${count} × ${reason}`);
}
