import type { Bytes } from "./sframe.ts";

/** Owner of a call key; `publicKey` is an uncompressed P-256 point in base64url. */
export type KeyHolder = { id: string; did: string; publicKey: string };

/** A sender's key, encrypted for one other participant. Values in base64url. */
export type WrappedKey = { keyId: number; iv: string; sealed: string };

const curve = { name: "ECDH", namedCurve: "P-256" } as const;
const utf8 = (text: string): Bytes => new TextEncoder().encode(text);

/** A key pair for one call; its private key cannot be exported. */
export class CallKeys {
  readonly publicKey: string;
  readonly #private: CryptoKey;

  private constructor(publicKey: string, privateKey: CryptoKey) {
    this.publicKey = publicKey;
    this.#private = privateKey;
  }

  static async generate(): Promise<CallKeys> {
    const pair = await crypto.subtle.generateKey(curve, false, ["deriveBits"]);
    const raw = await crypto.subtle.exportKey("raw", pair.publicKey);
    return new CallKeys(toBase64Url(new Uint8Array(raw)), pair.privateKey);
  }

  /** Encrypt the sender's key for one participant of the call. */
  async wrap(base: Bytes, keyId: number, way: { callId: string; from: KeyHolder; to: KeyHolder }): Promise<WrappedKey> {
    const key = await this.#wrappingKey(way.to.publicKey, way);
    const iv = crypto.getRandomValues(new Uint8Array(12));
    const algorithm = { name: "AES-GCM", iv, additionalData: utf8(`${keyId}`) };
    const sealed = await crypto.subtle.encrypt(algorithm, key, base);
    return { keyId, iv: toBase64Url(iv), sealed: toBase64Url(new Uint8Array(sealed)) };
  }

  /** Decrypt a sender's key. @throws Error when it was not encrypted by this sender for this receiver and call */
  async unwrap(wrapped: WrappedKey, way: { callId: string; from: KeyHolder; to: KeyHolder }): Promise<Bytes> {
    const key = await this.#wrappingKey(way.from.publicKey, way);
    const algorithm = { name: "AES-GCM", iv: fromBase64Url(wrapped.iv), additionalData: utf8(`${wrapped.keyId}`) };
    return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, fromBase64Url(wrapped.sealed)));
  }

  /** Derive the wrapping key for one direction between two participants of one call. */
  async #wrappingKey(
    other: string,
    { callId, from, to }: { callId: string; from: KeyHolder; to: KeyHolder },
  ): Promise<CryptoKey> {
    const point = await crypto.subtle.importKey("raw", fromBase64Url(other), curve, false, []);
    const shared = await crypto.subtle.deriveBits({ name: "ECDH", public: point }, this.#private, 256);
    const secret = await crypto.subtle.importKey("raw", shared, "HKDF", false, ["deriveKey"]);
    const ends = [from, to].flatMap(({ id, did, publicKey }) => [id, did, publicKey]);
    const info = utf8(JSON.stringify(["hearth call key 1", callId, ...ends]));
    const hkdf = { name: "HKDF", hash: "SHA-256", salt: new Uint8Array(), info };
    return await crypto.subtle.deriveKey(hkdf, secret, { name: "AES-GCM", length: 256 }, false, ["encrypt", "decrypt"]);
  }
}

/**
 * Compute sixty digits in twelve groups that all participants see alike unless somebody has replaced keys between them. Participants
 * compare them by reading them aloud. They change when somebody joins or leaves.
 */
export async function safetyNumber(callId: string, holders: readonly KeyHolder[]): Promise<string> {
  const lines = holders.map(({ id, did, publicKey }) => JSON.stringify([id, did, publicKey])).sort();
  const digest = await crypto.subtle.digest("SHA-512", utf8(["hearth call 1", callId, ...lines].join("\n")));
  const view = new DataView(digest);
  const groups = Array.from({ length: 12 }, (_, i) => {
    // Five bytes per group keep the bias of its digits below one millionth.
    const value = view.getUint8(i * 5) * 2 ** 32 + view.getUint32(i * 5 + 1);
    return String(value % 100_000).padStart(5, "0");
  });
  return groups.join(" ");
}

export function toBase64Url(bytes: Uint8Array): string {
  const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

export function fromBase64Url(text: string): Bytes {
  const binary = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (letter) => letter.charCodeAt(0));
}
