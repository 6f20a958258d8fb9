import { digestHex } from "../../numbers/hex.ts";

/** A value that only the holder of the key can read. */
export type Sealed = { iv: Uint8Array<ArrayBuffer>; data: ArrayBuffer };

/** A key of 256 random bits, in base64url. */
export function createBoxKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replace(/=+$/, "");
}

/** The key's name: what lies under it is found by it, and it tells nothing of the key. */
export async function nameOfKey(key: string): Promise<string> {
  return await digestHex(`hearth queue ${key}`, 16);
}

function readKey(key: string): Promise<CryptoKey> {
  const bytes = Uint8Array.from(atob(key.replaceAll("-", "+").replaceAll("_", "/")), (symbol) => symbol.charCodeAt(0));
  return crypto.subtle.importKey("raw", bytes, "AES-GCM", false, ["encrypt", "decrypt"]);
}

/** Seal plain JSON under the key (AES-256-GCM); `context` has to be named again to open it. */
export async function seal(key: string, context: string, value: unknown): Promise<Sealed> {
  const iv = crypto.getRandomValues(new Uint8Array(12));
  const plain = new TextEncoder().encode(JSON.stringify(value));
  const additionalData = new TextEncoder().encode(context);
  return { iv, data: await crypto.subtle.encrypt({ name: "AES-GCM", iv, additionalData }, await readKey(key), plain) };
}

/** Open what `seal` made. @throws OperationError when key or context are others, or a bit was changed */
export async function open<T>(key: string, context: string, { iv, data }: Sealed): Promise<T> {
  const additionalData = new TextEncoder().encode(context);
  const plain = await crypto.subtle.decrypt({ name: "AES-GCM", iv, additionalData }, await readKey(key), data);
  return JSON.parse(new TextDecoder().decode(plain)) as T;
}
