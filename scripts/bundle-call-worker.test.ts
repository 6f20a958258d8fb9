import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { bundleCallWorker, workerFile } from "./bundle-call-worker.ts";

it("the worker of live calls is the one of its source: run node scripts/bundle-call-worker.ts", async () => {
  assert.equal(await readFile(workerFile, "utf8"), await bundleCallWorker());
});
