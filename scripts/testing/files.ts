import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { runCommand } from "../run-command.ts";
import { declaredTests, neverRan, type Ran } from "./declared.ts";
import { shortLife } from "./short-life.ts";
import type { Failure, Outcome } from "./summary.ts";

/** Lines that records.mjs writes. */
type Place = { name: string; nesting: number; file: string; line: number };
type Begins = Place & { event: "begins" };
type Ends = Place & {
  event: "ends";
  isSuite: boolean;
  inside: number;
  seconds: number;
  /** Processor time of the process until then, in seconds; absent within a suite. */
  cpu?: number;
  skip?: string | true;
  failure?: string;
};
type TestRecord = Begins | Ends | { event: "done"; cpu: number } | { event: "left"; resources: string[] };

export type FileLimits = {
  /** A test, hook or suite that takes longer fails, by its name. Milliseconds. */
  testMs: number;
  /** Time limit of a process in milliseconds. It is then stopped, and the report names what it waited for. */
  fileMs: number;
  /** How long a process may continue after its last test, in milliseconds. */
  quietMs?: number;
};
type Options = FileLimits & { folder: string; env?: NodeJS.ProcessEnv; quiet?: boolean };

const scope = `--import=${pathToFileURL(join(import.meta.dirname, "test-scope.mjs")).href}`;

/** In the process of several files, each is a suite that this module declares, of the file's name. */
const together = join(import.meta.dirname, "together.mjs");
const isWholeFile = ({ file }: Place) => file === together;

/** Outcomes of the files of one process, and the tests that it reported. */
export type Part = { outcome: Outcome; ran: Ran[] };

/** Run test files of node's runner in one process, one after the other. */
export async function runTogether(files: readonly string[], options: Options): Promise<Part> {
  const paths = files.map((file) => resolve(file));
  const { records, end, seconds } = await runProcess(paths, options);
  const outcome = judge(paths, records, end);
  const ends = records.filter((record) => record.event === "ends" && !isWholeFile(record)) as Ends[];
  const times = paths.map((path) => ({
    file: relative(".", path),
    seconds: paths.length === 1 ? seconds : (wholeFile(path, records)?.seconds ?? 0),
    cpuSeconds: cpuSecondsOf(path, paths, records),
    passed: !outcome.failures.some(({ file }) => paths.length === 1 || file === path),
  }));
  return {
    outcome: { ...outcome, failed: outcome.failures.length, times },
    ran: ends.map(({ file, line, name, skip }) => ({ file, line, name, skipped: skip !== undefined })),
  };
}

/** Outcomes of files that ran in several processes: a declared test that no process reported has failed as well. */
export function sumUp(files: readonly string[], parts: readonly Part[]): Outcome {
  const outcomes = parts.map(({ outcome }) => outcome);
  const ran = parts.flatMap((part) => part.ran);
  // A suite that several files share is in a separate module.
  const declarers = new Set([...files.map((file) => resolve(file)), ...ran.map(({ file = "" }) => file)]);
  const failures = [...outcomes.flatMap((each) => each.failures), ...missing([...declarers], ran)];
  return {
    passed: outcomes.reduce((sum, { passed }) => sum + passed, 0),
    failed: failures.length,
    skipped: outcomes.reduce((sum, { skipped }) => sum + skipped, 0),
    times: outcomes.flatMap(({ times }) => times),
    failures,
    skips: outcomes.flatMap(({ skips }) => skips),
  };
}

/** The record of a file that shared its process; undefined when it did not end. */
const wholeFile = (path: string, records: readonly TestRecord[]): Ends | undefined =>
  records.find((record): record is Ends => record.event === "ends" && isWholeFile(record) && record.name === path);

/**
 * Processor time of a file and of what it started and ended. What files of a process share, such as a running system, is counted at
 * the process's end, in its last file.
 */
function cpuSecondsOf(path: string, paths: readonly string[], records: readonly TestRecord[]): number {
  const index = paths.indexOf(path);
  const before = paths.slice(0, index).map((each) => wholeFile(each, records)?.cpu ?? 0);
  const done = records.find((record) => record.event === "done");
  const until = index === paths.length - 1 ? done?.cpu : wholeFile(path, records)?.cpu;
  return Math.max(0, (until ?? 0) - Math.max(0, ...before));
}

/** Return declared tests that no run reported, as failures. */
function missing(files: readonly string[], ran: readonly Ran[]): Failure[] {
  return neverRan(files.flatMap(declaredTests), ran).map(({ file, line, name }) => ({
    test: name,
    file,
    message: `Line ${line} declares it, and it did not run to its end.`,
  }));
}

