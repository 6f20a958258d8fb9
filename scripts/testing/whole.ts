import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { stripVTControlCharacters } from "node:util";
import { runCommand } from "../run-command.ts";
import { declaredTests, neverRan, type Ran } from "./declared.ts";
import { commandOf, filesOf, type Stage } from "./stages.ts";
import { type Counts, countTests, type Failure, type Outcome } from "./summary.ts";

type Options = { folder: string; env?: NodeJS.ProcessEnv; limitMs: number; silenceMs: number };
type VitestReport = {
  testResults: {
    name: string;
    message?: string;
    status: string;
    assertionResults: {
      fullName: string;
      title: string;
      status: string;
      failureMessages: string[];
    }[];
  }[];
};

/**
 * Run a stage whose runner takes its files together. @returns its counts, and the declared tests that did not run
 * @param files some of the stage's; all when absent
 */
export async function runWhole(
  stage: Stage,
  { folder, ...options }: Options,
  files?: readonly string[],
): Promise<Outcome> {
  const report = join(folder, `${stage.name}.json`);
  const { program, args } = commandOf(stage, report, files);
  const { code, output, stopped, seconds } = await runCommand(program, args, { ...options, atOnce: true });
  const results = stage.runner === "vitest" ? readReport(report) : { ran: namesIn(output), failures: [] };
  const declared = (files ?? filesOf(stage)).flatMap((file) => declaredTests(resolve(file)));
  const outcome = outcomeOf(stage.name, {
    counts: countTests(output),
    failures: results.failures,
    missing: neverRan(
      declared.filter(({ isSuite }) => !isSuite),
      results.ran,
    ),
    end: stopped
      ? `It was stopped after ${seconds.toFixed(0)} s. ${lastLine(output)}`
      : code === 0
        ? undefined
        : `It ended with code ${code}. ${lastLine(output)}`,
  });
  return { ...outcome, times: [{ file: stage.name, seconds, passed: outcome.failed === 0 }] };
}

type Parts = { counts: Counts; failures: Failure[]; missing: ReturnType<typeof neverRan>; end: string | undefined };

function outcomeOf(name: string, { counts, failures, missing, end }: Parts): Outcome {
  const more: Failure[] = missing.map(({ file, line, name }) => ({
    test: name,
    file,
    message: `Line ${line} declares it, and it did not run to its end.`,
  }));
  // A runner that crashed, was stopped, or found no test proves nothing: that is a separate failure.
  const nothing = end ?? (counts.passed === 0 ? "It ran no test." : undefined);
  if (nothing !== undefined && counts.failed === 0) more.push({ test: "the stage", file: name, message: nothing });
  return { ...counts, failed: counts.failed + more.length, times: [], failures: [...failures, ...more], skips: [] };
}

const lastLine = (output: string) =>
  `The last that it said: ${stripVTControlCharacters(output).trimEnd().split("\n").at(-1)?.trim()}`;

/** The tests that Hardhat's reporters list: passed, pending or failed. */
export function namesIn(output: string): Ran[] {
  const lines = stripVTControlCharacters(output).matchAll(
    /^\s+(?:✔|-|\d+\)) (.+?)(?: \(\d+ms\)|(?<=\w)\([\w,()[\]]*\)(?: \(runs: .*\))?)?$/gm,
  );
  return [...lines].map(([, name = ""]) => ({ name }));
}

function readReport(path: string): { ran: Ran[]; failures: Failure[] } {
  if (!existsSync(path)) return { ran: [], failures: [] };
  const { testResults } = JSON.parse(readFileSync(path, "utf8")) as VitestReport;
  const ran = testResults.flatMap(({ name: file, assertionResults }) =>
    // By name: the line of a row of `it.each` is not that of its declaration.
    assertionResults.map(({ title }) => ({ file, name: title })),
  );
  const failures = testResults.flatMap(({ name: file, status, message, assertionResults }) => {
    const failed = assertionResults.filter((one) => one.status === "failed");
    if (failed.length === 0 && status === "failed") return [{ test: "the file", file, message: message ?? "" }];
    return failed.map(({ fullName, failureMessages }) => ({
      test: fullName,
      file,
      message: failureMessages.join("\n"),
    }));
  });
  return { ran, failures };
}
