import { z } from "zod";
import { BlobNotFoundError, type BlobStore } from "../blobs/blob-store.ts";
import type { KeyEncryption } from "../keys/key-encryption.ts";
import type { GroupSecret, VersionKey } from "../keys/key-kinds.ts";
import { newKey } from "../keys/key-wrap.ts";

const stored = z.strictObject({ kek: z.string(), wrapped: z.base64() });
export const uploadKeysPrefix = "uploadkeys/";

type Deps = { blobs: BlobStore; encryption: KeyEncryption };

/**
 * The key of one upload: made with it, wrapped, kept outside the database, destroyed at its end. Without it the parts that a
 * medium or a backup may still hold are noise.
 */
export async function createUploadKey({ blobs, encryption }: Deps, id: string): Promise<void> {
  const { kek, wrapped } = await encryption.wrap(newKey<GroupSecret>());
  const text = JSON.stringify({ kek, wrapped: wrapped.toString("base64") });
  await blobs.put(keyOf(id), once(Buffer.from(text)));
}

/** Undefined once it is destroyed. */
export async function openUploadKey({ blobs, encryption }: Deps, id: string): Promise<VersionKey | undefined> {
  const parts: Uint8Array[] = [];
  try {
    for await (const part of blobs.get(keyOf(id))) parts.push(part);
  } catch (error) {
    if (error instanceof BlobNotFoundError) return undefined;
    throw error;
  }
  const { kek, wrapped } = stored.parse(JSON.parse(Buffer.concat(parts).toString("utf8")));
  const key: unknown = await encryption.unwrap({ kek, wrapped: Buffer.from(wrapped, "base64") });
  return key as VersionKey;
}

export async function destroyUploadKey({ blobs }: Pick<Deps, "blobs">, id: string): Promise<void> {
  await blobs.shred(keyOf(id));
}

function keyOf(id: string): string {
  return `${uploadKeysPrefix}${id.toLowerCase()}`;
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
