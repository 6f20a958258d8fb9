import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from "node:crypto";

/** The initial value of AES key wrap (RFC 3394, section 2.2.3.1), which detects a wrong key. */
const initialValue = Buffer.alloc(8, 0xa6);

export class KeyWrapError extends Error {
  constructor(cause: unknown) {
    super("A wrapped key cannot be unwrapped with this key.", { cause });
    this.name = "KeyWrapError";
  }
}

/** Create a random key of 256 bits. */
export function newKey<Key extends KeyObject>(): Key {
  return createSecretKey(randomBytes(32)) as Key;
}

/** Wrap a 256-bit key with AES-256 (RFC 3394). @returns 40 bytes */
export function wrapKey(wrapping: KeyObject, key: KeyObject): Buffer {
  const cipher = createCipheriv("id-aes256-wrap", wrapping, initialValue);
  return Buffer.concat([cipher.update(key.export()), cipher.final()]);
}

/** @throws KeyWrapError */
export function unwrapKey<Key extends KeyObject>(wrapping: KeyObject, wrapped: Uint8Array): Key {
  try {
    const decipher = createDecipheriv("id-aes256-wrap", wrapping, initialValue);
    return createSecretKey(Buffer.concat([decipher.update(wrapped), decipher.final()])) as Key;
  } catch (error) {
    throw new KeyWrapError(error);
  }
}
