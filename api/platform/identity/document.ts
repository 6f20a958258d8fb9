import type { JWK } from "jose";
import type { PublicKey } from "./public-key.ts";

type Method = { id: string; type: string; controller: string; publicKeyJwk?: JWK; publicKeyMultibase?: string };

export type DidDocument = {
  "@context": string[];
  id: string;
  alsoKnownAs: string[];
  verificationMethod: Method[];
  authentication: string[];
  assertionMethod: string[];
  capabilityInvocation: string[];
  capabilityDelegation: string[];
};

type Keys = {
  did: string;
  /** The service key: its did:key is an audience of tokens too. */
  service: PublicKey;
  /** The current signing key. */
  signing: PublicKey;
  /** Former signing keys. */
  previous: readonly PublicKey[];
};

/** Return the id of a key in the DID document, which is the `kid` of its signatures. */
export function keyIdOf(did: string, keyDid: string): string {
  return `${did}#${keyDid.slice("did:key:".length)}`;
}

/**
 * Build the service's DID document. It lists each key as multibase and as JWK, because some resolvers read only one of them. Former
 * signing keys remain, only so that their signatures still verify.
 */
export function identityDocument({ did, service, signing, previous }: Keys): DidDocument {
  const isSigning = ({ keyDid }: PublicKey) => keyDid === signing.keyDid;
  const others = new Map([service, ...previous].map((key) => [key.keyDid, key]));
  others.delete(signing.keyDid);
  const jwkIdOf = (key: PublicKey) => (isSigning(key) ? `${did}#jwk` : `${keyIdOf(did, key.keyDid)}-jwk`);
  const idsOf = (key: PublicKey) => [keyIdOf(did, key.keyDid), jwkIdOf(key)];
  const keys = [signing, ...others.values()];
  return {
    "@context": [
      "https://www.w3.org/ns/did/v1",
      "https://w3id.org/security/suites/ed25519-2020/v1",
      "https://w3id.org/security/suites/jws-2020/v1",
    ],
    id: did,
    alsoKnownAs: [service.keyDid],
    verificationMethod: keys.flatMap((key) => [
      {
        id: keyIdOf(did, key.keyDid),
        type: "Ed25519VerificationKey2020",
        controller: did,
        publicKeyMultibase: key.keyDid.slice("did:key:".length),
      },
      { id: jwkIdOf(key), type: "JsonWebKey2020", controller: did, publicKeyJwk: key.publicJwk },
    ]),
    authentication: idsOf(service),
    assertionMethod: keys.flatMap(idsOf),
    capabilityInvocation: idsOf(service),
    capabilityDelegation: idsOf(service),
  };
}
