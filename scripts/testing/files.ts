import { existsSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { runCommand } from "../run-command.ts";
import { declaredTests, neverRan, type Ran } from "./declared.ts";
import type { Failure, Outcome } from "./summary.ts";

/** Lines that records.mjs writes. */
type Place = { name: string; nesting: number; file: string; line: number };
type Begins = Place & { event: "begins" };
type Ends = Place & { event: "ends"; isSuite: boolean; inside: number; skip?: string | true; failure?: string };
type TestRecord = Begins | Ends | { event: "done" } | { event: "left"; resources: string[] };

export type FileLimits = {
  /** A test, hook or suite that takes longer fails, by its name. Milliseconds. */
  testMs: number;
  /** A file whose process takes longer is stopped, and what it waited for is told. Milliseconds. */
  fileMs: number;
  /** How long a process may go on after its last test. Milliseconds. */
  quietMs?: number;
};
type Options = FileLimits & { folder: string; env?: NodeJS.ProcessEnv; quiet?: boolean };

/** Run test files of node's runner one after the other, each in a process of its own. */
export async function runTestFiles(files: readonly string[], options: Options, isOver = () => false): Promise<Outcome> {
  const total: Outcome = { passed: 0, failed: 0, skipped: 0, times: [], failures: [], skips: [] };
  const declarers = new Set<string>();
  const ran: Ran[] = [];
  for (const file of files) {
    if (isOver()) break;
    const { outcome, records } = await runTestFile(resolve(file), options);
    add(total, outcome);
    const ends = records.filter((record) => record.event === "ends");
    ran.push(...ends.map(({ file, line, name, skip }) => ({ file, line, name, skipped: skip !== undefined })));
    // A suite that several files share lies in a module of its own.
    for (const { file } of ends) declarers.add(file);
    declarers.add(resolve(file));
  }
  if (!isOver()) add(total, missing([...declarers], ran));
  return total;
}

/** What files declare and no run came by, as failures. */
export function missing(files: readonly string[], ran: readonly Ran[]): Outcome {
  const failures = neverRan(files.flatMap(declaredTests), ran).map(({ file, line, name }) => ({
    test: name,
    file,
    message: `Line ${line} declares it, and it did not run to its end.`,
  }));
  return { passed: 0, failed: failures.length, skipped: 0, times: [], failures, skips: [] };
}

function add(total: Outcome, part: Outcome): void {
  total.passed += part.passed;
  total.failed += part.failed;
  total.skipped += part.skipped;
  total.times.push(...part.times);
  total.failures.push(...part.failures);
  total.skips.push(...part.skips);
}

let runs = 0;

async function runTestFile(file: string, { folder, env, testMs, fileMs, quietMs, quiet = false }: Options) {
  const path = join(folder, `records-${process.pid}-${++runs}.jsonl`);
  const reporters = ["spec", pathToFileURL(join(import.meta.dirname, "records.mjs")).href].flatMap((reporter) => [
    `--test-reporter=${reporter}`,
    "--test-reporter-destination=stdout",
  ]);
  const { code, seconds, stopped, output } = await runCommand(
    process.execPath,
    [...reporters, `--test-timeout=${testMs}`, file],
    {
      env: {
        ...env,
        // Under a test of this runner: the file is to tell its records, not that runner.
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
  const { failures, ...counts } = judge(file, records, { code, output, limit: stopped ? fileMs / 1000 : undefined });
  const time = { file: relative(".", file), seconds, passed: failures.length === 0 };
  return { outcome: { ...counts, failures, failed: failures.length, times: [time] }, records };
}

type End = { code: number; output: string; limit?: number | undefined };

/** What a file's records and the end of its process show. */
function judge(file: string, records: readonly TestRecord[], { code, output, limit }: End) {
  const ends = records.filter((record) => record.event === "ends");
  const tests = ends.filter(({ isSuite }) => !isSuite);
  const failures: Failure[] = ends.flatMap(({ failure, name, isSuite, inside, skip, file }) => {
    if (failure !== undefined) return [{ test: name, file, message: failure }];
    if (isSuite && inside === 0 && skip === undefined)
      return [{ test: name, file, message: "This suite holds no test." }];
    return [];
  });
  const fail = (message: string) => failures.push({ test: "the file", file, message });
  const left = records.find((record) => record.event === "left");
  if (limit !== undefined) fail(`It was stopped after ${limit} s, while ${whatRan(records)}.`);
  else if (left !== undefined)
    fail(`Its tests have ended, and its process goes on with: ${left.resources.join(", ")}.`);
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
