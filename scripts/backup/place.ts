import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { type BlobPlace, readBlobUrl } from "../../api/files/configuration.ts";
import { syncFolder } from "../disk-files.ts";

export type Stored = { size: number; sha256: string };

/** Where a backup is kept: files by path, each of which is there whole or not at all. */
export interface BackupPlace {
  /** As the user gave it. */
  readonly name: string;
  /** Store a file under a path, and replace one that is there. */
  put(path: string, source: AsyncIterable<Uint8Array>): Promise<Stored>;
  /** @throws MissingFileError when the first byte is requested */
  get(path: string): AsyncIterable<Uint8Array>;
  /** Size in bytes; undefined when there is no such file. */
  sizeOf(path: string): Promise<number | undefined>;
  isEmpty(): Promise<boolean>;
  remove(path: string): Promise<void>;
  close(): void;
}

/** A refusal or failure whose message is a sentence for the user. */
export class BackupError extends Error {}

export class MissingFileError extends BackupError {
  constructor(path: string, place: string) {
    super(`${path} is missing in ${place}.`);
  }
}

/**
 * Open a folder, or a bucket by `s3://bucket/prefix?endpoint=…&region=…&pathStyle=1`.
 * @throws BackupError when the name is malformed
 */
export async function openPlace(name: string): Promise<BackupPlace> {
  if (!/^[a-z0-9]+:/i.test(name)) return new FolderPlace(name, resolve(name));
  const place = readBlobUrl(name);
  if (typeof place === "string") throw new BackupError(`The place of the backup ${place}.`);
  if (place.kind === "disk") return new FolderPlace(name, place.folder);
  // The client is large, and a backup to a folder does not need it.
  const { BucketPlace } = await import("./bucket-place.ts");
  return new BucketPlace(name, place);
}

/** @throws BackupError when the backup would be stored in the data that it copies, or the reverse */
export function requireApart(name: string, dataDir: string, blobs: BlobPlace): void {
  const refuse = (other: string) => {
    throw new BackupError(`${name} and ${other} overlap: choose another place for the backup.`);
  };
  const place = /^[a-z0-9]+:/i.test(name) ? readBlobUrl(name) : { kind: "disk" as const, folder: resolve(name) };
  if (typeof place === "string") return;
  if (place.kind === "disk") {
    const folders = [dataDir, ...(blobs.kind === "disk" ? [blobs.folder] : [])];
    for (const folder of folders) if (isWithin(place.folder, folder) || isWithin(folder, place.folder)) refuse(folder);
  } else if (blobs.kind === "s3" && blobs.bucket === place.bucket && blobs.endpoint === place.endpoint) {
    if (place.prefix.startsWith(blobs.prefix) || blobs.prefix.startsWith(place.prefix)) refuse("BLOB_URL");
  }
}

function isWithin(inner: string, outer: string): boolean {
  const path = relative(outer, inner);
  return path === "" || !(path === ".." || path.startsWith("../"));
}

/** Count and hash what passes. */
export class Hashed {
  readonly #hash = createHash("sha256");
  #size = 0;

  async *of(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      this.#hash.update(chunk);
      this.#size += chunk.length;
      yield chunk;
    }
  }

  end(): Stored {
    return { size: this.#size, sha256: this.#hash.digest("hex") };
  }
}

/** A folder of this machine. Only its owner can read what is written. */
class FolderPlace implements BackupPlace {
  readonly name: string;
  readonly #root: string;

  constructor(name: string, root: string) {
    this.name = name;
    this.#root = root;
  }

  async put(path: string, source: AsyncIterable<Uint8Array>): Promise<Stored> {
    const target = join(this.#root, path);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    const draft = `${target}.part`;
    const hashed = new Hashed();
    try {
      const file = await open(draft, "w", 0o600);
      try {
        for await (const chunk of hashed.of(source)) await file.writeFile(chunk);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(draft, target);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
    await syncFolder(dirname(target));
    return hashed.end();
  }

  async *get(path: string): AsyncGenerator<Uint8Array> {
    try {
      yield* createReadStream(join(this.#root, path), { highWaterMark: 1 << 20 });
    } catch (error) {
      throw isMissing(error) ? new MissingFileError(path, this.name) : error;
    }
  }

  async sizeOf(path: string): Promise<number | undefined> {
    return (await stat(join(this.#root, path)).catch(orMissing))?.size;
  }

  async isEmpty(): Promise<boolean> {
    return ((await readdir(this.#root).catch(orMissing)) ?? []).length === 0;
  }

  async remove(path: string): Promise<void> {
    await rm(join(this.#root, path), { force: true });
  }

  close(): void {}
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}

function orMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
