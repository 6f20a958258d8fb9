import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";

const folder = join(tmpdir(), `hearth-options-${process.pid}`);
const run = (script: string, ...args: string[]) =>
  spawnSync(process.execPath, [`scripts/${script}`, ...args], {
    env: { ...process.env, DATA_DIR: folder },
    encoding: "utf8",
    timeout: 120_000,
  });

describe("a command that is asked for its help, or given an option that it has not", () => {
  for (const [script, first] of [
    ["dev-stack.ts", /^npm start /],
    ["demo.ts", /^npm run demo /],
    ["roles.ts", /^npm run roles /],
    ["fsck.ts", /^npm run fsck /],
    ["rotate-kek.ts", /^Wraps every secret/],
    ["build.ts", /^npm run build\n/],
    ["test.ts", /^npm test /],
    ["../test/crash/run.ts", /^npm run test:crash /],
    ["../bench/chain.ts", /^npm run bench:chain\n/],
  ] as const) {
    it(`says so and does nothing else (${script})`, () => {
      const { status, stdout, stderr } = run(script, "--help");
      assert.deepEqual([status, stderr], [0, ""]);
      assert.match(stdout, first);
      const wrong = run(script, "--what");
      assert.deepEqual([wrong.status, wrong.stdout], [2, ""]);
      assert.match(wrong.stderr, /^Unknown option '--what'/);
      assert.doesNotMatch(wrong.stderr, /\n\s+at /, "a stack is for those who know the code");
      assert.ok(!existsSync(folder), "something was begun");
    });
  }
});
