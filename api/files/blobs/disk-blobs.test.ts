import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { link, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chunked, describeBlobStore, newTestKey, readBlob } from "../../../test/support/files/blobs.ts";
import { DiskBlobs } from "./disk-blobs.ts";

async function withFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-blobs-"));
  try {
    await run(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

describeBlobStore("a folder", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hearth-blobs-"));
  return { store: new DiskBlobs(folder), close: () => rm(folder, { recursive: true, force: true }) };
});

test("lets only the owner read blobs and their folders", () =>
  withFolder(async (folder) => {
    const key = newTestKey();
    await new DiskBlobs(folder).put(key, chunked(randomBytes(10), 10));
    const [kind = "", id = ""] = key.split("/");
    const shard = join(folder, kind, id.slice(0, 2));
    assert.equal((await stat(join(shard, id))).mode & 0o777, 0o600);
    assert.equal((await stat(shard)).mode & 0o777, 0o700);
  }));

test("overwrites the bytes of what it shreds", () =>
  withFolder(async (folder) => {
    const store = new DiskBlobs(folder);
    const key = newTestKey();
    const bytes = randomBytes(1_500_000);
    await store.put(key, chunked(bytes, 65_536));
    const [kind = "", id = ""] = key.split("/");
    // A second name keeps the file's blocks visible.
    const witness = join(folder, "witness");
    await link(join(folder, kind, id.slice(0, 2), id), witness);
    await store.shred(key);
    const left = await readFile(witness);
    assert.equal(left.length, bytes.length);
    for (let at = 0; at < bytes.length; at += 50_000) {
      assert.ok(!left.subarray(at, at + 16).equals(bytes.subarray(at, at + 16)), `bytes at ${at} are still there`);
    }
  }));

test("leaves no draft behind, and collects those that a stop left, the old ones alone", () =>
  withFolder(async (folder) => {
    const store = new DiskBlobs(folder);
    await store.put(newTestKey(), chunked(randomBytes(10), 10));
    const drafts = join(folder, "drafts");
    assert.deepEqual(await readdir(drafts), []);
    await writeFile(join(drafts, "old"), "x");
    await writeFile(join(drafts, "new"), "x");
    const hourAgo = new Date(Date.now() - 3_600_000);
    await utimes(join(drafts, "old"), hourAgo, hourAgo);
    assert.equal(await store.collectLeftovers(60_000), 1);
    assert.deepEqual(await readdir(drafts), ["new"]);
  }));

test("reads in another process's folder what was put there", () =>
  withFolder(async (folder) => {
    const key = newTestKey();
    await new DiskBlobs(folder).put(key, chunked(Buffer.from("kept"), 2));
    assert.equal((await readBlob(new DiskBlobs(folder), key)).toString(), "kept");
  }));
