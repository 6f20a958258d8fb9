import type { KeyStore } from "./store.ts";

/** Remembers when API keys were used, so that no request waits for a write. */
export class KeyUse {
  readonly #store: Pick<KeyStore, "setLastUsed">;
  #latest = new Map<string, Date>();

  constructor(store: Pick<KeyStore, "setLastUsed">) {
    this.#store = store;
  }

  /** Note a request that was authenticated with a key. */
  note(keyId: string, at: Date): void {
    this.#latest.set(keyId, at);
  }

  /** Store what was noted since the last call. What cannot be stored is stored by the next call. */
  async save(): Promise<void> {
    const noted = this.#latest;
    if (noted.size === 0) return;
    this.#latest = new Map();
    try {
      await this.#store.setLastUsed(noted);
    } catch (error) {
      this.#latest = new Map([...noted, ...this.#latest]);
      throw error;
    }
  }
}
