import type { TaskOverrideActionFunction } from "hardhat/types/tasks";
import { errorResult } from "hardhat/utils/result";

type Metrics = { calls: bigint; reverts: bigint; discards: bigint };
/** The part of Hardhat's report of a suite that is read here. */
export type SuiteResult = {
  id: { name: string };
  testResults: { kind: { runs?: bigint; metrics?: Record<string, Metrics> } }[];
};

/** The outcomes of the calls of one handler function in all runs of a suite. */
export type CallStatistics = { name: string; calls: number; succeeded: number; reverted: number; discarded: number };

/** With fewer calls a rare success may not occur by chance; the long form makes thousands of each. */
const ENOUGH = 200;

/** Add up the outcomes of each called function in a suite's invariants, by name. */
export function statisticsOf({ testResults }: Pick<SuiteResult, "testResults">): CallStatistics[] {
  const sums = new Map<string, CallStatistics>();
  for (const { kind } of testResults) {
    for (const [path, metrics] of Object.entries(kind.metrics ?? {}))
      add(sums, path.slice(path.lastIndexOf(".") + 1), metrics);
  }
  return [...sums.values()].sort((a, b) => a.name.localeCompare(b.name));
}

function add(sums: Map<string, CallStatistics>, name: string, metrics: Metrics): void {
  const sum = sums.get(name) ?? { name, calls: 0, succeeded: 0, reverted: 0, discarded: 0 };
  const [calls, reverted, discarded] = [Number(metrics.calls), Number(metrics.reverts), Number(metrics.discards)];
  sum.calls += calls;
  sum.reverted += reverted;
  sum.discarded += discarded;
  sum.succeeded += calls - reverted - discarded;
  sums.set(name, sum);
}

/** Functions that were called often and never succeeded: the fuzzing does not test them. */
export function neverSucceeded(statistics: readonly CallStatistics[]): string[] {
  return statistics.filter(({ calls, succeeded }) => calls >= ENOUGH && succeeded === 0).map(({ name }) => name);
}

function print(suite: string, statistics: readonly CallStatistics[]): void {
  const total = statistics.reduce((sum, { calls }) => sum + calls, 0);
  const succeeded = statistics.reduce((sum, one) => sum + one.succeeded, 0);
  console.log(`\n${suite}: ${total} calls, ${succeeded} succeeded`);
  for (const one of statistics) {
    const numbers = [one.calls, one.succeeded, one.reverted, one.discarded].map((number) => String(number).padStart(8));
    console.log(`  ${one.name.padEnd(24)} ${numbers.join(" ")}`);
  }
}

/** `hardhat test solidity`, with the statistics of its stateful suites; fails when one of their functions never succeeds. */
const run: TaskOverrideActionFunction = async (taskArguments, _hre, runSuper) => {
  const result = await runSuper(taskArguments);
  const outcome = (result.success ? result.value : result.error) as { suiteResults: SuiteResult[] };
  const idle: string[] = [];
  for (const suite of outcome.suiteResults) {
    const statistics = statisticsOf(suite);
    if (statistics.length === 0) continue;
    print(suite.id.name, statistics);
    idle.push(...neverSucceeded(statistics).map((name) => `${suite.id.name}.${name}`));
  }
  if (idle.length === 0) return result;
  console.error(`\nNever succeeded: ${idle.join(", ")}`);
  return errorResult(outcome);
};

export default run;
