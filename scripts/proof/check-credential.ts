import { isDeepStrictEqual } from "node:util";
import { compactVerify, decodeProtectedHeader } from "jose";
import type { Hex } from "viem";
import { digestOf, type ProofDocument, proofCredentialType, subjectOf } from "../../api/scheme/itmo/proof/document.ts";
import { assertionKeys, didDocument, type Ed25519Key, importEd25519 } from "./issuer-keys.ts";

/** A credential whose signature is valid; `key` signed it. */
export type ProvenCredential = {
  issuer: string;
  key: Ed25519Key;
  transactionHash: Hex;
  payload: Record<string, unknown>;
};
export type CheckedCredential = { proven?: ProvenCredential; faults: string[] };

/** Check that the credential is signed by a key of its DID document, contains that document's digest, and states the log's facts. */
export async function checkCredential(document: ProofDocument): Promise<CheckedCredential> {
  const issuer = didDocument.safeParse(document.issuer);
  if (!issuer.success) return { faults: ["The issuer's DID document cannot be read."] };
  const signed = await readSigned(document.credential, assertionKeys(issuer.data));
  if (typeof signed === "string") return { faults: [signed] };
  const { key, payload } = signed;
  const faults: string[] = [];
  const must = (holds: boolean, fault: string) => {
    if (!holds) faults.push(fault);
  };
  const { credentialSubject: subject, type } = (payload.vc ?? {}) as Record<string, unknown>;
  const transactionHash = (subject as { transactionHash?: unknown } | undefined)?.transactionHash as Hex;
  const { chainId, contract, block, receipt, fact } = document;
  const { transactionIndex, logIndex } = receipt;
  const place = { chainId, contract, blockHash: block.hash, transactionHash, transactionIndex, logIndex };
  must(payload.iss === issuer.data.id, `The credential is by ${payload.iss}, the DID document is ${issuer.data.id}'s.`);
  must(
    isDeepStrictEqual(payload.relatedResource, [{ id: issuer.data.id, digestSRI: digestOf(document.issuer) }]),
    "The DID document is not the one that the credential names by its digest.",
  );
  must(
    isDeepStrictEqual(type, ["VerifiableCredential", proofCredentialType]),
    `The credential is not an ${proofCredentialType}.`,
  );
  must(/^0x[0-9a-f]{64}$/.test(transactionHash ?? ""), "The credential names no transaction.");
  must(isDeepStrictEqual(subject, subjectOf(fact, place)), "The credential does not say what the log says.");
  must(payload.nbf === Math.floor(Date.parse(fact.at) / 1000), "The credential does not begin with its block.");
  if (faults.length > 0) return { faults };
  return { proven: { issuer: issuer.data.id, key, transactionHash, payload }, faults };
}

type Signed = { key: Ed25519Key; payload: Record<string, unknown> };

/** Return what one of the keys signed, or why it is invalid. */
export async function readSigned(jwt: string, keys: ReadonlyMap<string, Ed25519Key>): Promise<Signed | string> {
  try {
    const { kid } = decodeProtectedHeader(jwt);
    const key = keys.get(kid ?? "");
    if (key === undefined)
      return "The credential's key is not one that its issuer's DID document makes statements with.";
    const { payload } = await compactVerify(jwt, await importEd25519(key), { algorithms: ["EdDSA"] });
    // Base64url ignores some bits of the last letter, so another letter would encode the same signature.
    if (!isCanonical(jwt)) return "The credential's signature is not spelled in the one way that it should be.";
    return { key, payload: JSON.parse(new TextDecoder().decode(payload)) };
  } catch {
    return "The credential's signature does not hold.";
  }
}

function isCanonical(jwt: string): boolean {
  return jwt.split(".").every((part) => Buffer.from(part, "base64url").toString("base64url") === part);
}
