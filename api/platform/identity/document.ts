import type { JWK } from "jose";

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

type Keys = { did: string; keyDid: string; keyId: string; publicJwk: JWK };

/** The service's DID document. The one key stands in it twice, as multibase and as JWK: some resolvers read only one of them. */
export function identityDocument({ did, keyDid, keyId, publicJwk }: Keys): DidDocument {
  const jwkId = `${did}#jwk`;
  const methods = [keyId, jwkId];
  return {
    "@context": [
      "https://www.w3.org/ns/did/v1",
      "https://w3id.org/security/suites/ed25519-2020/v1",
      "https://w3id.org/security/suites/jws-2020/v1",
    ],
    id: did,
    alsoKnownAs: [keyDid],
    verificationMethod: [
      {
        id: keyId,
        type: "Ed25519VerificationKey2020",
        controller: did,
        publicKeyMultibase: keyDid.slice("did:key:".length),
      },
      { id: jwkId, type: "JsonWebKey2020", controller: did, publicKeyJwk: publicJwk },
    ],
    authentication: methods,
    assertionMethod: methods,
    capabilityInvocation: methods,
    capabilityDelegation: methods,
  };
}
