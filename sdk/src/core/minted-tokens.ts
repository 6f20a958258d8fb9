import type { Mint, MintedToken, TokenStorage } from "./types.ts";

export type MintedTokensOptions = {
  kind: "delegation" | "invocation";
  userDid: string;
  mint: Mint;
  /** How long before its expiry a token is replaced, in milliseconds. */
  earlyMs: number;
  storage?: TokenStorage | undefined;
  now?: () => number;
  /** Called for each new token. */
  onMinted?: (oracleDid: string, token: MintedToken) => void;
};

/** Cache tokens of one kind by oracle: look in memory, then in storage, else mint one. Concurrent requests share one mint. */
export class MintedTokens {
  readonly #options: MintedTokensOptions;
  readonly #kept = new Map<string, MintedToken>();
  readonly #minting = new Map<string, Promise<MintedToken>>();

  constructor(options: MintedTokensOptions) {
    this.#options = options;
  }

  /** Return a valid token. @throws Error what the app's mint function throws */
  async get(oracleDid: string): Promise<string> {
    const kept = this.#kept.get(oracleDid) ?? this.#fromStorage(oracleDid);
    if (kept !== undefined && this.#isFresh(kept)) {
      this.#kept.set(oracleDid, kept);
      return kept.serialized;
    }
    const minting = this.#minting.get(oracleDid) ?? this.#mint(oracleDid);
    this.#minting.set(oracleDid, minting);
    try {
      return (await minting).serialized;
    } finally {
      this.#minting.delete(oracleDid);
    }
  }

  /** Drop a token, unless it has been replaced since. */
  forget(oracleDid: string, serialized: string): void {
    if ((this.#kept.get(oracleDid) ?? this.#fromStorage(oracleDid))?.serialized !== serialized) return;
    this.#kept.delete(oracleDid);
    this.#options.storage?.removeItem(this.#key(oracleDid));
  }

  async #mint(oracleDid: string): Promise<MintedToken> {
    const { mint, storage, onMinted } = this.#options;
    const { serialized, expiresAt } = await mint(oracleDid);
    const token = { serialized, expiresAt };
    this.#kept.set(oracleDid, token);
    storage?.setItem(this.#key(oracleDid), JSON.stringify(token));
    onMinted?.(oracleDid, token);
    return token;
  }

  #isFresh({ expiresAt }: MintedToken): boolean {
    const { earlyMs, now = Date.now } = this.#options;
    return expiresAt - earlyMs > now();
  }

  #key(oracleDid: string): string {
    return `hearth:${this.#options.kind}:${this.#options.userDid}:${oracleDid}`;
  }

  #fromStorage(oracleDid: string): MintedToken | undefined {
    const text = this.#options.storage?.getItem(this.#key(oracleDid));
    if (text === null || text === undefined) return undefined;
    try {
      const { serialized, expiresAt } = JSON.parse(text) as Partial<MintedToken>;
      return typeof serialized === "string" && typeof expiresAt === "number" ? { serialized, expiresAt } : undefined;
    } catch {
      // Not written by this SDK.
      return undefined;
    }
  }
}
