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
  /** The key whose did:key the service also answers to. */
  service: PublicKey;
  /** The key that signs now. */
  signing: PublicKey;
  /** Keys that signed before. */
  previous: readonly PublicKey[];
};

/** Id of a key in the DID document: the `kid` of what it signs. */
export function keyIdOf(did: string, keyDid: string): string {
  return `${did}#${keyDid.slice("did:key:".length)}`;
}

/**
 * The service's DID document. Each key stands in it twice, as multibase and as JWK: some resolvers read only one of them. Keys that
 * signed before stay, so that what they signed still verifies; they can do nothing else.
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
