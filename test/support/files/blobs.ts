import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, describe, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { BlobNotFoundError, type BlobRange, type BlobStore } from "../../../api/files/blobs/blob-store.ts";

export const newTestKey = (kind = "content") => `${kind}/${randomBytes(16).toString("hex")}`;

export async function* chunked(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

export async function readBlob(store: BlobStore, key: string, range?: BlobRange): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of store.get(key, range)) parts.push(part);
  return Buffer.concat(parts);
}

async function keysOf(store: BlobStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys.sort();
}

export type OpenedStore = { store: BlobStore; close: () => Promise<void> };

/** What every blob store keeps to. */
export function describeBlobStore(name: string, open: () => Promise<OpenedStore>): void {
  describe(`${name} as a blob store`, () => {
    let opened: OpenedStore;
    let store: BlobStore;
    before(async () => {
      opened = await open();
      store = opened.store;
    });
    after(() => opened.close());

    for (const size of [0, 1, 70_000, 8 << 20, (17 << 20) + 3]) {
      test(`gives back the ${size} bytes that it took`, async () => {
        const key = newTestKey();
        const bytes = randomBytes(size);
        assert.deepEqual(await store.put(key, chunked(bytes, 65_536)), { size });
        assert.ok((await readBlob(store, key)).equals(bytes));
        assert.equal((await store.stat(key))?.size, size);
      });
    }

    test("gives any range, to the end when none is named, and nothing past it", async () => {
      const key = newTestKey();
      const bytes = randomBytes(3_000_000);
      await store.put(key, chunked(bytes, 1 << 20));
      for (const [start, end] of [
        [0, 0],
        [5, 1_048_580],
        [2_999_999, 2_999_999],
        [2_000_000, 9_000_000],
      ] as const) {
        assert.ok(
          (await readBlob(store, key, { start, end })).equals(bytes.subarray(start, end + 1)),
          `${start}-${end}`,
        );
      }
      assert.ok((await readBlob(store, key, { start: 1_500_000 })).equals(bytes.subarray(1_500_000)));
      assert.equal((await readBlob(store, key, { start: 3_000_000 })).length, 0);
    });

    test("says that a blob is not there, and deletes one that is not there in peace", async () => {
      const key = newTestKey();
      await assert.rejects(readBlob(store, key), (error) => error instanceof BlobNotFoundError && error.key === key);
      assert.equal(await store.stat(key), undefined);
      await store.delete(key);
      await store.shred(key);
    });

    test("forgets what is deleted or shredded", async () => {
      for (const remove of ["delete", "shred"] as const) {
        const key = newTestKey();
        await store.put(key, chunked(randomBytes(100), 10));
        await store[remove](key);
        await assert.rejects(readBlob(store, key), BlobNotFoundError);
      }
    });

    for (const size of [1_000, 20 << 20]) {
      test(`keeps nothing of a source that throws after ${size} bytes, and throws its reason`, async () => {
        const key = newTestKey("broken");
        async function* broken() {
          yield* chunked(randomBytes(size), 1 << 20);
          throw new Error("the client went away");
        }
        await assert.rejects(store.put(key, broken()), /the client went away/);
        assert.equal(await store.stat(key), undefined);
        assert.deepEqual(await keysOf(store, "broken/"), []);
      });
    }

    test("keeps nothing when the signal aborts midway, and throws the signal's reason", async () => {
      const key = newTestKey("broken");
      const abort = new AbortController();
      async function* slow() {
        for (let count = 0; count < 1_000; count += 1) {
          if (count === 20) abort.abort(new Error("stop it"));
          await sleep(1);
          yield randomBytes(1 << 20);
        }
      }
      await assert.rejects(store.put(key, slow(), { signal: abort.signal }), /stop it/);
      assert.equal(await store.stat(key), undefined);
    });

    test("stops reading when the reader leaves or the signal aborts", async () => {
      const key = newTestKey();
      await store.put(key, chunked(randomBytes(6 << 20), 1 << 20));
      for await (const chunk of store.get(key)) {
        assert.ok(chunk.length > 0);
        break;
      }
      const abort = new AbortController();
      const reading = (async () => {
        for await (const _ of store.get(key, undefined, { signal: abort.signal })) abort.abort(new Error("stop it"));
      })();
      await assert.rejects(reading);
    });

    test("lists what begins with a prefix, with size and age", async () => {
      const id = randomBytes(15).toString("hex");
      const keys = [`listed/${id}aa`, `listed/${id}ab`, `listed/${randomBytes(16).toString("hex")}`].sort();
      for (const key of keys) await store.put(key, chunked(Buffer.from(key), 7));
      assert.deepEqual(await keysOf(store, "listed/"), keys);
      assert.deepEqual(await keysOf(store, `listed/${id}`), [`listed/${id}aa`, `listed/${id}ab`]);
      assert.deepEqual(await keysOf(store, "nothing/"), []);
      for await (const entry of store.list("listed/")) {
        assert.equal(entry.size, entry.key.length);
        assert.ok(Math.abs(Date.now() - entry.modifiedAt.getTime()) < 60_000);
      }
    });

    test("keeps many concurrent blobs apart", async () => {
      const blobs = Array.from({ length: 40 }, () => ({ key: newTestKey(), bytes: randomBytes(50_000) }));
      await Promise.all(blobs.map(({ key, bytes }) => store.put(key, chunked(bytes, 10_000))));
      const read = await Promise.all(blobs.map(({ key }) => readBlob(store, key)));
      for (const [index, { bytes }] of blobs.entries()) assert.ok(read[index]?.equals(bytes));
    });

    test("refuses keys that could name anything else", async () => {
      for (const key of ["content", "content/../x", "/etc/passwd", "Content/abcdefgh", "content/abcdefgh/x", "a/bcd"]) {
        await assert.rejects(store.put(key, chunked(randomBytes(1), 1)), key);
        await assert.rejects(store.delete(key), key);
      }
    });
  });
}
