import { z } from "zod/mini";
import type { TextStorage } from "../../identity/key-vault.ts";
import { onSignOut } from "../../session/session.ts";
import { useStore } from "../../session/use-store.ts";

const storageName = "hearth.files.minted";

const mintedToken = z.object({
  cid: z.string(),
  abilities: z.array(z.string()),
  path: z.string(),
  audience: z.string(),
  isBearer: z.boolean(),
  /** Unix seconds. */
  expiresAt: z.number(),
  mintedAt: z.number(),
  /** Needed to revoke it; never shown again. */
  token: z.string(),
});
export type MintedToken = z.infer<typeof mintedToken>;

/** Unexpired tokens made in this tab, newest first. The server has not seen them, so it cannot list them. */
export class MintedTokens {
  readonly #storage: TextStorage;
  readonly #listeners = new Set<() => void>();
  #shown: { text: string; tokens: MintedToken[] } | undefined;

  constructor(storage: TextStorage = sessionStorage) {
    this.#storage = storage;
  }

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** The current list: the same object until it changes. */
  shown = (): MintedToken[] => {
    const text = this.#storage.getItem(storageName) ?? "[]";
    if (this.#shown?.text !== text) this.#shown = { text, tokens: this.list() };
    return this.#shown.tokens;
  };

  list(now = Date.now()): MintedToken[] {
    const read = z.array(mintedToken).safeParse(JSON.parse(this.#storage.getItem(storageName) ?? "[]"));
    return read.success ? read.data.filter(({ expiresAt }) => expiresAt * 1000 > now) : [];
  }

  add(token: MintedToken): void {
    this.#write([token, ...this.list()]);
  }

  remove(cid: string): void {
    this.#write(this.list().filter((token) => token.cid !== cid));
  }

  clear(): void {
    this.#write([]);
  }

  #write(tokens: MintedToken[]): void {
    this.#storage.setItem(storageName, JSON.stringify(tokens));
    for (const listener of this.#listeners) listener();
  }
}

/** The tokens made in this tab. */
export const mintedTokens = new MintedTokens();
onSignOut(() => mintedTokens.clear());

export function useMintedTokens(): MintedToken[] {
  return useStore(mintedTokens.subscribe, mintedTokens.shown);
}
