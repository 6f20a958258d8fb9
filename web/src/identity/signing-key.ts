import { Signature } from "@ucanto/core";
import type { DID, Signer } from "@ucanto/interface";
import * as ed25519 from "@ucanto/principal/ed25519";

/** An Ed25519 key that signs tokens and is identified by a did:key. */
export type SigningKey = Pick<Signer<DID<"key">>, "did" | "sign" | "signatureAlgorithm" | "signatureCode">;

/** A key that can sign but cannot be read in this page. It can be stored in IndexedDB. */
export type SealedKey = { did: DID<"key">; key: CryptoKey };

/** Generate a key as secret text, in the format of `npm run vfs -- key`. */
export async function createKeyText(): Promise<string> {
  return ed25519.format(await ed25519.generate());
}

/** Parse a key from its text. @throws Error when it is invalid */
export function openKeyText(text: string): SigningKey {
  return ed25519.parse(text.trim()) as unknown as SigningKey;
}

/** Convert a key to a non-extractable one, which can sign but not be read or copied. */
export async function sealKeyText(text: string): Promise<SealedKey> {
  const signer = ed25519.parse(text.trim());
  const { x, d } = jwkOf(signer.encode());
  const jwk = { kty: "OKP", crv: "Ed25519", x, d };
  const key = await crypto.subtle.importKey("jwk", jwk, "Ed25519", false, ["sign"]);
  return { did: signer.did() as DID<"key">, key };
}

/** A signer with a sealed key. */
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

/** Private and public key of the archive, which is: two bytes of tag, the secret, two bytes of tag, the public key. */
function jwkOf(archive: Uint8Array): { d: string; x: string } {
  return { d: toBase64Url(archive.subarray(2, 34)), x: toBase64Url(archive.subarray(36, 68)) };
}

/** Encode bytes as base64url without padding, as in JWKs and bearer tokens. */
export function toBase64Url(bytes: Uint8Array): string {
  return toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Encode bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Decode base64 or base64url, with or without padding. @throws DOMException when it is neither */
export function fromBase64(text: string): Uint8Array {
  const binary = atob(text.trim().replaceAll("-", "+").replaceAll("_", "/"));
  return Uint8Array.from(binary, (character) => character.charCodeAt(0));
}
