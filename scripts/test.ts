import { readOptions } from "./command-options.ts";
import { runCommand } from "./run-command.ts";
import { makeTestFolder } from "./test-folder.ts";
import { chooseChanged } from "./testing/changed.ts";
import { usesContracts } from "./testing/compiled.ts";
import { cpuSeconds } from "./testing/cpu-time.ts";
import { type Part, runTogether, sumUp } from "./testing/files.ts";
import { lanesOf } from "./testing/lanes.ts";
import { type Durations, Queue, readDurations, type Unit, unitsOfAll, writeDurations } from "./testing/queue.ts";
import { filesOf, type Stage, stages } from "./testing/stages.ts";
import { failureLines, type Outcome, skipLines, slowestLines, worthAnotherLook } from "./testing/summary.ts";
import { inputsOf, keepPass, type Pass, passOf } from "./testing/unchanged.ts";
import { runWhole } from "./testing/whole.ts";

const help = `npm test [-- --only <stage>[,<stage>…] | --changed | --all] [--time] [--lanes <number>]     npm run test:long
Stages: contracts, fuzz, files, api, oracle, sdk, web, browser, scripts, chaos, drill, crash, indexer, e2e. The long run lengthens fuzzing, kills and invariants, and runs drill.
--changed runs the tests that use what changed since main, the nearest first, for two minutes; it says how many it left.
--all runs the tests of contracts too when nothing that they depend on has changed since they passed on this machine.
--time keeps what each file took in scripts/testing/durations.json, which orders later runs.
--lanes sets how many processes run at a time; default: two more than processors, at most 4, as memory allows.`;

/** Options of a run. `again`: run also stages that have passed and have not changed. */
type Asked = { long: boolean; again: boolean; lanes: number };
type Run = { queue: Queue; long: boolean; folder: string; lanes: number };

const minute = 60_000;
/** Time limit in milliseconds: a hanging test fails with what it waited for, instead of stopping the whole run. */
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

async function runUnit({ stage, files }: Unit, { long, folder }: Pick<Run, "long" | "folder">): Promise<Part> {
  const env = { TMPDIR: folder, ...(long ? { HEARTH_LONG: "1" } : {}) };
  const options = { ...(long ? limits.long : limits.short), folder, env };
  return stage.runner === "node"
    ? await runTogether(files, options)
    : { outcome: await runWhole(stage, options, files), ran: [] };
}

/** Compile the contracts, which then lets the units that use them run. @returns false when they do not compile */
async function compileContracts(queue: Queue): Promise<boolean> {
  const { code } = await runCommand(process.execPath, ["scripts/build.ts"], { atOnce: true });
  if (code === 0) queue.compiled();
  else queue.drop();
  return code === 0;
}

type Ended = Unit & { part: Part };

/** Run the queued units, several at a time. */
async function runUnits({ queue, lanes, ...run }: Run): Promise<Ended[]> {
  const ended: Ended[] = [];
  const work = async () => {
    for (let unit = await queue.take(); unit !== undefined; unit = await queue.take()) {
      const part = await runUnit(unit, run);
      ended.push({ ...unit, part });
      if (interrupted) queue.drop();
      queue.ended(unit);
    }
  };
  await Promise.all(Array.from({ length: lanes }, work));
  return ended;
}

/** Outcomes of the stages whose units all ran. */
function outcomesOf(units: readonly Unit[], ended: readonly Ended[]): Map<string, Outcome> {
  const outcomes = new Map<string, Outcome>();
  for (const stage of new Set(units.map((unit) => unit.stage))) {
    const own = ended.filter((each) => each.stage === stage);
    if (own.length < units.filter((unit) => unit.stage === stage).length) continue;
    const parts = own.map(({ part }) => part);
    const files = own.flatMap((each) => each.files);
    const outcome = stage.runner === "node" ? sumUp(files, parts) : parts[0]?.outcome;
    if (outcome === undefined) continue;
    outcomes.set(stage.name, outcome);
    const { passed, failed, skipped, times } = outcome;
    const seconds = times.reduce((sum, time) => sum + time.seconds, 0);
    console.log(`=== ${stage.name}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds.toFixed(0)} s`);
  }
  return outcomes;
}

/**
 * Run the few failed files of Node once more, alone: a page may render too late, or a wait may end, when another process takes the
 * processor. A test that passes then is listed as unsteady, a defect to mend; one that fails twice has failed.
 */
async function lookAgain(chosen: readonly Stage[], run: Run, results: Map<string, Outcome>): Promise<string[]> {
  const unsteady: string[] = [];
  for (const stage of chosen.filter(({ runner }) => runner === "node")) {
    const outcome = results.get(stage.name);
    if (outcome === undefined || outcome.failed === 0 || interrupted) continue;
    const files = worthAnotherLook(outcome.times);
    if (files.length === 0) continue;
    console.log(`\n=== ${stage.name}, once more: ${files.join(", ")}`);
    const again: Part[] = [];
    for (const file of files) again.push(await runUnit({ stage, files: [file], seconds: 0 }, run));
    if (sumUp(files, again).failed > 0) continue;
    results.set(stage.name, { ...outcome, passed: outcome.passed + outcome.failed, failed: 0 });
    unsteady.push(...files);
  }
  return unsteady;
}

