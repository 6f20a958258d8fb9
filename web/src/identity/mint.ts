import { Delegation, DID, delegate } from "@ucanto/core";
import type { Capability, DID as Did, Delegation as Given, Signer } from "@ucanto/interface";
import { fromBase64, type SigningKey, toBase64, toBase64Url } from "./signing-key.ts";

/** What a token of the file store may give. */
export const fileAbilities = ["fs/list", "fs/read", "fs/write", "fs/delete", "fs/*"] as const;
export type FileAbility = (typeof fileAbilities)[number];

export type Claim = { can: string; with: string; nb?: Record<string, unknown> };

export type MintOptions = {
  issuer: SigningKey;
  /** DID of who may use it; the service's for a bearer. */
  audience: string;
  claims: readonly Claim[];
  /** Unix seconds. */
  expiration: number;
  /** What the issuer was given, when it is not the owner. */
  proofs?: readonly Given[];
  /** What it states beside what it gives; a bearer with a `nonce` serves once. */
  facts?: readonly Record<string, string>[];
};

/** The resource of a namespace, or of a folder or file in it. */
export function formatResource(owner: string, path = "/"): string {
  const encoded = path === "/" ? "" : path.split("/").map(encodeURIComponent).join("/");
  return `vfs://${encodeURIComponent(owner)}${encoded}`;
}

/** Sign a delegation. Nothing is checked: what is not the issuer's to give is refused when it is used. */
export function mint({ issuer, audience, claims, expiration, proofs = [], facts = [] }: MintOptions): Promise<Given> {
  return delegate({
    issuer: issuer as Signer,
    audience: DID.parse(audience as Did),
    capabilities: claims as unknown as [Capability, ...Capability[]],
    expiration,
    proofs: [...proofs],
    facts: [...facts],
    // Two of the same second differ: else to revoke one would revoke the other.
    nonce: crypto.randomUUID(),
  });
}

/** A token with its proofs as the bytes of a CAR. */
async function archiveOf(token: Given): Promise<Uint8Array> {
  const { ok, error } = await token.archive();
  if (ok === undefined) throw error;
  return ok;
}

/** As it stands behind `Authorization: Bearer ` of the file store. */
export async function formatToken(token: Given): Promise<string> {
  return toBase64Url(await archiveOf(token));
}

/** As the oracle's headers take it. */
export async function formatArtefact(token: Given): Promise<string> {
  return toBase64(await archiveOf(token));
}

/** Read a token or delegation from base64 or base64url text. @throws Error when it is none */
export async function parseToken(text: string): Promise<Given> {
  const { ok, error } = await Delegation.extract(fromBase64(text.replace(/^Bearer +/i, "")));
  if (ok === undefined) throw error;
  return ok;
}
