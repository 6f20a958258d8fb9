import { createPublicKey, ECDH, type JsonWebKey, type KeyObject } from "node:crypto";
import { varint } from "multiformats";
import { base58btc } from "multiformats/bases/base58";
import type { SignatureKind } from "./signature-kinds.ts";

/** A public key and the kind of signature that it verifies. */
export type VerifyingKey = { kind: SignatureKind; key: KeyObject };

const ed25519Code = 0xed;
const secp256k1Code = 0xe7;
const p256Code = 0x1200;
const rsaCode = 0x1205;
const shortestRsa = 2048;

/** Read the public key of a did:key; undefined when it is malformed or of an unsupported kind. */
export function keyOfDidKey(did: string): VerifyingKey | undefined {
  try {
    const bytes = base58btc.decode(did.slice("did:key:".length));
    const [code, length] = varint.decode(bytes);
    return readKey(code, Buffer.from(bytes.subarray(length)));
  } catch {
    return undefined;
  }
}

function readKey(code: number, bytes: Buffer): VerifyingKey | undefined {
  if (code === ed25519Code) return { kind: "EdDSA", key: ed25519Key(bytes) };
  if (code === p256Code) return { kind: "ES256", key: ecKey("prime256v1", "P-256", bytes) };
  if (code === secp256k1Code) return { kind: "ES256K", key: ecKey("secp256k1", "secp256k1", bytes) };
  if (code !== rsaCode) return undefined;
  const key = createPublicKey({ key: bytes, format: "der", type: "pkcs1" });
  return (key.asymmetricKeyDetails?.modulusLength ?? 0) >= shortestRsa ? { kind: "RS256", key } : undefined;
}

function ed25519Key(x: Buffer): KeyObject {
  return createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: x.toString("base64url") }, format: "jwk" });
}

function ecKey(curve: string, crv: string, compressed: Buffer): KeyObject {
  const point = ECDH.convertKey(compressed, curve, undefined, undefined, "uncompressed") as Buffer;
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString("base64url"));
  return createPublicKey({ key: { kty: "EC", crv, x, y } as JsonWebKey, format: "jwk" });
}
