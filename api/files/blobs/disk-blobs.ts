import { randomBytes } from "node:crypto";
import { type FileHandle, mkdir, open, opendir, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { type BlobEntry, BlobNotFoundError, type BlobRange, type BlobStore, checkBlobKey } from "./blob-store.ts";
import { closeFile, closeReadFile, openFile, readFile, syncFile, writeFile } from "./file-descriptors.ts";
import { FolderSyncs } from "./folder-syncs.ts";

const readSize = 1 << 20;

/** Blobs as files of `root`/<kind>/<first two characters>/<id>, readable only by the process's user. */
export class DiskBlobs implements BlobStore {
  readonly #root: string;
  readonly #drafts: string;
  /** Folders that exist and have a synced directory entry. */
  readonly #folders = new Set<string>();
  readonly #syncs = new FolderSyncs();

  constructor(root: string) {
    this.#root = root;
    this.#drafts = join(root, "drafts");
  }

  async put(key: string, source: AsyncIterable<Uint8Array>, options: { signal?: AbortSignal } = {}) {
    const { folder, path } = this.#place(key);
    await this.#makeFolder(this.#drafts);
    const draft = join(this.#drafts, randomBytes(16).toString("hex"));
    try {
      const size = await writeSynced(draft, source, options.signal);
      await this.#makeFolder(folder);
      await rename(draft, path);
      await this.#syncs.sync(folder);
      return { size };
    } catch (error) {
      await removeFile(draft);
      throw error;
    }
  }

  async *get(key: string, range: BlobRange = { start: 0 }, options: { signal?: AbortSignal } = {}) {
    const file = await openFile(this.#place(key).path, "r").catch((error) => throwMissing(key, error));
    try {
      let at = range.start;
      const end = (range.end ?? Number.MAX_SAFE_INTEGER - 1) + 1;
      while (at < end) {
        options.signal?.throwIfAborted();
        const buffer = Buffer.allocUnsafeSlow(Math.min(readSize, end - at));
        const bytesRead = await readFile(file, buffer, at);
        if (bytesRead === 0) return;
        at += bytesRead;
        yield buffer.subarray(0, bytesRead);
        // Only the end of a regular file gives a short read. Who asks for one byte more than there is saves the last read.
        if (range.end !== undefined && bytesRead < buffer.length) return;
      }
    } finally {
      closeReadFile(file);
    }
  }

  async delete(key: string): Promise<void> {
    const { folder, path } = this.#place(key);
    if (await removeFile(path)) await this.#syncs.sync(folder);
  }

  async shred(key: string): Promise<void> {
    const file = await open(this.#place(key).path, "r+").catch(ignoreMissing);
    if (file === undefined) return;
    try {
      await overwrite(file);
    } finally {
      await file.close();
    }
    await this.delete(key);
  }

  async *list(prefix: string): AsyncIterable<BlobEntry> {
    const [kind = "", start = ""] = prefix.split("/");
    for (const shard of await names(join(this.#root, kind))) {
      if (!shard.startsWith(start.slice(0, 2))) continue;
      for (const id of await names(join(this.#root, kind, shard))) {
        const entry = id.startsWith(start) ? await this.stat(`${kind}/${id}`) : undefined;
        if (entry !== undefined) yield entry;
      }
    }
  }

  async stat(key: string): Promise<BlobEntry | undefined> {
    const found = await stat(this.#place(key).path).catch(ignoreMissing);
    return found && { key, size: found.size, modifiedAt: found.mtime };
  }

  async collectLeftovers(olderThanMs: number): Promise<number> {
    let removed = 0;
    for (const name of await names(this.#drafts)) {
      const draft = join(this.#drafts, name);
      const found = await stat(draft).catch(ignoreMissing);
      if (found === undefined || Date.now() - found.mtimeMs < olderThanMs) continue;
      if (await removeFile(draft)) removed += 1;
    }
    return removed;
  }

  close(): Promise<void> {
    return this.#syncs.close();
  }

  #place(key: string): { folder: string; path: string } {
    const [kind = "", id = ""] = checkBlobKey(key).split("/");
    const folder = join(this.#root, kind, id.slice(0, 2));
    return { folder, path: join(folder, id) };
  }

  /** Create a folder. Its entry must be synced before a file in it counts as durable. */
  async #makeFolder(folder: string): Promise<void> {
    if (this.#folders.has(folder)) return;
    const first = await mkdir(folder, { recursive: true, mode: 0o700 });
    for (let each = folder; first !== undefined && each.length >= first.length; each = join(each, "..")) {
      await this.#syncs.sync(join(each, ".."));
    }
    this.#folders.add(folder);
  }
}

async function writeSynced(path: string, source: AsyncIterable<Uint8Array>, signal: AbortSignal | undefined) {
  const file = await openFile(path, "wx", 0o600);
  try {
    let size = 0;
    for await (const chunk of source) {
      signal?.throwIfAborted();
      for (let at = 0; at < chunk.length; ) at += await writeFile(file, chunk, at);
      size += chunk.length;
    }
    signal?.throwIfAborted();
    await syncFile(file);
    return size;
  } finally {
    await closeFile(file);
  }
}

/** Overwrite the whole file with random bytes, and sync it. */
async function overwrite(file: FileHandle): Promise<void> {
  const { size } = await file.stat();
  for (let at = 0; at < size; at += readSize) {
    await file.write(randomBytes(Math.min(readSize, size - at)), { position: at });
  }
  await file.sync();
}

async function names(folder: string): Promise<string[]> {
  const opened = await opendir(folder).catch(ignoreMissing);
  const found: string[] = [];
  if (opened !== undefined) for await (const entry of opened) found.push(entry.name);
  return found;
}

async function removeFile(path: string): Promise<boolean> {
  return unlink(path).then(
    () => true,
    (error) => ignoreMissing(error) ?? false,
  );
}

function isMissing(error: unknown): boolean {
  return error instanceof BlobNotFoundError || (error instanceof Error && "code" in error && error.code === "ENOENT");
}

function throwMissing(key: string, error: unknown): never {
  throw isMissing(error) ? new BlobNotFoundError(key, { cause: error }) : error;
}

function ignoreMissing(error: unknown): undefined {
  if (!isMissing(error)) throw error;
}
