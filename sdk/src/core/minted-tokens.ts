import type { Mint, MintedToken, TokenStorage } from "./types.ts";

export type MintedTokensOptions = {
  kind: "delegation" | "invocation";
  userDid: string;
  mint: Mint;
  /** How long before its end a token is no longer used, in milliseconds. */
  earlyMs: number;
  storage?: TokenStorage | undefined;
  now?: () => number;
  /** Told of each token that was newly minted. */
  onMinted?: (oracleDid: string, token: MintedToken) => void;
};

/** Tokens of one kind by oracle: in memory first, then in storage, else minted, one at a time. */
export class MintedTokens {
  readonly #options: MintedTokensOptions;
  readonly #kept = new Map<string, MintedToken>();
  readonly #minting = new Map<string, Promise<MintedToken>>();

  constructor(options: MintedTokensOptions) {
    this.#options = options;
  }

  /** @throws what the app's mint throws */
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

  /** Use a token no more, if it is the one that is kept. */
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
      // Written by something else: as good as none.
      return undefined;
    }
  }
}
