import { randomUUID } from "node:crypto";
import { Delegation, DID, delegate } from "@ucanto/core";
import type { Capability, Delegation as DelegationView, DID as Did, Signer } from "@ucanto/interface";
import { ed25519 } from "@ucanto/principal";
import { formatResource } from "./resource.ts";

/** An Ed25519 key. Its DID is a did:key and names a separate namespace. */
export type Key = Awaited<ReturnType<typeof ed25519.generate>>;

/** Make a new key. */
export function generateKey(): Promise<Key> {
  return ed25519.generate();
}

/** The key as text, to be kept secret: multibase, begins with `M`. */
export function formatKey(key: Key): string {
  return ed25519.format(key);
}

/** Read what `formatKey` made. @throws Error when it is something else */
export function parseKey(text: string): Key {
  return ed25519.parse(text.trim());
}

export type MintOptions = {
  /** Who signs: the owner, or the holder of the proofs. */
  issuer: Signer;
  /** DID that may use it: the service's for a bearer token, a person's or program's for a delegation. */
  audience: string;
  /** DID of the namespace; the issuer's own when absent. */
  owner?: string;
  /** Such as `fs/read`; one capability each. */
  abilities: readonly string[];
  /** Folder or file; `/` when absent. */
  path?: string;
  /** Caveats: `cids`, `hidden`. */
  nb?: Record<string, unknown>;
  /** Unix seconds; an hour from now when absent. */
  expiration?: number;
  /** Unix seconds. */
  notBefore?: number;
  /** The delegations to the issuer, when it is not the owner. */
  proofs?: readonly DelegationView[];
  /** Makes a bearer token valid for a single use. */
  nonce?: string;
  facts?: readonly Record<string, unknown>[];
};

/** Sign a delegation; a bearer token is a delegation to the service. What the issuer may not delegate is refused on use, not here. */
export function mintDelegation(options: MintOptions): Promise<DelegationView> {
  const { issuer, audience, owner = issuer.did(), abilities, path = "/", nb, nonce, notBefore } = options;
  const resource = formatResource(owner, path);
  const toCapability = (can: string) => ({ can, with: resource, ...(nb === undefined ? {} : { nb }) }) as Capability;
  return delegate({
    issuer,
    audience: DID.parse(audience as Did),
    capabilities: abilities.map(toCapability) as [Capability, ...Capability[]],
    expiration: options.expiration ?? Math.floor(Date.now() / 1000) + 3600,
    ...(notBefore === undefined ? {} : { notBefore }),
    proofs: [...(options.proofs ?? [])],
    facts: [...(options.facts ?? []), ...(nonce === undefined ? [] : [{ nonce }])],
    // Tokens of the same second must differ, or revoking one would revoke the other.
    nonce: randomUUID(),
  });
}

/** Sign a bearer token, for `Authorization: Bearer <token>`. */
export async function mintToken(options: MintOptions): Promise<string> {
  return await formatDelegation(await mintDelegation(options));
}

/** The delegation with its proofs as base64url CAR. */
export async function formatDelegation(delegation: DelegationView): Promise<string> {
  const { ok: bytes, error } = await delegation.archive();
  if (bytes === undefined) throw error;
  return Buffer.from(bytes).toString("base64url");
}

/** Read a delegation from a base64 or base64url CAR. @throws Error when it holds none */
export async function parseDelegation(text: string): Promise<DelegationView> {
  const { ok: delegation, error } = await Delegation.extract(new Uint8Array(Buffer.from(text.trim(), "base64")));
  if (delegation === undefined) throw error;
  return delegation;
}
