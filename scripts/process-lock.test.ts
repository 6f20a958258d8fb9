import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { tryLock } from "./process-lock.cjs";

const folder = mkdtempSync(join(tmpdir(), "hearth-lock-"));
after(() => rmSync(folder, { recursive: true, force: true }));

const holder = `require(${JSON.stringify(join(import.meta.dirname, "process-lock.cjs"))}).tryLock(process.argv[1]);
process.stdout.write("held"); setInterval(() => {}, 1000);`;

test("refuses a lock that a living process holds, and takes it over once that was killed", async () => {
  const file = join(folder, "lock");
  const child = spawn(process.execPath, ["-e", holder, file], { stdio: ["ignore", "pipe", "inherit"] });
  await once(child.stdout, "data");
  assert.equal(tryLock(file).owner?.pid, child.pid);
  child.kill("SIGKILL");
  await once(child, "exit");
  const taken = tryLock(file);
  assert.equal(taken.owner, undefined);
  taken.release?.();
  assert.equal(tryLock(file).owner, undefined);
});

test("lets one of many processes have it", async () => {
  const file = join(folder, "contested");
  const code = `const { tryLock } = require(${JSON.stringify(join(import.meta.dirname, "process-lock.cjs"))});
process.stdout.write(tryLock(process.argv[1]).release ? "1" : "0"); setTimeout(() => {}, 3000);`;
  const children = Array.from({ length: 6 }, () =>
    spawn(process.execPath, ["-e", code, file], { stdio: ["ignore", "pipe", "inherit"] }),
  );
  const answers = await Promise.all(children.map(async ({ stdout }) => String(await once(stdout, "data"))));
  assert.equal(answers.filter((answer) => answer === "1").length, 1);
});
