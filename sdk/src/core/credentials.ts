import { MintedTokens } from "./minted-tokens.ts";
import type { Mint, TokenStorage } from "./types.ts";

/** Before its end a delegation is renewed, in milliseconds. */
const delegationEarlyMs = 5 * 60_000;
const invocationEarlyMs = 30_000;

export type CredentialsOptions = {
  userDid: string;
  createDelegation: Mint;
  /** Omit to authenticate by the delegation alone. */
  createInvocation?: Mint | undefined;
  storage?: TokenStorage | undefined;
  now?: () => number;
};

export type Artifacts = { delegation: string; invocation?: string };

/** What a socket's handshake carries. */
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
  /** Delegations that were minted and that the oracle has not been given yet. */
  readonly #unposted = new Map<string, string>();

  constructor({ createDelegation, createInvocation, ...rest }: CredentialsOptions) {
    this.#delegations = new MintedTokens({
      ...{ ...rest, kind: "delegation", mint: createDelegation, earlyMs: delegationEarlyMs },
      onMinted: (oracleDid, { serialized }) => this.#unposted.set(oracleDid, serialized),
    });
    if (createInvocation === undefined) return;
    const early = { mint: createInvocation, earlyMs: invocationEarlyMs };
    this.#invocations = new MintedTokens({ ...rest, ...early, kind: "invocation" });
  }

  /** Fresh artifacts. @throws what the app's mints throw */
  async artifacts(oracleDid: string): Promise<Artifacts> {
    const [delegation, invocation] = await Promise.all([
      this.#delegations.get(oracleDid),
      this.#invocations?.get(oracleDid),
    ]);
    return invocation === undefined ? { delegation } : { delegation, invocation };
  }

  /** Headers of an HTTP request. */
  async headers(oracleDid: string): Promise<Record<string, string>> {
    return headersOf(await this.artifacts(oracleDid));
  }

  async handshake(oracleDid: string): Promise<Handshake> {
    const { delegation, invocation } = await this.artifacts(oracleDid);
    return { ucanDelegation: delegation, ...(invocation === undefined ? {} : { invocation }) };
  }

  /** After a refusal: mint anew what decided, unless that has happened meanwhile. */
  refused(oracleDid: string, { delegation, invocation }: Artifacts): void {
    if (invocation === undefined) this.#delegations.forget(oracleDid, delegation);
    else this.#invocations?.forget(oracleDid, invocation);
  }

  /** The delegation that the oracle should be given, once. */
  takeUnposted(oracleDid: string): string | undefined {
    const delegation = this.#unposted.get(oracleDid);
    this.#unposted.delete(oracleDid);
    return delegation;
  }

  /** It could not be given: with the next request again. */
  putBack(oracleDid: string, delegation: string): void {
    if (!this.#unposted.has(oracleDid)) this.#unposted.set(oracleDid, delegation);
  }
}

export function headersOf({ delegation, invocation }: Artifacts): Record<string, string> {
  const fallback = { "x-ucan-delegation": delegation };
  if (invocation === undefined) return fallback;
  return { ...fallback, authorization: `Bearer ${invocation}`, "x-auth-type": "ucan" };
}
