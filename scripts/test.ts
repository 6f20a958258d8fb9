import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { readOptions } from "./command-options.ts";
import { runCommand } from "./run-command.ts";
import { makeTestFolder } from "./test-folder.ts";
import { type Counts, countTests, failureLines, readRecords, slowestLines, worthAnotherLook } from "./test-summary.ts";

const help = `npm test [-- --only <stage>[,<stage>…]]     npm run test:long
Stages: contracts, fuzz, files, api, oracle, sdk, web, browser, scripts, crash, indexer, e2e. The long run lengthens fuzzing, kills and invariants.`;

type Stage = { name: string; command: string; args: string[]; hasPages?: boolean };
type Run = { stages: Stage[]; long: boolean; folder: string };

/** The files of a stage run one after the other: two stages run at a time, and two cores cannot time more. */
const nodeTests = (name: string, ...patterns: string[]): Stage => ({
  name,
  command: process.execPath,
  args: ["--test", "--test-concurrency=1", ...patterns],
});

/** The unit tests of a workspace: each has Vitest of its own. */
const vitest = (name: string): Stage => {
  const manifest = createRequire(resolve(name, "package.json")).resolve("vitest/package.json");
  return { name, command: process.execPath, args: [join(dirname(manifest), "vitest.mjs"), "run", "--root", name] };
};

/** In the order in which they begin. A program of a later stage may compile: none does while Hardhat tests. */
const stages: Stage[] = [
  nodeTests("files", "api/files/**/*.test.ts"),
  { name: "contracts", command: "hardhat", args: ["test", "mocha"] },
  { name: "fuzz", command: "hardhat", args: ["test", "solidity"] },
  nodeTests("api", "api/!(files|oracle)/**/*.test.ts", "api/*.test.ts"),
  nodeTests("oracle", "api/oracle/**/*.test.ts"),
  { ...nodeTests("browser", "test/browser/**/*.test.ts"), hasPages: true },
  vitest("sdk"),
  vitest("web"),
  nodeTests("e2e", "test/e2e/**/*.test.ts"),
  nodeTests("indexer", "test/indexer/**/*.test.ts"),
  nodeTests("crash", "test/crash/**/*.test.ts"),
  nodeTests("scripts", "scripts/**/*.test.ts", "deployments/**/*.test.ts"),
];
const atATime = 2;

/** A stage that hangs fails instead of stopping the whole run. Milliseconds. */
const limits = { short: 40 * 60_000, long: 6 * 3_600_000 };

let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    interrupted = true;
  });
}

const recordsFile = (folder: string, { name }: Stage) => join(folder, `${name}.jsonl`);

async function runStage(stage: Stage, { stages: all, long, folder }: Run): Promise<Counts> {
  const { name, command, args } = stage;
  console.log(`\n=== ${name} begins`);
  const reporters = [
    ...["--test-reporter=spec", "--test-reporter-destination=stdout"],
    `--test-reporter=${pathToFileURL(join(import.meta.dirname, "test-durations.mjs"))}`,
    `--test-reporter-destination=${recordsFile(folder, stage)}`,
  ];
  const { code, output, seconds } = await runCommand(command, args[0] === "--test" ? [...reporters, ...args] : args, {
    env: { TMPDIR: folder, ...(long ? { HEARTH_LONG: "1" } : {}) },
    limitMs: long ? limits.long : limits.short,
    atOnce: all.length > 1,
  });
  const counts = countTests(output);
  // A runner that crashed, or that found no test, has not shown anything: that is a failure of its own.
  if (counts.failed === 0 && (code !== 0 || counts.passed === 0)) counts.failed = 1;
  const { passed, failed, skipped } = counts;
  console.log(`=== ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds.toFixed(0)} s`);
  return counts;
}

/** Run the stages, two at a time; what came of each, in their order. */
async function runStages(run: Run): Promise<Map<string, Counts>> {
  const results = new Map<string, Counts>();
  const waiting = [...run.stages];
  const work = async () => {
    for (let stage = waiting.shift(); stage !== undefined && !interrupted; stage = waiting.shift()) {
      results.set(stage.name, await runStage(stage, run));
    }
  };
  await Promise.all(Array.from({ length: atATime }, work));
  return results;
}

/**
 * Run the few failed files of pages once more, with nothing beside: what a page draws may come too late where another stage takes the
 * processor. What passes then is named as unsteady, a defect to mend; what fails twice has failed.
 */
async function lookAgain(run: Run, results: Map<string, Counts>): Promise<string[]> {
  const unsteady: string[] = [];
  for (const stage of run.stages.filter(({ hasPages }) => hasPages)) {
    const counts = results.get(stage.name);
    if (counts === undefined || counts.failed === 0 || interrupted) continue;
    const files = worthAnotherLook(readRecords([recordsFile(run.folder, stage)]).times, counts);
    if (files.length === 0) continue;
    const again = await runStage(nodeTests(`${stage.name}, once more`, ...files), run);
    if (again.failed > 0) continue;
    results.set(stage.name, { ...counts, passed: counts.passed + counts.failed, failed: 0 });
    unsteady.push(...files);
  }
  return unsteady;
}

async function main(names: string[] | undefined, long: boolean): Promise<void> {
  const unknown = names?.filter((name) => !stages.some((stage) => stage.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`There is no stage ${unknown.join(", ")}.\n${help}`);
  // Everything that deploys needs the compiled contracts.
  const build = await runCommand(process.execPath, ["scripts/build.ts"]);
  if (build.code !== 0) throw new Error("The contracts do not compile.");
  const chosen = stages.filter(({ name }) => names?.includes(name) ?? true);
  // The long run writes more than memory holds.
  const { folder, remove } = makeTestFolder(!long);
  try {
    const begin = performance.now();
    const run = { stages: chosen, long, folder };
    const results = await runStages(run);
    const unsteady = await lookAgain(run, results);
    const { times, failures } = readRecords(chosen.map((stage) => recordsFile(folder, stage)));
    if (times.length > 0) console.log(`\nThe slowest files:\n${slowestLines(times, 10).join("\n")}`);
    if (failures.length > 0) console.log(`\nFailed:\n${failures.flatMap(failureLines).join("\n")}`);
    for (const file of unsteady) console.log(`UNSTEADY: ${file} failed beside another stage and passed by itself`);
    report(chosen, results, (performance.now() - begin) / 1000);
  } finally {
    remove();
  }
}

function report(chosen: readonly Stage[], results: ReadonlyMap<string, Counts>, seconds: number): void {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { name } of chosen) {
    // A stage that was never begun has not shown anything either.
    const { passed, failed, skipped } = results.get(name) ?? { passed: 0, failed: 1, skipped: 0 };
    if (failed > 0) console.log(`FAILED: ${name}`);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  const { passed, failed, skipped } = total;
  console.log(`\n${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds.toFixed(0)} s`);
  process.exitCode = failed > 0 || passed === 0 ? 1 : 0;
}

const { only, long } = readOptions(help, {
  only: { type: "string" },
  long: { type: "boolean", default: false },
});
await main(only?.split(","), long);
