import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { KeyWrapError, unwrapKey, wrapKey } from "./key-wrap.ts";

export type WrappedSecret = { kek: string; wrapped: Buffer };

/** Wraps the 256-bit secrets outside the database with the key-encryption key, which is in this process or in a key service. */
export interface KeyEncryption {
  /** Id of the key that `wrap` uses now. */
  readonly current: string;
  wrap(secret: KeyObject): Promise<WrappedSecret>;
  /** @throws KeyWrapError when the key with that id is not configured or does not match */
  unwrap(wrapped: WrappedSecret): Promise<KeyObject>;
}

/**
 * Create key encryption with keys in this process.
 * @param keys 64 hexadecimal digits each; the first wraps, all unwrap
 */
export function createKeyEncryption(keys: readonly string[]): KeyEncryption {
  const ring = new Map<string, KeyObject>();
  for (const text of keys) {
    const key = createSecretKey(Buffer.from(text, "hex"));
    if (key.symmetricKeySize !== 32) throw new Error("A key-encryption key has 32 bytes.");
    ring.set(kekId(key), key);
  }
  const [first] = ring;
  if (first === undefined) throw new Error("There is no key-encryption key.");
  const [current, wrapping] = first;
  return {
    current,
    async wrap(secret) {
      return { kek: current, wrapped: wrapKey(wrapping, secret) };
    },
    async unwrap({ kek, wrapped }) {
      const key = ring.get(kek);
      if (key === undefined) throw new KeyWrapError(new Error(`The key-encryption key ${kek} is not configured.`));
      return unwrapKey(key, wrapped);
    },
  };
}

/** Derive an id that reveals nothing about the key. */
function kekId(key: KeyObject): string {
  return createHmac("sha256", key).update("hearth/kek-id/1").digest("hex").slice(0, 16);
}
