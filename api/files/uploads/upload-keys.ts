import { BlobNotFoundError } from "../blobs/blob-store.ts";
import type { VersionKey } from "../keys/key-types.ts";
import { newKey } from "../keys/key-wrap.ts";
import { isOutdated, keepWrapped, openWrapped, type WrappedObjects } from "../keys/wrapped-objects.ts";

export const uploadKeysPrefix = "uploadkeys/";

/**
 * The key of one upload: made with it, wrapped, kept outside the database, destroyed at its end. Without it the parts that a
 * medium or a backup may still hold are noise.
 */
export async function createUploadKey(deps: WrappedObjects, id: string): Promise<void> {
  await keepWrapped(deps, keyOf(id), newKey());
}

/** Undefined once it is destroyed. */
export async function openUploadKey(deps: WrappedObjects, id: string): Promise<VersionKey | undefined> {
  return (await openWrapped(deps, keyOf(id)).catch(ignoreMissing)) as VersionKey | undefined;
}

export async function destroyUploadKey({ blobs }: Pick<WrappedObjects, "blobs">, id: string): Promise<void> {
  await blobs.shred(keyOf(id));
}

/**
 * Wrap every upload's key that another key-encryption key wraps with the current one. How many. What the old bytes leave on the
 * medium dies with the old key-encryption key.
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
