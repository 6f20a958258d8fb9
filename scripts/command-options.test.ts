import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join, relative } from "node:path";
import { before, describe, it } from "node:test";
import { promisify } from "node:util";

const folder = join(tmpdir(), `hearth-options-${process.pid}`);

/** Files of scripts/ that other files import and nobody runs. */
const modules = new Set([
  "command-options.ts",
  "disk-files.ts",
  "embedded-chain.ts",
  "embedded-chain-miner.ts",
  "embedded-chain-rpc.ts",
  "embedded-chain-state.ts",
  "fuzz-statistics.ts",
  "er-methods.ts",
  "pack-package.ts",
  "parent-watchdog.ts",
  "rpc-url.ts",
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
  ...["api", "chain", "console", "files", "oracle", "start", "aef", "cards", "odk", "trace", "day"].map(
    (name) => `bench/${name}.ts`,
  ),
];

type Outcome = { status: unknown; stdout: string; stderr: string };
/** Calls of all commands in one process, by script and option; see command-outcomes.ts. */
const together = new Map<string, Outcome>();
before(async () => {
  const args = ["test/support/command-outcomes.ts", ...commands, ...elsewhere];
  const options = { env: { ...process.env, COMMAND_FOLDERS: folder }, maxBuffer: 2 ** 24 };
  const { stdout } = await promisify(execFile)(process.execPath, args, options);
  for (const line of stdout.trimEnd().split("\n")) {
    const { script, option, ...outcome } = JSON.parse(line) as Outcome & { script: string; option: string };
    together.set(`${script} ${option}`, outcome);
  }
});

/** A command that runs only as the main module, or that catches its own exit, has another outcome there than in its own process. */
const outcomeOf = async (script: string, option: string, status: number): Promise<Outcome> => {
  const outcome = together.get(`${script} ${option}`);
  assert.ok(outcome !== undefined, "all commands were called");
  const isEmpty = outcome.stdout === "" && outcome.stderr === "";
  return outcome.status === status && !isEmpty ? outcome : run(script, option);
};

const run = (script: string, ...args: string[]) =>
  new Promise<Outcome>((resolve) => {
    const options = { env: { ...process.env, DATA_DIR: join(folder, basename(script)) }, timeout: 120_000 };
    execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
      resolve({ status: error === null ? 0 : error.code, stdout, stderr });
    });
  });

describe("a command that is asked for its help, or given an option that it has not", { concurrency: 3 }, () => {
  for (const script of [...commands, ...elsewhere]) {
    it(`says so and does nothing else (${relative("scripts", script)})`, async () => {
      const [help, wrong] = await Promise.all([outcomeOf(script, "--help", 0), outcomeOf(script, "--what", 2)]);
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

  it("names every address and number of a deployment that cannot be read, and a node that does not answer", async () => {
    const account = "0x90F79bf6EB2c4f870365E785982E1f101E93b906";
    const roles = ["operator", "registrar", "evaluator"].map((role) => `--${role}=${account}`);
    const place = ["--rpc=http://127.0.0.1:1", `--out=${join(folder, "none.json")}`, ...roles];
    const wrong = await run(
      "scripts/deploy.ts",
      ...place,
      "--guardian=0xzz",
      `--council=${account},0x1`,
      "--price=1.5",
    );
    assert.equal(wrong.status, 2);
    for (const name of ['--guardian: "0xzz"', '--council: "0x1"', "--price: 1.5"]) {
      assert.ok(wrong.stderr.includes(name), wrong.stderr);
    }
    const silent = await run("scripts/deploy.ts", ...place, `--guardian=${account}`, `--council=${account}`);
    assert.equal(silent.status, 1);
    assert.match(silent.stderr, /^The node at http:\/\/127\.0\.0\.1:1\/? does not answer: .*\n$/);
  });

  it("says why secrets could not be written", async () => {
    const { status, stderr } = await run("scripts/secrets.ts", "package.json");
    assert.equal(status, 1);
    assert.match(stderr, /^The secrets could not be written: EEXIST.*\n$/);
  });
});
