import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { makeTestFolder } from "./test-folder.ts";

test("is one for each run, and gone with everything in it", () => {
  const [first, second] = [makeTestFolder(false), makeTestFolder(false)];
  assert.notEqual(first.folder, second.folder);
  assert.equal(statSync(first.folder).mode & 0o777, 0o711);
  writeFileSync(join(first.folder, "left"), "behind");
  first.remove();
  assert.deepEqual([existsSync(first.folder), existsSync(second.folder)], [false, true]);
  second.remove();
});

test("removes the folders of killed runs, and keeps those of live ones", () => {
  const living = makeTestFolder(false);
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const forsaken = join(dirname(living.folder), `hearth-test-${pid}-aBcDeF`);
  mkdirSync(join(forsaken, "inner"), { recursive: true });
  const next = makeTestFolder(false);
  assert.deepEqual([existsSync(forsaken), existsSync(living.folder)], [false, true]);
  living.remove();
  next.remove();
});
