import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  inChunks,
  OpenBlobs,
  readTestContent,
  seededBytes,
  storeTestContent,
  testFileId,
} from "../../../test/support/files/content.ts";
import { AppError } from "../../platform/errors.ts";
import { BlobNotFoundError } from "../blobs/blob-store.ts";
import { DiskBlobs } from "../blobs/disk-blobs.ts";
import { readBytes, readContent } from "./read-content.ts";
import { BadSegmentError } from "./seal.ts";
import { segmentSize } from "./segments.ts";

const long = process.env.HEARTH_LONG === "1";

async function onDisk(run: (blobs: DiskBlobs, folder: string) => Promise<void>): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), "hearth-content-"));
  try {
    await run(new DiskBlobs(folder), folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

test("gives back content of any length, however its chunks are cut", () =>
  onDisk(async (blobs) => {
    for (const size of [0, 1, 70_000, segmentSize - 1, segmentSize, segmentSize + 1, 3 * segmentSize, 3_333_333]) {
      for (const chunk of [1_000_003, 16_384]) {
        const bytes = randomBytes(size);
        const stored = await storeTestContent(blobs, inChunks(bytes, chunk));
        assert.equal(stored.size, size);
        assert.ok((await readTestContent(blobs, stored)).equals(bytes), `${size} bytes in chunks of ${chunk}`);
      }
    }
  }));

test("reads content twice concurrently, with readers that leave early", () =>
  onDisk(async (blobs) => {
    const bytes = randomBytes(5 * segmentSize);
    const stored = await storeTestContent(blobs, bytes);
    const { key, blob, size } = stored;
    const leave = async () => {
      for await (const part of readContent({ blobs }, { fileId: testFileId, version: 1, key, blob, size }))
        return part.length;
    };
    const [left, one, two] = await Promise.all([
      leave(),
      readTestContent(blobs, stored),
      readTestContent(blobs, stored),
    ]);
    assert.ok((left ?? 0) > 0);
    assert.ok(one.equals(bytes) && two.equals(bytes));
  }));

test("leaves nothing when the source fails, and throws its reason", () =>
  onDisk(async (blobs, folder) => {
    async function* failing() {
      yield* inChunks(randomBytes(3 * segmentSize), 100_000);
      throw new Error("connection reset");
    }
    await assert.rejects(storeTestContent(blobs, failing()), /connection reset/);
    assert.deepEqual(await filesIn(folder), []);
  }));

test("leaves nothing when the caller goes, even while the source keeps silent", () =>
  onDisk(async (blobs, folder) => {
    const gone = new AbortController();
    let closed = false;
    async function* silent() {
      try {
        yield randomBytes(2 * segmentSize);
        await sleep(10_000, undefined, { signal: AbortSignal.timeout(10_000), ref: false });
      } finally {
        closed = true;
      }
    }
    const storing = storeTestContent(blobs, silent(), { signal: gone.signal });
    setTimeout(() => gone.abort(new Error("the caller went")), 50);
    const start = performance.now();
    await assert.rejects(storing, /the caller went/);
    assert.ok(performance.now() - start < 5_000, "it waited for the source");
    assert.equal(closed, false);
    assert.deepEqual(await filesIn(folder), []);
    await assert.rejects(storeTestContent(blobs, silent(), { signal: gone.signal }), /the caller went/);
  }));

test("refuses content that is longer than the limit, and leaves nothing of it", () =>
  onDisk(async (blobs, folder) => {
    const limit = 2 * segmentSize + 5;
    assert.equal((await storeTestContent(blobs, randomBytes(limit), { limit })).size, limit);
    const before = (await filesIn(folder)).length;
    for (const size of [limit + 1, 9 * segmentSize]) {
      let given = 0;
      async function* counted() {
        for await (const part of inChunks(randomBytes(size), 65_536)) {
          given += part.length;
          yield part;
        }
      }
      const tooLarge = (error: unknown) => error instanceof AppError && error.code === "TOO_LARGE";
      await assert.rejects(storeTestContent(blobs, counted(), { limit }), tooLarge);
      assert.ok(given <= limit + 3 * segmentSize, "it read on after the limit");
    }
    assert.equal((await filesIn(folder)).length, before);
  }));

test("tells that the blob is gone, and that a range is beyond", async () => {
  const blobs = new OpenBlobs();
  const stored = await storeTestContent(blobs, randomBytes(10));
  await blobs.delete(stored.blob);
  await assert.rejects(readTestContent(blobs, stored), BlobNotFoundError);
  assert.equal((await readTestContent(blobs, await storeTestContent(blobs, Buffer.alloc(0)))).length, 0);
});

test("stops a reading when its signal aborts", () =>
  onDisk(async (blobs) => {
    const stored = await storeTestContent(blobs, randomBytes(6 * segmentSize));
    const gone = new AbortController();
    const { key, blob, size } = stored;
    const reading = (async () => {
      const input = { fileId: testFileId, version: 1, key, blob, size, signal: gone.signal };
      for await (const _ of readContent({ blobs }, input)) gone.abort(new Error("the caller went"));
    })();
    await assert.rejects(reading, /the caller went/);
  }));

const [passed, allowed] = long ? [5 * 1024 ** 3, 256 << 20] : [256 << 20, 128 << 20];
test(`passes ${passed / 2 ** 20} MiB with at most ${allowed >> 20} MiB more memory than idle`, () =>
  onDisk(async (blobs) => {
    const size = passed;
    const idle = process.memoryUsage().rss;
    let most = 0;
    const watch = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss - idle);
    }, 20);
    // With a signal, as every request has one.
    const { signal } = new AbortController();
    try {
      const stored = await storeTestContent(blobs, seededBytes(size, "large"), { signal });
      const { key, blob } = stored;
      let read = 0;
      const input = { fileId: testFileId, version: 1, key, blob, size, signal };
      for await (const part of readContent({ blobs }, input)) read += part.length;
      assert.deepEqual([stored.size, read], [size, size]);
    } finally {
      clearInterval(watch);
    }
    assert.ok(most <= allowed, `${most >> 20} MiB above idle`);
  }));

