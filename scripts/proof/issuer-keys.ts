import { importJWK, type JWK } from "jose";
import { base58btc } from "multiformats/bases/base58";
import { z } from "zod";

const method = z.looseObject({
  id: z.string(),
  publicKeyMultibase: z.string().optional(),
  publicKeyJwk: z.looseObject({ kty: z.string(), crv: z.string().optional(), x: z.string().optional() }).optional(),
});

/** The part of a DID document that is read. */
export const didDocument = z.looseObject({
  id: z.string().startsWith("did:"),
  verificationMethod: z.array(method),
  assertionMethod: z.array(z.union([z.string(), method])),
});
export type ReadDidDocument = z.infer<typeof didDocument>;

/** An Ed25519 public key, base64url. */
export type Ed25519Key = string;
/** multicodec of an Ed25519 public key. */
const ed25519Prefix = [0xed, 0x01];
const keyBytes = 32;

/** A key as multibase, with or without `did:key:` before it; undefined if it is not an Ed25519 key. */
export function readMultibaseKey(text: string): Ed25519Key | undefined {
  try {
    const bytes = base58btc.decode(text.replace(/^did:key:/, ""));
    const isEd25519 = bytes.length === keyBytes + 2 && ed25519Prefix.every((byte, i) => bytes[i] === byte);
    return isEd25519 ? Buffer.from(bytes.subarray(2)).toString("base64url") : undefined;
  } catch {
    return undefined;
  }
}

/** The keys that the document's subject makes statements with, by their ids. */
export function assertionKeys(document: ReadDidDocument): Map<string, Ed25519Key> {
  const methods = new Map(document.verificationMethod.map((each) => [each.id, each]));
  const keys = new Map<string, Ed25519Key>();
  for (const named of document.assertionMethod) {
    const found = typeof named === "string" ? methods.get(named) : named;
    if (found === undefined) continue;
    const { kty, crv, x } = found.publicKeyJwk ?? {};
    const key = found.publicKeyMultibase ? readMultibaseKey(found.publicKeyMultibase) : undefined;
    const known = key ?? (kty === "OKP" && crv === "Ed25519" ? x : undefined);
    if (known !== undefined) keys.set(found.id, known);
  }
  return keys;
}

export async function importEd25519(x: Ed25519Key) {
  const jwk: JWK = { kty: "OKP", crv: "Ed25519", x };
  return importJWK(jwk, "EdDSA");
}
