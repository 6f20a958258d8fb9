import { join } from "node:path";
import { pathToFileURL } from "node:url";
import Mocha from "mocha";
import { switchAddress } from "./instrument.ts";

/** One change to be tried: its number, and the tests of which at least one must fail. */
export type Trial = { id: number; tests: string[] };
/** Outcome: a test failed, no test failed, a test timed out, or the test process crashed. */
export type Verdict = "killed" | "survived" | "timed out" | "did not run";
/** `by`: the first test that failed, and its file. */
export type Judgement = { id: number; verdict: Verdict; by?: { test: string; file: string }; seconds: number };

type Connection = { provider: { request(call: { method: string; params: unknown[] }): Promise<unknown> } };

const TIMEOUT = 60_000;
const loaded = new Map<string, Mocha>();

/** A file's tests can be loaded only once in a process; a separate Mocha instance runs them as often as needed. */
async function testsIn(file: string): Promise<Mocha> {
  const known = loaded.get(file);
  if (known !== undefined) return known;
  const mocha = new Mocha({ bail: true, timeout: TIMEOUT, reporter: class {} as never });
  mocha.addFile(join(process.cwd(), "test/contracts", file));
  mocha.cleanReferencesAfterRun(false);
  await mocha.loadFilesAsync();
  loaded.set(file, mocha);
  return mocha;
}

type Failure = { test: string; verdict: Verdict };

function firstFailure(mocha: Mocha): Promise<Failure | undefined> {
  return new Promise((resolve) => {
    let failed: Failure | undefined;
    const runner = mocha.run(() => {
      // Otherwise each instance would pass uncaught errors on to all others.
      runner.dispose();
      resolve(failed);
    });
    runner.on("fail", (test, error) => {
      const isLate = error?.code === "ERR_MOCHA_TIMEOUT";
      failed ??= { test: test.titlePath().join(" › "), verdict: isLate ? "timed out" : "killed" };
    });
  });
}

async function judge({ id, tests }: Trial, { provider }: Connection): Promise<Judgement> {
  const begin = performance.now();
  const seconds = () => (performance.now() - begin) / 1000;
  await provider.request({ method: "hardhat_setCoinbase", params: [switchAddress(id)] });
  for (const file of tests) {
    const failed = await firstFailure(await testsIn(file));
    if (failed) return { id, verdict: failed.verdict, by: { test: failed.test, file }, seconds: seconds() };
  }
  return { id, verdict: "survived", seconds: seconds() };
}

/**
 * Run in a project's copy whose contracts hold all changes: switches them on one after the other, in one process with the
 * tests loaded once, and prints a line of JSON for each. Number 0 means unchanged: every test must pass then.
 * usage: node runner.ts '[{"id":…,"tests":[…]}]'
 */
async function main(trials: Trial[]): Promise<void> {
  const scheme = pathToFileURL(join(process.cwd(), "test/contracts/scheme.ts")).href;
  const { connection } = await import(scheme);
  const { provider, networkHelpers } = connection;
  // Rejections of work that a failed test did not wait for.
  process.on("unhandledRejection", () => {});
  for (const trial of trials) {
    // Each starts on the same chain: fixtures are created again with the change, and the clock is reset.
    const snapshot = await provider.request({ method: "evm_snapshot", params: [] });
    const judgement = await judge(trial, connection);
    await provider.request({ method: "evm_revert", params: [snapshot] });
    await networkHelpers.clearSnapshots();
    console.log(JSON.stringify(judgement));
  }
  process.exit(0);
}

if (import.meta.main) await main(JSON.parse(process.argv[2] ?? "[]"));
