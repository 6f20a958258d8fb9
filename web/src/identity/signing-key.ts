import { Signature } from "@ucanto/core";
import type { DID, Signer } from "@ucanto/interface";
import { ed25519 } from "@ucanto/principal";

/** Who signs here: an Ed25519 key that names itself by a did:key. */
export type SigningKey = Pick<Signer<DID<"key">>, "did" | "sign" | "signatureAlgorithm" | "signatureCode">;

/** A key that signs, and that nothing in this page can read. It may be kept in IndexedDB. */
export type SealedKey = { did: DID<"key">; key: CryptoKey };

/** Make a key, as text to be kept secret: the form that `npm run vfs -- key` writes. */
export async function createKeyText(): Promise<string> {
  return ed25519.format(await ed25519.generate());
}

/** Read a key from its text. @throws Error when it is none */
export function openKeyText(text: string): SigningKey {
  return ed25519.parse(text.trim()) as unknown as SigningKey;
}

/** Take a key over into the browser's own keeping. From then on it signs, and cannot be read or copied. */
export async function sealKeyText(text: string): Promise<SealedKey> {
  const signer = ed25519.parse(text.trim());
  const { x, d } = jwkOf(signer.encode());
  const jwk = { kty: "OKP", crv: "Ed25519", x, d };
  const key = await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["sign"]);
  return { did: signer.did() as DID<"key">, key };
}

/** Sign with a sealed key. */
export function openSealedKey({ did, key }: SealedKey): SigningKey {
  const sign = async (payload: Uint8Array) => {
    const raw = await crypto.subtle.sign("Ed25519", key, payload as Uint8Array<ArrayBuffer>);
    return Signature.create(Signature.EdDSA, new Uint8Array(raw));
  };
  return {
    did: () => did,
    sign: sign as SigningKey["sign"],
    signatureAlgorithm: "EdDSA",
    signatureCode: Signature.EdDSA,
  };
}

/** The archive is: two bytes of tag, the secret, two bytes of tag, the public key. */
function jwkOf(archive: Uint8Array): { d: string; x: string } {
  return { d: toBase64Url(archive.subarray(2, 34)), x: toBase64Url(archive.subarray(36, 68)) };
}

/** Bytes as base64url without padding, as JWKs and bearer tokens hold them. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Bytes of base64 or base64url, with or without padding. @throws DOMException when it is neither */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text.trim().replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
