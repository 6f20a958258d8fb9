import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject, randomBytes } from "node:crypto";
import type { FileKey } from "./key-types.ts";

const nonceSize = 12;
const tagSize = 16;

/**
 * Seal a small value under the file's key (AES-256-GCM with a derived key).
 * @param context identifies what the value belongs to, for example file id and version; decryption needs the same context
 */
export function sealDetails(fileKey: FileKey, context: string, value: unknown): Buffer {
  const nonce = randomBytes(nonceSize);
  const cipher = createCipheriv("aes-256-gcm", detailsKey(fileKey), nonce);
  cipher.setAAD(Buffer.from(context, "utf8"));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(value), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Thrown for a sealed value that is damaged, or belongs to another context. */
export class SealedValueError extends Error {}

/** @throws SealedValueError */
export function openDetails(fileKey: FileKey, context: string, sealed: Uint8Array): unknown {
  try {
    return JSON.parse(decrypt(fileKey, context, sealed));
  } catch (cause) {
    throw new SealedValueError(`The ${context} cannot be decrypted.`, { cause });
  }
}

function decrypt(fileKey: FileKey, context: string, sealed: Uint8Array): string {
  const decipher = createDecipheriv("aes-256-gcm", detailsKey(fileKey), sealed.subarray(0, nonceSize), {
    authTagLength: tagSize,
  });
  decipher.setAAD(Buffer.from(context, "utf8"));
  decipher.setAuthTag(sealed.subarray(nonceSize, nonceSize + tagSize));
  const opened = Buffer.concat([decipher.update(sealed.subarray(nonceSize + tagSize)), decipher.final()]);
  return opened.toString("utf8");
}

const derived = new WeakMap<FileKey, KeyObject>();

/** A KeyObject, because converting bytes for each cipher costs more than the cipher. */
function detailsKey(fileKey: FileKey): KeyObject {
  const known = derived.get(fileKey);
  if (known !== undefined) return known;
  const bytes = hkdfSync("sha256", fileKey, Buffer.alloc(0), "hearth/file-details/1", 32);
  const key = createSecretKey(Buffer.from(bytes));
  derived.set(fileKey, key);
  return key;
}