/** Run units and return their outcomes. */
async function runAll(all: readonly Unit[], { long, again, lanes }: Asked): Promise<Outcome[]> {
  // Before the run, because files that change meanwhile have not passed.
  const inputs = new Map(whole(all).map((stage) => [stage, inputsOf(stage)]));
  const unchanged = new Map<Stage, Pass>();
  for (const [stage, hash] of inputs) {
    const pass = again ? undefined : passOf(stage, hash);
    if (pass !== undefined) unchanged.set(stage, pass);
  }
  const units = all.filter(({ stage }) => !unchanged.has(stage));
  const chosen = stages.filter((stage) => units.some((unit) => unit.stage === stage));
  // The long run writes more than memory holds.
  const { folder, remove } = makeTestFolder(!long);
  try {
    const begin = performance.now();
    const run = { queue: new Queue(units, usesContracts()), long, folder, lanes };
    const compiling = compileContracts(run.queue);
    const ended = await runUnits(run);
    if (!(await compiling)) throw new Error("The contracts do not compile.");
    const results = outcomesOf(units, ended);
    const unsteady = await lookAgain(chosen, run, results);
    const outcomes = [...results.values()];
    tellDetails(outcomes);
    for (const file of unsteady) console.log(`UNSTEADY: ${file} failed next to another process and passed by itself`);
    for (const [stage, hash] of inputs) {
      const outcome = results.get(stage.name);
      if (long || hash === undefined || outcome === undefined || outcome.failed > 0) continue;
      keepPass(stage, { inputs: hash, at: new Date().toISOString(), passed: outcome.passed, skipped: outcome.skipped });
    }
    report(chosen, results, unchanged, (performance.now() - begin) / 1000);
    return outcomes;
  } finally {
    remove();
  }
}

/** The stages of which every file is among the units. */
function whole(units: readonly Unit[]): Stage[] {
  const count = (stage: Stage) => units.reduce((sum, each) => sum + (each.stage === stage ? each.files.length : 0), 0);
  return stages.filter((stage) => count(stage) === filesOf(stage).length);
}

function tellDetails(outcomes: readonly Outcome[]): void {
  const [times, failures, skips] = [
    outcomes.flatMap((each) => each.times),
    outcomes.flatMap((each) => each.failures),
    outcomes.flatMap((each) => each.skips),
  ];
  if (times.length > 0) console.log(`\nThe slowest files:\n${slowestLines(times, 10).join("\n")}`);
  if (skips.length > 0) console.log(`\nLeft out:\n${skipLines(skips).join("\n")}`);
  if (failures.length > 0) console.log(`\nFailed:\n${failureLines(failures).join("\n")}`);
}

function report(
  chosen: readonly Stage[],
  results: ReadonlyMap<string, Outcome>,
  unchanged: ReadonlyMap<Stage, Pass>,
  seconds: number,
): void {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const { name } of chosen) {
    // A stage that never started has not passed either.
    const { passed, failed, skipped } = results.get(name) ?? { passed: 0, failed: 1, skipped: 0 };
    if (failed > 0) console.log(`FAILED: ${name}`);
    total.passed += passed;
    total.failed += failed;
    total.skipped += skipped;
  }
  for (const [{ name }, { at, passed }] of unchanged)
    console.log(`Not run: ${name}, whose ${passed} tests passed at ${at} with all that they depend on as it is now.`);
  const { passed, failed, skipped } = total;
  const cpu = cpuSeconds().toFixed(0);
  console.log(
    `\n${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds.toFixed(0)} s, ${cpu} s of processor time`,
  );
  process.exitCode = failed > 0 || (passed === 0 && unchanged.size === 0) ? 1 : 0;
}

/** Keep how long each file took, for the order of later runs. */
function keepDurations(before: Durations, outcomes: readonly Outcome[]): void {
  const timed = outcomes.flatMap(({ times }) => times).map(({ file, seconds }) => [file, seconds]);
  const all = stages.flatMap((stage) => (stage.runner === "node" ? filesOf(stage) : [stage.name]));
  writeDurations(before, Object.fromEntries(timed), all);
}

/** Run the tests that use changed files, and list the others that do. */
async function runChanged(lanes: number): Promise<void> {
  const short = stages.filter(({ isLong }) => !isLong);
  const { changed, units, left } = chooseChanged(short, readDurations());
  const count = units.reduce((sum, { files }) => sum + files.length, 0);
  console.log(
    `${changed.length} files changed; ${count + left.length} files of tests use them, ${count} of these run.`,
  );
  if (count > 0) await runAll(units, { long: false, again: false, lanes });
  const nearest = left.slice(0, 5).join(", ");
  if (left.length > 0) console.log(`Left to npm test: ${left.length} files that use them too, such as ${nearest}.`);
}

async function main(names: string[] | undefined, { time, ...asked }: Asked & { time: boolean }): Promise<void> {
  const unknown = names?.filter((name) => !stages.some((stage) => stage.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`There is no stage ${unknown.join(", ")}.\n${help}`);
  const chosen = stages.filter(({ name, isLong }) => names?.includes(name) ?? (asked.long || !isLong));
  const durations = readDurations();
  const outcomes = await runAll(unitsOfAll(chosen, durations), asked);
  if (time) keepDurations(durations, outcomes);
}

function readLanes(asked: string | undefined): number {
  try {
    return lanesOf(asked);
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n${help}`);
    process.exit(2);
  }
}

const { only, changed, all, long, time, ...asked } = readOptions(help, {
  only: { type: "string" },
  changed: { type: "boolean", default: false },
  all: { type: "boolean", default: false },
  long: { type: "boolean", default: false },
  time: { type: "boolean", default: false },
  lanes: { type: "string" },
});
const lanes = readLanes(asked.lanes);
if (changed) await runChanged(lanes);
else await main(only?.split(","), { long, time, lanes, again: all || long || time || only !== undefined });
