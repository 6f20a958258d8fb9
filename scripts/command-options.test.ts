import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { describe, it } from "node:test";

const folder = join(tmpdir(), `hearth-options-${process.pid}`);

/** Files of scripts/ that other files import and nobody runs. */
const modules = new Set([
  "command-options.ts",
  "embedded-chain.ts",
  "embedded-chain-miner.ts",
  "embedded-chain-rpc.ts",
  "embedded-chain-state.ts",
  "fuzz-statistics.ts",
  "er-methods.ts",
  "pack-package.ts",
  "parent-watchdog.ts",
  "run-command.ts",
  "secret-files.ts",
  "solc.ts",
  "test-folder.ts",
  "verifier-command.ts",
]);
const commands = readdirSync("scripts")
  .filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts") && !modules.has(name))
  .map((name) => `scripts/${name}`);
const elsewhere = [
  ...["scripts/testing/behaviours.ts", "test/crash/run.ts"],
  ...["api", "chain", "console", "files", "oracle", "start", "aef", "trace"].map((name) => `bench/${name}.ts`),
];

type Outcome = { status: unknown; stdout: string; stderr: string };
const run = (script: string, option: string) =>
  new Promise<Outcome>((resolve) => {
    const options = { env: { ...process.env, DATA_DIR: join(folder, basename(script)) }, timeout: 120_000 };
    execFile(process.execPath, [script, option], options, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : error.code, stdout, stderr });
    });
  });

describe("a command that is asked for its help, or given an option that it has not", { concurrency: 3 }, () => {
  for (const script of [...commands, ...elsewhere]) {
    it(`says so and does nothing else (${relative("scripts", script)})`, async () => {
      const [help, wrong] = await Promise.all([run(script, "--help"), run(script, "--what")]);
      assert.deepEqual([help.status, help.stderr], [0, ""]);
      assert.match(help.stdout, /\b(npm|node) \S/, "the help shows how to call it");
      assert.deepEqual([wrong.status, wrong.stdout], [2, ""], wrong.stderr);
      assert.match(wrong.stderr, /^(error: )?unknown option '--what'/i);
      assert.doesNotMatch(wrong.stderr, /\n\s+at /, "a stack is for those who know the code");
      assert.ok(!existsSync(join(folder, basename(script))), "something was begun");
    });
  }

  it("names every option that a deployment lacks", async () => {
    const { status, stderr } = await run("scripts/deploy.ts", "--rpc=http://localhost:1");
    assert.equal(status, 2);
    assert.match(stderr, /^Give --out, --operator, --registrar, --evaluator, --guardian, --council\.\n/);
  });
});
