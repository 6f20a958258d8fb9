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

/** Shorten a failed test to a few lines, for the end of a log: the whole error is where its stage ended. */
export function failureLines({ test, file, message }: Failure): string[] {
  const lines = stripVTControlCharacters(message).split("\n");
  return [`  ${relative(".", file)}: ${test}`, ...lines.slice(0, 6).map((line) => `    ${line.slice(0, 200)}`)];
}

/** Lines that name the files which took longest, the slowest first. */
export function slowestLines(times: readonly FileTime[], count: number): string[] {
  const slowest = times.toSorted((a, b) => b.seconds - a.seconds).slice(0, count);
  return slowest.map(({ file, seconds, cpuSeconds }) => {
    const cpu = cpuSeconds === undefined ? "" : `, ${cpuSeconds.toFixed(1)} s of processor time`;
    return `${seconds.toFixed(1).padStart(7)} s  ${file}${cpu}`;
  });
}

/** Choose failed files to run again: so few that they may have lacked processor time, if nothing else failed. */
export function worthAnotherLook(times: readonly FileTime[], { failed }: Counts): string[] {
  const files = times.filter(({ passed }) => !passed).map(({ file }) => file);
  return files.length <= 2 && failed <= 3 ? files : [];
}

/** List why tests were left out, each reason once, because a test that did not run has not passed. */
export function skipLines(reasons: readonly string[]): string[] {
  const counts = new Map<string, number>();
  for (const reason of reasons) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [...counts].map(([reason, count]) => `  ${count} × ${reason}`);
}
