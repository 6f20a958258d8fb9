/** Bytes that do not share their buffer's memory, as WebCrypto requires. */
export type Bytes = Uint8Array<ArrayBuffer>;

/** AES_256_GCM_SHA512_128 of RFC 9605, the only cipher suite of calls. */
const cipherSuite = 5;
const tagBits = 128;

/** Limit of frames per key; senders change keys long before. */
export const mostFramesOfKey = 2 ** 40;

/** Key and salt derived from a sender's key (RFC 9605, 4.4.2). */
export type SframeKey = { keyId: number; key: CryptoKey; salt: Bytes };

const encoder = new TextEncoder();

/**
 * Derive the key and the salt of a sender's key.
 * @param base 32 random bytes
 */
export async function deriveSframeKey(base: Bytes, keyId: number): Promise<SframeKey> {
  const secret = await crypto.subtle.importKey("raw", base, "HKDF", false, ["deriveBits", "deriveKey"]);
  const parameters = (label: string) => ({
    name: "HKDF",
    hash: "SHA-512",
    salt: new Uint8Array(),
    info: labelOf(label, keyId),
  });
  const aes = { name: "AES-GCM", length: 256 };
  const key = await crypto.subtle.deriveKey(parameters("SFrame 1.0 Secret key "), secret, aes, false, [
    "encrypt",
    "decrypt",
  ]);
  const salt = await crypto.subtle.deriveBits(parameters("SFrame 1.0 Secret salt "), secret, 96);
  return { keyId, key, salt: new Uint8Array(salt) };
}

function labelOf(label: string, keyId: number): Bytes {
  const text = encoder.encode(label);
  const bytes = new Uint8Array(text.length + 10);
  bytes.set(text);
  const view = new DataView(bytes.buffer);
  view.setBigUint64(text.length, BigInt(keyId));
  view.setUint16(text.length + 8, cipherSuite);
  return bytes;
}

/** Combine the counter with the end of the salt by XOR. */
function nonceOf(salt: Bytes, counter: number): Bytes {
  const nonce = salt.slice();
  const view = new DataView(nonce.buffer);
  view.setBigUint64(4, view.getBigUint64(4) ^ BigInt(counter));
  return nonce;
}

/** Encode the header of RFC 9605, 4.3: `X KKK Y CCC`, then key id and counter if they do not fit. */
export function encodeHeader(keyId: number, counter: number): Bytes {
  const [id, count] = [bytesOf(keyId), bytesOf(counter)];
  const config =
    (keyId < 8 ? keyId << 4 : 0x80 | ((id.length - 1) << 4)) | (counter < 8 ? counter : 0x08 | (count.length - 1));
  return new Uint8Array([config, ...(keyId < 8 ? [] : id), ...(counter < 8 ? [] : count)]);
}

export type SframeHeader = { keyId: number; counter: number; length: number };

/** Decode a header; undefined when the bytes are not a header, or a number exceeds the safe integers. */
export function decodeHeader(bytes: Uint8Array): SframeHeader | undefined {
  const config = bytes[0];
  if (config === undefined) return undefined;
  const idLength = config & 0x80 ? ((config >> 4) & 7) + 1 : 0;
  const countLength = config & 0x08 ? (config & 7) + 1 : 0;
  const length = 1 + idLength + countLength;
  if (bytes.length < length) return undefined;
  const keyId = idLength === 0 ? (config >> 4) & 7 : numberOf(bytes.subarray(1, 1 + idLength));
  const counter = countLength === 0 ? config & 7 : numberOf(bytes.subarray(1 + idLength, length));
  return Number.isSafeInteger(keyId) && Number.isSafeInteger(counter) ? { keyId, counter, length } : undefined;
}

/** Encode a number big-endian with as few bytes as possible. */
function bytesOf(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return bytes.length === 0 ? [0] : bytes;
}

function numberOf(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0);
}

/** Encrypt a frame: header, then ciphertext with its tag. Never use a counter twice with one key. */
export async function sealSframe(
  { keyId, key, salt }: SframeKey,
  counter: number,
  metadata: Bytes,
  plaintext: Bytes,
): Promise<Bytes> {
  const header = encodeHeader(keyId, counter);
  const additionalData = concat(header, metadata);
  const algorithm = { name: "AES-GCM", iv: nonceOf(salt, counter), additionalData, tagLength: tagBits };
  return concat(header, new Uint8Array(await crypto.subtle.encrypt(algorithm, key, plaintext)));
}

/** Decrypt a frame. @throws Error when the tag does not match */
export async function openSframe(
  { key, salt }: SframeKey,
  { counter, length }: SframeHeader,
  metadata: Bytes,
  sealed: Bytes,
): Promise<Bytes> {
  const additionalData = concat(sealed.subarray(0, length), metadata);
  const algorithm = { name: "AES-GCM", iv: nonceOf(salt, counter), additionalData, tagLength: tagBits };
  return new Uint8Array(await crypto.subtle.decrypt(algorithm, key, sealed.subarray(length)));
}

export function concat(...parts: Uint8Array[]): Bytes {
  const whole = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
