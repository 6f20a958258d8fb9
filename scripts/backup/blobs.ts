import { createReadStream } from "node:fs";
import { appendFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import PQueue from "p-queue";
import { BlobNotFoundError, type BlobStore } from "../../api/files/blobs/blob-store.ts";
import { type BlobLine, blobLine, blobListFile, blobPath } from "./manifest.ts";
import { BackupError, type BackupPlace, Hashed, type Stored } from "./place.ts";
import type { Progress } from "./progress.ts";

/** Kinds of blobs: contents, secrets of key groups, and parts of unfinished uploads. */
const kinds = ["content/", "secrets/", "uploads/"] as const;
const atATime = 8;

/**
 * Copies blobs, which never change, in two passes: all that there are before the database is copied, then those that came meanwhile.
 * So the copied rows have their blobs, even if a file is purged during the backup.
 */
export class BlobCopies {
  readonly #from: BlobStore;
  readonly #to: BackupPlace;
  readonly #progress: Progress;
  readonly #done = new Set<string>();
  /** Holds the list of the copied blobs until it is stored. */
  #folder: Promise<string> | undefined;
  count = 0;
  bytes = 0;

  constructor(from: BlobStore, to: BackupPlace, progress: Progress) {
    this.#from = from;
    this.#to = to;
    this.#progress = progress;
  }

  /** Copy every blob that is not copied yet. Blobs of an interrupted backup are kept, after their hashes were computed again. */
  async pass(): Promise<void> {
    const queue = new PQueue({ concurrency: atATime });
    let failure: { error: unknown } | undefined;
    for (const kind of kinds) {
      for await (const { key, size } of this.#from.list(kind)) {
        if (this.#done.has(key)) continue;
        this.#done.add(key);
        await queue.onSizeLessThan(atATime);
        if (failure !== undefined) break;
        void queue
          .add(() => this.#copy(key, size))
          .catch((error: unknown) => {
            failure ??= { error };
          });
      }
    }
    await queue.onIdle();
    if (failure !== undefined) throw failure.error;
  }

  async #copy(key: string, size: number): Promise<void> {
    try {
      const path = blobPath(key);
      const kept = (await this.#to.sizeOf(path)) === size;
      const stored = kept ? await read(this.#to.get(path)) : await this.#to.put(path, this.#from.get(key));
      await this.#note({ key, ...stored });
    } catch (error) {
      // Purged since it was listed.
      if (!(error instanceof BlobNotFoundError)) throw error;
    }
  }

  async #note(line: BlobLine): Promise<void> {
    this.#folder ??= mkdtemp(join(tmpdir(), "hearth-backup-"));
    await appendFile(join(await this.#folder, blobListFile), `${JSON.stringify(line)}\n`);
    this.count += 1;
    this.bytes += line.size;
    this.#progress.blob(line.size);
  }

  /** Store the list of all copied blobs. */
  async storeList(): Promise<Stored> {
    const folder = await this.#folder;
    const lines = folder === undefined ? Readable.from([]) : createReadStream(join(folder, blobListFile));
    return await this.#to.put(blobListFile, lines);
  }

  async close(): Promise<void> {
    if (this.#folder !== undefined) await rm(await this.#folder, { recursive: true, force: true });
  }
}

async function read(source: AsyncIterable<Uint8Array>): Promise<Stored> {
  const hashed = new Hashed();
  for await (const _ of hashed.of(source));
  return hashed.end();
}

/** @throws BackupError when the blob store has blobs */
export async function requireNoBlobs(blobs: BlobStore): Promise<void> {
  for (const kind of kinds) {
    for await (const { key } of blobs.list(kind))
      throw new BackupError(`The file store of BLOB_URL is not empty (it has ${key}): give an empty folder or prefix.`);
  }
}

/** Store every listed blob, hashed on the way. Those that are there with their size are kept. */
export async function restoreBlobs(from: BackupPlace, to: BlobStore, progress: Progress): Promise<void> {
  const queue = new PQueue({ concurrency: atATime });
  let failure: { error: unknown } | undefined;
  for await (const text of createInterface({ input: Readable.from(from.get(blobListFile)) })) {
    const { key, ...wanted } = blobLine.parse(JSON.parse(text));
    await queue.onSizeLessThan(atATime);
    if (failure !== undefined) break;
    const restore = async () => {
      const there = await to.stat(key);
      if (there?.size !== wanted.size) await to.put(key, checked(from.get(blobPath(key)), wanted, blobPath(key)));
      progress.blob(wanted.size);
    };
    void queue.add(restore).catch((error: unknown) => {
      failure ??= { error };
    });
  }
  await queue.onIdle();
  if (failure !== undefined) throw failure.error;
}

/** Pass bytes on. @throws BackupError at their end, when they are not those that the manifest lists */
export async function* checked(
  source: AsyncIterable<Uint8Array>,
  wanted: Stored,
  path: string,
): AsyncGenerator<Uint8Array> {
  const hashed = new Hashed();
  yield* hashed.of(source);
  const { size, sha256 } = hashed.end();
  if (size !== wanted.size || sha256 !== wanted.sha256)
    throw new BackupError(`${path} of the backup is damaged: its hash is not the one in the manifest.`);
}
