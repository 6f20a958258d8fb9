import { readOptions } from "./command-options.ts";
import { runCommand } from "./run-command.ts";
import { makeTestFolder } from "./test-folder.ts";
import { runTestFiles } from "./testing/files.ts";
import { filesOf, type Stage, stages } from "./testing/stages.ts";
import { failureLines, type Outcome, skipLines, slowestLines, worthAnotherLook } from "./testing/summary.ts";
import { runWhole } from "./testing/whole.ts";

const help = `npm test [-- --only <stage>[,<stage>…]]     npm run test:long
Stages: contracts, fuzz, files, api, oracle, sdk, web, browser, scripts, crash, indexer, e2e. The long run lengthens fuzzing, kills and invariants.`;

type Run = { stages: readonly Stage[]; long: boolean; folder: string };

const atATime = 2;

const minute = 60_000;
/** What hangs fails instead of stopping the whole run, and says what it waited for. Milliseconds. */
const limits = {
  short: { testMs: 20 * minute, fileMs: 25 * minute, silenceMs: 25 * minute, limitMs: 60 * minute },
  long: { testMs: 170 * minute, fileMs: 180 * minute, silenceMs: 180 * minute, limitMs: 360 * minute },
};

let interrupted = false;
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.on(signal, () => {
    interrupted = true;
  });
}

async function runStage(stage: Stage, { long, folder }: Run, files?: readonly string[]): Promise<Outcome> {
  const { name } = stage;
  const begin = performance.now();
  console.log(`\n=== ${name} begins`);
  const env = { TMPDIR: folder, ...(long ? { HEARTH_LONG: "1" } : {}) };
  const options = { ...(long ? limits.long : limits.short), folder, env };
  const outcome =
    stage.runner === "node"
      ? await runTestFiles(files ?? filesOf(stage), options, () => interrupted)
      : await runWhole(stage, options);
  const { passed, failed, skipped } = outcome;
  const seconds = (performance.now() - begin) / 1000;
  console.log(`=== ${name}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds.toFixed(0)} s`);
  return outcome;
}

/** Run the stages, two at a time; what came of each, in their order. */
async function runStages(run: Run): Promise<Map<string, Outcome>> {
  const results = new Map<string, Outcome>();
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
async function lookAgain(run: Run, results: Map<string, Outcome>): Promise<string[]> {
  const unsteady: string[] = [];
  for (const stage of run.stages.filter(({ hasPages }) => hasPages)) {
    const outcome = results.get(stage.name);
    if (outcome === undefined || outcome.failed === 0 || interrupted) continue;
    const files = worthAnotherLook(outcome.times, outcome);
    if (files.length === 0) continue;
    const again = await runStage({ ...stage, name: `${stage.name}, once more` }, run, files);
    if (again.failed > 0) continue;
    results.set(stage.name, { ...outcome, passed: outcome.passed + outcome.failed, failed: 0 });
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
    const outcomes = [...results.values()];
    const [times, failures, skips] = [
      outcomes.flatMap((each) => each.times),
      outcomes.flatMap((each) => each.failures),
      outcomes.flatMap((each) => each.skips),
    ];
    if (times.length > 0) console.log(`\nThe slowest files:\n${slowestLines(times, 10).join("\n")}`);
    if (skips.length > 0) console.log(`\nLeft out:\n${skipLines(skips).join("\n")}`);
    if (failures.length > 0) console.log(`\nFailed:\n${failures.flatMap(failureLines).join("\n")}`);
    for (const file of unsteady) console.log(`UNSTEADY: ${file} failed beside another stage and passed by itself`);
    report(chosen, results, (performance.now() - begin) / 1000);
  } finally {
    remove();
  }
}

function report(chosen: readonly Stage[], results: ReadonlyMap<string, Outcome>, seconds: number): void {
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