let runs = 0;

async function runProcess(paths: readonly string[], { folder, env, testMs, fileMs, quietMs, quiet = false }: Options) {
  const path = join(folder, `records-${process.pid}-${++runs}.jsonl`);
  const reporters = ["spec", pathToFileURL(join(import.meta.dirname, "records.mjs")).href].flatMap((reporter) => [
    `--test-reporter=${reporter}`,
    "--test-reporter-destination=stdout",
  ]);
  const { code, seconds, stopped, output } = await runCommand(
    process.execPath,
    [
      ...shortLife,
      scope,
      ...reporters,
      `--test-timeout=${testMs}`,
      ...(paths.length === 1 ? [] : [together]),
      ...paths,
    ],
    {
      env: {
        ...env,
        // In a test of this runner the file must write its records itself, not for the outer runner.
        NODE_TEST_CONTEXT: undefined,
        HEARTH_TEST_RECORDS: path,
        ...(quietMs === undefined ? {} : { HEARTH_TEST_QUIET_MS: String(quietMs) }),
      },
      limitMs: fileMs,
      atOnce: true,
      quiet,
    },
  );
  const lines = existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
  const records = lines.filter((line) => line !== "").map((line) => JSON.parse(line) as TestRecord);
  const end: End = { code, output, limit: stopped ? fileMs / 1000 : undefined };
  return { records, end, seconds };
}

type End = { code: number; output: string; limit?: number | undefined };

/** Read the outcomes from the records of some files and from the end of their process. */
function judge(paths: readonly string[], records: readonly TestRecord[], { code, output, limit }: End) {
  const ends = records.filter((record) => record.event === "ends");
  const tests = ends.filter(({ isSuite }) => !isSuite);
  const failures: Failure[] = ends.flatMap((each) => {
    const { failure, isSuite, inside, skip } = each;
    const place = isWholeFile(each) ? { test: "the file", file: each.name } : { test: each.name, file: each.file };
    if (failure !== undefined) return [{ ...place, message: failure }];
    if (isSuite && inside === 0 && skip === undefined)
      return [{ ...place, message: `${emptySuite(each)} holds no test.` }];
    return [];
  });
  const file = paths.find((path) => paths.length > 1 && isOpen(path, records)) ?? paths.at(-1) ?? "";
  const fail = (message: string) => failures.push({ test: "the file", file, message });
  const left = records.find((record) => record.event === "left");
  if (limit !== undefined) fail(`It was stopped after ${limit} s, while ${whatRan(records)}.`);
  else if (left !== undefined)
    fail(`Its tests have ended, but its process continues with: ${left.resources.join(", ")}.${companions(paths)}`);
  else if (code === 0 && ends.length === 0) fail("It ended before it had run a test.");
  else if (!records.some(({ event }) => event === "done"))
    fail(`Its process ended with code ${code} while ${whatRan(records)}.\n${output.trimEnd().slice(-1_000)}`);
  else if (code !== 0 && failures.length === 0)
    fail(`Its process ended with code ${code}.\n${output.trimEnd().slice(-1_000)}`);
  const passed = tests.filter(({ failure, skip }) => failure === undefined && skip === undefined).length;
  const skipped = ends.filter(({ skip }) => skip !== undefined);
  const skips = skipped.map(({ skip, name }) => (typeof skip === "string" ? skip : name));
  return { passed, skipped: skipped.length, skips, failures };
}

const emptySuite = (suite: Place) => (isWholeFile(suite) ? "This file" : "This suite");

/** An open handle may belong to any file of the process. */
const companions = (paths: readonly string[]) =>
  paths.length === 1 ? "" : ` It ran ${paths.map((path) => relative(".", path)).join(", ")}.`;

function isOpen(path: string, records: readonly TestRecord[]): boolean {
  const has = (event: "begins" | "ends") =>
    records.some((record) => record.event === event && isWholeFile(record) && record.name === path);
  return has("begins") && !has("ends");
}

/** The tests and suites that had begun and not ended, the outer first. */
function whatRan(records: readonly TestRecord[]): string {
  const open: Begins[] = [];
  for (const record of records) {
    if (record.event === "begins") open.push(record);
    if (record.event !== "ends") continue;
    const index = open.findIndex(
      ({ name, line, nesting }) => name === record.name && line === record.line && nesting === record.nesting,
    );
    if (index >= 0) open.splice(index, 1);
  }
  if (open.length === 0) return records.length === 0 ? "nothing had begun: its modules were loading" : "no test ran";
  return `this ran: ${open.map(({ name, line }) => `"${name}" (line ${line})`).join(" > ")}, or a hook of it`;
}
