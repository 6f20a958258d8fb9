import type { KeyObject } from "node:crypto";
import { z } from "zod";
import { BlobNotFoundError, type BlobStore } from "../blobs/blob-store.ts";
import type { KeyEncryption } from "./key-encryption.ts";

/** Secrets as small objects of the blob store, wrapped with the key-encryption key, outside the database. */
export type WrappedObjects = { blobs: BlobStore; encryption: KeyEncryption };

const stored = z.strictObject({ kek: z.string(), wrapped: z.base64() });

export async function keepWrapped(
  { blobs, encryption }: WrappedObjects,
  key: string,
  secret: KeyObject,
): Promise<void> {
  const { kek, wrapped } = await encryption.wrap(secret);
  await blobs.put(key, once(Buffer.from(JSON.stringify({ kek, wrapped: wrapped.toString("base64") }))));
}

/** @throws BlobNotFoundError once it is destroyed; KeyWrapError when its key-encryption key is not configured */
export async function openWrapped({ blobs, encryption }: WrappedObjects, key: string): Promise<KeyObject> {
  return encryption.unwrap(await read(blobs, key));
}

/** True when the object is wrapped with an older key-encryption key. */
export async function isOutdated({ blobs, encryption }: WrappedObjects, key: string): Promise<boolean> {
  return (await read(blobs, key)).kek !== encryption.current;
}

async function read(blobs: BlobStore, key: string) {
  const parts: Uint8Array[] = [];
  for await (const part of blobs.get(key)) parts.push(part);
  const { kek, wrapped } = parse(key, Buffer.concat(parts).toString("utf8"));
  return { kek, wrapped: Buffer.from(wrapped, "base64") };
}

/** An object is overwritten before it is deleted, so a concurrent reader may read random bytes: they count as missing. */
function parse(key: string, text: string): z.output<typeof stored> {
  try {
    return stored.parse(JSON.parse(text));
  } catch (cause) {
    throw new BlobNotFoundError(key, { cause });
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
