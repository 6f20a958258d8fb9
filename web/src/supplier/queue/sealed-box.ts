import { digestHex } from "../../numbers/hex.ts";

/** A value encrypted with AES-256-GCM. */
export type Sealed = { iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer };

/** Generate a 256-bit key, in base64url. */
export function createBoxKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** Name under which the key's data is stored. It reveals nothing of the key. */
export async function storageNameOf(key: string): Promise<string> {
  return await digestHex(`hearth queue ${key}`, 16);
}

function readKey(key: string): Promise<CryptoKey> {
  const bytes = Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (symbol) => symbol.charCodeAt(0));
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** Encrypt JSON with the key (AES-256-GCM); decryption needs the same `context`. */
export async function seal(key: string, context: string, value: unknown): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const plain = new TextEncoder().encode(JSON.stringify(value));
  const additionalData = new TextEncoder().encode(context);
  return { iv, data: await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, await readKey(key), plain) };
}

/** Decrypt what `seal` made. @throws OperationError when key or context differ, or the data was changed */
export async function open<T>(key: string, context: string, { iv, data }: Sealed): Promise<T> {
  const additionalData = new TextEncoder().encode(context);
  const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, await readKey(key), data);
  return JSON.parse(new TextDecoder().decode(plain)) as T;
}
