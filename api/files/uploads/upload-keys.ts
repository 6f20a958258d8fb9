import { BlobNotFoundError } from "../blobs/blob-store.ts";
import type { VersionKey } from "../keys/key-types.ts";
import { newKey } from "../keys/key-wrap.ts";
import { isOutdated, keepWrapped, openWrapped, type WrappedObjects } from "../keys/wrapped-objects.ts";

export const uploadKeysPrefix = "uploadkeys/";

/**
 * Create the key of one upload. It is stored wrapped, outside the database, and destroyed when the upload ends. Without it, parts
 * that remain on a medium or in a backup cannot be decrypted.
 */
export async function createUploadKey(deps: WrappedObjects, id: string): Promise<void> {
  await keepWrapped(deps, keyOf(id), newKey());
}

/** Open an upload's key; undefined once it is destroyed. */
export async function openUploadKey(deps: WrappedObjects, id: string): Promise<VersionKey | undefined> {
  return (await openWrapped(deps, keyOf(id)).catch(ignoreMissing)) as VersionKey | undefined;
}

export async function destroyUploadKey({ blobs }: Pick<WrappedObjects, "blobs">, id: string): Promise<void> {
  await blobs.shred(keyOf(id));
}

/**
 * Rewrap every upload's key that is wrapped with another key-encryption key. Old bytes that remain on the medium become
 * unreadable when the old key-encryption key is destroyed. @returns how many were rewrapped
 */
export async function rewrapUploadKeys(deps: WrappedObjects): Promise<number> {
  let rewrapped = 0;
  for await (const { key } of deps.blobs.list(uploadKeysPrefix)) {
    if (!(await isOutdated(deps, key).catch(ignoreMissing))) continue;
    const secret = await openWrapped(deps, key).catch(ignoreMissing);
    if (secret === undefined) continue;
    await keepWrapped(deps, key, secret);
    rewrapped += 1;
  }
  return rewrapped;
}

function keyOf(id: string): string {
  return `${uploadKeysPrefix}${id.toLowerCase()}`;
}

function ignoreMissing(error: unknown): undefined {
  if (!(error instanceof BlobNotFoundError)) throw error;
}
