import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { BlobNotFoundError } from "../blobs/blob-store.ts";
import { readContent } from "../content/read-content.ts";
import { BadSegmentError } from "../content/seal.ts";
import { detailsOf } from "../records/find-file.ts";
import { describeVersion, placeOf } from "./check-blobs.ts";
import type { Check, FsckDeps } from "./report.ts";
import { filesInOrder, findRetained, type RetainedVersion } from "./retained-versions.ts";

/** Limits the rate of a stream of bytes by sleeping. */
export class Pace {
  readonly #bytesPerSecond: number;
  #dueAt = 0;

  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  async take(bytes: number, signal?: AbortSignal): Promise<void> {
    if (!Number.isFinite(this.#bytesPerSecond)) return;
    const now = performance.now();
    this.#dueAt = Math.max(this.#dueAt, now) + (bytes / this.#bytesPerSecond) * 1000;
    if (this.#dueAt - now > 20) await sleep(this.#dueAt - now, undefined, signal === undefined ? {} : { signal });
  }
}

/**
 * Read all versions of the files after `after`: every segment must be decryptable, and the content must have its recorded hash.
 * Yields each file's id when it is done, and the bytes that were read.
 */
export async function* scrub(check: Check, pace: Pace, after = ""): AsyncGenerator<{ fileId: string; bytes: number }> {
  for await (const versions of filesInOrder(check.deps.db, after)) {
    let bytes = 0;
    for (const version of versions) {
      check.signal?.throwIfAborted();
      bytes += version.size;
      const damage = await damageOf(check, version, pace);
      if (damage === undefined) continue;
      // Versions that a concurrent purge or prune removed are not damaged.
      const current = await findRetained(check.deps.db, version.fileId, version.blob);
      if (current === undefined || (await damageOf(check, current, pace)) === undefined) continue;
      await check.found({ kind: "content-damaged", ...placeOf(current), message: damage });
    }
    const [first] = versions;
    if (first !== undefined) yield { fileId: first.fileId, bytes };
  }
}

/**
 * Find the problem with a version's bytes; undefined when there is none, or when its key or blob is missing (reported elsewhere).
 */
async function damageOf(check: Check, version: RetainedVersion, pace: Pace): Promise<string | undefined> {
  const opened = await openVersion(check.deps, version).catch(() => undefined);
  if (opened === undefined) return undefined;
  const { fileId, sealedVersion, blob, size } = version;
  const hash = createHash("sha256");
  try {
    const signal = check.signal === undefined ? {} : { signal: check.signal };
    const input = { fileId, version: sealedVersion, key: opened.key, blob, size, ...signal };
    for await (const part of readContent(check.deps.files, input)) {
      hash.update(part);
      await pace.take(part.length, check.signal);
    }
  } catch (error) {
    if (error instanceof BadSegmentError)
      return `Segment ${error.place.index} of ${describeVersion(version)} cannot be decrypted.`;
    if (error instanceof BlobNotFoundError) return undefined;
    throw error;
  }
  const isSame = opened.contentHash === `sha256-${hash.digest("base64")}`;
  return isSame ? undefined : `The content of ${describeVersion(version)} does not have its recorded hash.`;
}

async function openVersion({ files: { keys } }: FsckDeps, version: RetainedVersion) {
  const fileKey = await keys.openFileKey(version, version.fileKey);
  const { contentHash } = detailsOf(fileKey, version.fileId, version);
  return { key: keys.openVersionKey(fileKey, version.versionKey), contentHash };
}
