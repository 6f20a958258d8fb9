import { createHash, randomUUID } from "node:crypto";
import { bytesToBase58 } from "did-jwt";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";

export type Issuer = {
  did: string;
  /** A compact VC-JWT of that type over that subject. */
  issue: (type: string, subject: Record<string, unknown>) => Promise<string>;
};

/** An issuer with a fresh Ed25519 key, known by its did:key. */
export async function createIssuer(): Promise<Issuer> {
  const { privateKey, publicKey } = await generateKeyPair("Ed25519");
  const { x = "" } = await exportJWK(publicKey);
  const did = `did:key:z${bytesToBase58(Buffer.concat([Buffer.from([0xed, 0x01]), Buffer.from(x, "base64url")]))}`;
  const issue: Issuer["issue"] = (type, subject) =>
    new SignJWT({
      vc: {
        "@context": ["https://www.w3.org/2018/credentials/v1"],
        type: ["VerifiableCredential", type],
        credentialSubject: subject,
      },
    })
      .setProtectedHeader({ alg: "EdDSA", typ: "JWT" })
      .setIssuer(did)
      .setJti(`urn:uuid:${randomUUID()}`)
      .setNotBefore("0 s")
      .setExpirationTime("365 d")
      .sign(privateKey);
  return { did, issue };
}

export type ProofKey = {
  publicJwk: JWK;
  /** The DPoP header of one request with that API key. */
  prove: (method: string, url: string, apiKey: string) => Promise<string>;
};

/** The key that a supplier binds its API key to (RFC 9449). */
export async function createProofKey(): Promise<ProofKey> {
  const { privateKey, publicKey } = await generateKeyPair("ES256");
  const jwk = await exportJWK(publicKey);
  const prove: ProofKey["prove"] = (method, url, apiKey) =>
    new SignJWT({
      htm: method,
      htu: url.split("?")[0],
      jti: randomUUID(),
      ath: createHash("sha256").update(apiKey).digest("base64url"),
    })
      .setProtectedHeader({ alg: "ES256", typ: "dpop+jwt", jwk })
      .setIssuedAt()
      .sign(privateKey);
  return { publicJwk: jwk, prove };
}
