import { MintedTokens } from "./minted-tokens.ts";
import type { Mint, TokenStorage } from "./types.ts";

/** How long before its expiry a delegation is renewed, in milliseconds. */
const delegationEarlyMs = 5 * 60_000;
const invocationEarlyMs = 30_000;

export type CredentialsOptions = {
  userDid: string;
  createDelegation: Mint;
  /** Omit to authenticate with the delegation alone. */
  createInvocation?: Mint | undefined;
  storage?: TokenStorage | undefined;
  now?: () => number;
};

export type Artifacts = { delegation: string; invocation?: string };

/** Authentication in a socket's handshake. */
export type Handshake = { invocation?: string; ucanDelegation?: string };

/**
 * Cache the UCAN delegation and invocation of each user and oracle, and renew them before they expire.
 * @example
 * ```ts
 * import { Credentials } from "@hearth/oracles-client-sdk/core";
 *
 * const credentials = new Credentials({
 *   userDid: "did:key:z6Mk",
 *   createDelegation: async () => ({ serialized: "…", expiresAt: Date.now() + 3_600_000 }),
 *   storage: sessionStorage,
 * });
 * console.log(await credentials.headers("did:key:z6Mk"));
 * ```
 */
export class Credentials {
  readonly #delegations: MintedTokens;
  readonly #invocations: MintedTokens | undefined;
  /** New delegations that have not been posted to their oracle yet. */
  readonly #unposted = new Map<string, string>();

  constructor({ createDelegation, createInvocation, ...rest }: CredentialsOptions) {
    this.#delegations = new MintedTokens({
      ...rest,
      kind: "delegation",
      mint: createDelegation,
      earlyMs: delegationEarlyMs,
      onMinted: (oracleDid, { serialized }) => this.#unposted.set(oracleDid, serialized),
    });
    if (createInvocation === undefined) return;
    const early = { mint: createInvocation, earlyMs: invocationEarlyMs };
    this.#invocations = new MintedTokens({ ...rest, ...early, kind: "invocation" });
  }

  /** Return valid tokens; mint them if necessary. @throws Error what the app's mint functions throw */
  async artifacts(oracleDid: string): Promise<Artifacts> {
    const [delegation, invocation] = await Promise.all([
      this.#delegations.get(oracleDid),
      this.#invocations?.get(oracleDid),
    ]);
    return invocation === undefined ? { delegation } : { delegation, invocation };
  }

  /** Return the authentication headers of an HTTP request. @throws Error what the app's mint functions throw */
  async headers(oracleDid: string): Promise<Record<string, string>> {
    return headersOf(await this.artifacts(oracleDid));
  }

  async handshake(oracleDid: string): Promise<Handshake> {
    const { delegation, invocation } = await this.artifacts(oracleDid);
    return { ucanDelegation: delegation, ...(invocation === undefined ? {} : { invocation }) };
  }

  /** Drop the token that the oracle refused, unless it has been replaced since. */
  refused(oracleDid: string, { delegation, invocation }: Artifacts): void {
    if (invocation === undefined) this.#delegations.forget(oracleDid, delegation);
    else this.#invocations?.forget(oracleDid, invocation);
  }

  /** Take the delegation that is to be posted to the oracle; each is returned once. */
  takeUnposted(oracleDid: string): string | undefined {
    const delegation = this.#unposted.get(oracleDid);
    this.#unposted.delete(oracleDid);
    return delegation;
  }

  /** Post this delegation again with the next request. */
  putBack(oracleDid: string, delegation: string): void {
    if (!this.#unposted.has(oracleDid)) this.#unposted.set(oracleDid, delegation);
  }
}

export function headersOf({ delegation, invocation }: Artifacts): Record<string, string> {
  const fallback = { "x-ucan-delegation": delegation };
  if (invocation === undefined) return fallback;
  return { ...fallback, authorization: `Bearer ${invocation}`, "x-auth-type": "ucan" };
}
