import { parseArgs } from "node:util";
import { runCommand } from "./run-command.ts";
import { type Counts, countTests } from "./test-summary.ts";

const help = `npm test [-- --only <stage>[,<stage>…]]     npm run test:long
Stages: contracts, fuzz, scripts, api, crash, indexer, e2e. The long run lengthens fuzzing, kills and invariants.`;

type Stage = { name: string; command: string; args: string[] };

/** Files run one after the other where they start whole systems: two cores cannot time two of them. */
const nodeTests = (name: string, concurrency: number, ...patterns: string[]): Stage => ({
  name,
  command: process.execPath,
  args: ["--test", "--test-reporter=spec", `--test-concurrency=${concurrency}`, ...patterns],
});

const stages: Stage[] = [
  { name: "contracts", command: "hardhat", args: ["test", "mocha"] },
  { name: "fuzz", command: "hardhat", args: ["test", "solidity"] },
  nodeTests("scripts", 1, "scripts/**/*.test.ts", "deployments/**/*.test.ts"),
  nodeTests("api", 2, "api/**/*.test.ts"),
  nodeTests("crash", 1, "test/crash/**/*.test.ts"),
  nodeTests("indexer", 1, "test/indexer/**/*.test.ts"),
  nodeTests("e2e", 1, "test/e2e/**/*.test.ts"),
];

/** A stage that hangs fails instead of stopping the whole run. Milliseconds. */
const limits = { short: 20 * 60_000, long: 6 * 3_600_000 };

async function runStage(stage: Stage, long: boolean): Promise<Counts> {
  console.log(`\n=== ${stage.name}`);
  const { code, output, seconds } = await runCommand(
    stage.command,
    stage.args,
    long ? { HEARTH_LONG: "1" } : {},
    long ? limits.long : limits.short,
  );
  const counts = countTests(output);
  // A runner that crashed, or that found no test, has not shown anything: that is a failure of its own.
  if (counts.failed === 0 && (code !== 0 || counts.passed === 0)) counts.failed = 1;
  const { passed, failed, skipped } = counts;
  console.log(`=== ${stage.name}: ${passed} passed, ${failed} failed, ${skipped} skipped in ${seconds.toFixed(0)} s`);
  return counts;
}

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    long: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(help);
} else {
  const names = values.only?.split(",");
  const unknown = names?.filter((name) => !stages.some((stage) => stage.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`There is no stage ${unknown.join(", ")}.\n${help}`);
  // Everything that deploys needs the compiled contracts.
  const build = await runCommand(process.execPath, ["scripts/build.ts"]);
  const total: Counts = { passed: 0, failed: build.code === 0 ? 0 : 1, skipped: 0 };
  for (const stage of build.code === 0 ? stages : []) {
    if (names && !names.includes(stage.name)) continue;
    const counts = await runStage(stage, values.long);
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
  }
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
  process.exitCode = total.failed > 0 || total.passed === 0 ? 1 : 0;
}
