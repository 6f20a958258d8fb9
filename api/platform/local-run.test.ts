import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { readRunFile, removeRunFile, writeRunFile } from "./local-run.ts";

async function withFolder(run: (dataDir: string) => Promise<void>) {
  const dataDir = await mkdtemp(join(tmpdir(), "hearth-local-run-"));
  try {
    await run(dataDir);
  } finally {
    await rm(dataDir, { recursive: true });
  }
}

const own = { pid: process.pid, url: "http://127.0.0.1:1", operatorKey: "key" };

test("a server that starts is not stopped by another one in the folder that ends at the same moment", () =>
  withFolder(async (dataDir) => {
    for (let i = 0; i < 300; i++) await Promise.all([writeRunFile(dataDir, own), removeRunFile(dataDir)]);
  }));

test("a server that ends leaves the file of another one that started", () =>
  withFolder(async (dataDir) => {
    await writeRunFile(dataDir, { ...own, pid: process.pid + 1 });
    await removeRunFile(dataDir);
    assert.equal((await readRunFile(dataDir))?.pid, process.pid + 1);
    await writeRunFile(dataDir, own);
    await removeRunFile(dataDir);
    assert.equal(await readRunFile(dataDir), undefined);
  }));

test("only the owner can read the file, also when one was there that others could read", () =>
  withFolder(async (dataDir) => {
    await mkdir(join(dataDir, "run"));
    await writeFile(join(dataDir, "run/api.json"), "{}", { mode: 0o644 });
    await writeRunFile(dataDir, own);
    assert.equal((await stat(join(dataDir, "run/api.json"))).mode & 0o777, 0o600);
  }));
