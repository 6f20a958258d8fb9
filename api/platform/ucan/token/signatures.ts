import { verify } from "node:crypto";
import type { DIDDocument, Resolvable, VerificationMethod } from "did-resolver";
import { type Address, verifyMessage } from "viem";
import { BoundedCache } from "../../bounded-cache.ts";
import { keyOfDidKey, kindOfSignature, type SignatureKind, type VerifyingKey } from "../../dids/index.ts";
import type { Link } from "./delegation-chain.ts";
import type { TokenProblem } from "./token-error.ts";

/** Verifies links' signatures; documents of DIDs other than did:key come from the resolver. */
export type SignatureVerifier = { brokenSignatures(links: readonly Link[]): Promise<TokenProblem[]> };

export function createSignatureVerifier(resolver: Resolvable): SignatureVerifier {
  const keys = new BoundedCache<string, VerifyingKey>(2_000);
  const keyOf = (did: string) => {
    const key = keys.get(did) ?? keyOfDidKey(did);
    if (key !== undefined) keys.set(did, key);
    return key;
  };

  async function check(link: Link): Promise<TokenProblem[]> {
    const kind = kindOfSignature(link.signature.code);
    const message = "The signature is not the issuer's, or of a kind that is not accepted.";
    if (kind !== undefined && (await isSigned(link, kind))) return [];
    return [{ code: "INVALID_TOKEN", rule: "signature", message, path: link.place }];
  }

  async function isSigned(link: Link, kind: SignatureKind): Promise<boolean> {
    if (link.issuer.startsWith("did:key:")) return verifyByKey(link, kind, keyOf(link.issuer));
    const { didDocument } = await resolver.resolve(link.issuer);
    return didDocument !== null && (await verifyByDocument(link, kind, didDocument));
  }

  return {
    brokenSignatures: async (links) => (await Promise.all(links.map(check))).flat(),
  };
}

function verifyByKey(link: Link, kind: SignatureKind, known: VerifyingKey | undefined): boolean {
  if (known === undefined || known.kind !== kind) return false;
  const { key } = known;
  const data = Buffer.from(link.signedText);
  const signature = link.signature.raw;
  if (kind === "EdDSA") return signature.byteLength === 64 && verify(null, data, key, signature);
  if (kind === "RS256") return verify("sha256", data, key, signature);
  return signature.byteLength === 64 && verify("sha256", data, { key, dsaEncoding: "ieee-p1363" }, signature);
}

async function verifyByDocument(link: Link, kind: SignatureKind, document: DIDDocument): Promise<boolean> {
  const methods = capabilityMethods(document);
  const { raw } = link.signature;
  if (kind === "EIP191") return await isWalletSignature(link, raw, methods);
  if (kind === "RS256") return false;
  const { verifyJWS } = await import("did-jwt");
  try {
    // A UCAN in JWT form is a JWS. Wallets add a 65th byte to recover the signer by, which is tried both ways anyway.
    const signature = kind === "ES256K" && raw.byteLength === 65 ? raw.subarray(0, 64) : raw;
    verifyJWS(`${link.signedText}.${Buffer.from(signature).toString("base64url")}`, methods);
    return true;
  } catch {
    return false;
  }
}

async function isWalletSignature(link: Link, raw: Uint8Array, methods: VerificationMethod[]): Promise<boolean> {
  const signature = `0x${Buffer.from(raw).toString("hex")}` as const;
  const message = { raw: Buffer.from(link.signedText) };
  for (const address of methods.flatMap(addressOf)) {
    if (await verifyMessage({ address, message, signature }).catch(() => false)) return true;
  }
  return false;
}

function addressOf({ blockchainAccountId = "", ethereumAddress = "" }: VerificationMethod): Address[] {
  const found = /0x[0-9a-fA-F]{40}/.exec(ethereumAddress || blockchainAccountId)?.[0];
  return found === undefined ? [] : [found as Address];
}

/**
 * The keys of a document that may hand on capabilities: those it names for that, else those it authenticates with, else all when it
 * names no purposes. A key for agreement or for credentials alone does not open files.
 */
function capabilityMethods(document: DIDDocument): VerificationMethod[] {
  const { capabilityInvocation, capabilityDelegation, authentication, assertionMethod, keyAgreement } = document;
  const all = document.verificationMethod ?? [];
  const capability = [...(capabilityInvocation ?? []), ...(capabilityDelegation ?? [])];
  const named = capability.length > 0 ? capability : authentication;
  if (named === undefined) return assertionMethod === undefined && keyAgreement === undefined ? all : [];
  return named.flatMap((entry) => {
    if (typeof entry !== "string") return [entry];
    const id = entry.startsWith("#") ? `${document.id}${entry}` : entry;
    return all.filter((method) => method.id === entry || method.id === id);
  });
}
