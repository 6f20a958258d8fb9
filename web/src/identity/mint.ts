import { Delegation, DID, delegate } from "@ucanto/core";
import type { Capability, DID as Did, Delegation as Given, Signer } from "@ucanto/interface";
import type { Claim } from "./resource.ts";
import { fromBase64, type SigningKey, toBase64, toBase64Url } from "./signing-key.ts";

export type MintOptions = {
  issuer: SigningKey;
  /** DID of the token's audience; the service's DID for a bearer token. */
  audience: string;
  claims: readonly Claim[];
  /** Unix seconds. */
  expiration: number;
  /** The delegations that give the issuer its abilities, when it is not the owner. */
  proofs?: readonly Given[];
  /** Statements in addition to the capabilities; a bearer token with a `nonce` works once. */
  facts?: readonly Record<string, string>[];
};

/** Sign a delegation. Nothing is checked here: the server refuses a token that gives more than its issuer has. */
export function mint({ issuer, audience, claims, expiration, proofs = [], facts = [] }: MintOptions): Promise<Given> {
  return delegate({
    issuer: issuer as Signer,
    audience: DID.parse(audience as Did),
    capabilities: claims as unknown as [Capability, ...Capability[]],
    expiration,
    proofs: [...proofs],
    facts: [...facts],
    // The nonce makes two tokens of the same second differ, so that each can be revoked separately.
    nonce: crypto.randomUUID(),
  });
}

/** A token with its proofs, as the bytes of a CAR. */
async function archiveOf(token: Given): Promise<Uint8Array> {
  const { ok, error } = await token.archive();
  if (ok === undefined) throw error;
  return ok;
}

/** The token as it follows `Authorization: Bearer ` in a request to the file store. */
export async function formatToken(token: Given): Promise<string> {
  return toBase64Url(await archiveOf(token));
}

/** The token as the oracle's headers expect it. */
export async function formatArtefact(token: Given): Promise<string> {
  return toBase64(await archiveOf(token));
}

/** Parse a token or delegation from base64 or base64url text. @throws Error when it is invalid */
export async function parseToken(text: string): Promise<Given> {
  const { ok, error } = await Delegation.extract(fromBase64(text.replace(/^Bearer +/i, "")));
  if (ok === undefined) throw error;
  return ok;
}
