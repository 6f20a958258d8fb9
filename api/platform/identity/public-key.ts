import type { JWK } from "jose";
import { keyOfDidKey } from "../dids/index.ts";

/** An Ed25519 public key, as the DID document names it. */
export type PublicKey = { keyDid: `did:key:${string}`; publicJwk: JWK };

/** Read the Ed25519 key of a did:key; undefined for another DID. */
export function readEd25519Key(keyDid: string): PublicKey | undefined {
  const found = keyDid.startsWith("did:key:") ? keyOfDidKey(keyDid) : undefined;
  if (found?.kind !== "EdDSA") return undefined;
  const { x } = found.key.export({ format: "jwk" });
  return { keyDid: keyDid as `did:key:${string}`, publicJwk: { kty: "OKP", crv: "Ed25519", x: String(x) } };
}