test("reads content and its ranges in one piece", () =>
  onDisk(async (blobs) => {
    for (const size of [0, 1, 4_096, segmentSize, segmentSize + 1]) {
      const bytes = randomBytes(size);
      const { key, blob } = await storeTestContent(blobs, bytes);
      const input = { fileId: testFileId, version: 1, key, blob, size };
      assert.ok((await readBytes({ blobs }, input)).equals(bytes), `${size} bytes`);
      if (size === 0) continue;
      for (const [start, end] of [
        [0, 0],
        [size - 1, size - 1],
        [Math.floor(size / 3), Math.floor(size / 2)],
      ] as const) {
        const part = await readBytes({ blobs }, { ...input, range: { start, end } });
        assert.ok(part.equals(bytes.subarray(start, end + 1)), `${start} to ${end} of ${size}`);
      }
    }
  }));

test("gives nothing of a damaged, cut, longer, missing or other blob in one piece", async () => {
  const blobs = new OpenBlobs();
  const { key, blob, size } = await storeTestContent(blobs, randomBytes(4_096));
  const input = { fileId: testFileId, version: 1, key, blob, size };
  const whole = blobs.bytes(blob);
  const flipped = Buffer.from(whole);
  flipped[2_000] = (flipped[2_000] ?? 0) ^ 1;
  for (const changed of [flipped, whole.subarray(0, -1), Buffer.concat([whole, Buffer.alloc(1)]), Buffer.alloc(0)]) {
    blobs.kept.set(blob, changed);
    await assert.rejects(readBytes({ blobs }, input), BadSegmentError);
  }
  blobs.kept.set(blob, whole);
  await assert.rejects(readBytes({ blobs }, { ...input, version: 2 }), BadSegmentError);
  await assert.rejects(readBytes({ blobs }, { ...input, size: size - 1 }), BadSegmentError);
  blobs.kept.delete(blob);
  await assert.rejects(readBytes({ blobs }, input), BlobNotFoundError);
});
