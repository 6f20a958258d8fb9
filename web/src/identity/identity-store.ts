import { KeyVault } from "./key-vault.ts";
import { loadSigning } from "./load-signing.ts";
import type { SealedKey, SigningKey } from "./signing-key.ts";

/**
 * `tab`: the key is lost with the tab, and can be exported as text. `device`: it stays on this device until it is
 * forgotten, and cannot be exported.
 */
export type Keeping = "tab" | "device";
export type Identity = { did: string; key: SigningKey; keeping: Keeping };

/** The user's key. It is made when it is first needed, and kept as long as the user chose. */
export class IdentityStore {
  readonly #vault: KeyVault;
  readonly #listeners = new Set<() => void>();
  #identity: Identity | undefined;
  #opening: Promise<Identity> | undefined;

  constructor(vault: KeyVault = new KeyVault()) {
    this.#vault = vault;
  }

  /** Load the stored key, or make one. */
  open(): Promise<Identity> {
    if (this.#identity !== undefined) return Promise.resolve(this.#identity);
    this.#opening ??= this.#load().finally(() => {
      this.#opening = undefined;
    });
    return this.#opening;
  }

  current = (): Identity | undefined => this.#identity;

  /** Where the key is kept; before it is loaded, where it was found last. */
  keeping = (): Keeping =>
    this.#identity?.keeping ?? (this.#vault.readText() === undefined && this.#vault.hasSealed() ? "device" : "tab");

  subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  };

  /** The key as text, to save it elsewhere; undefined for a sealed key. */
  exportText(): string | undefined {
    return this.#identity?.keeping === "tab" ? this.#vault.readText() : undefined;
  }

  /** Use another key in this tab. @throws Error when the text is not a key; the current key then stays */
  async importText(text: string): Promise<Identity> {
    const { openKeyText } = await loadSigning();
    const key = openKeyText(text);
    await this.#vault.forgetSealed();
    this.#vault.keepText(text.trim());
    return this.#use({ did: key.did(), key, keeping: "tab" });
  }

  /** Seal the key and keep it on this device after the tab closes. */
  async remember(): Promise<Identity> {
    const { keeping } = await this.open();
    const text = this.#vault.readText();
    if (keeping === "device" || text === undefined) return await this.open();
    const { sealKeyText } = await loadSigning();
    const sealed = await sealKeyText(text);
    await this.#vault.keepSealed(sealed);
    this.#vault.forgetText();
    return this.#use(await identityOf(sealed));
  }

  /**
   * Delete the key from tab and device, and make a new one. Without a saved copy, the old key's files cannot be opened
   * any more.
   */
  async forget(): Promise<Identity> {
    this.#vault.forgetText();
    await this.#vault.forgetSealed();
    this.#identity = undefined;
    return await this.open();
  }

  /** The session ends: delete the key of this tab; a key on the device stays. */
  leaveTab(): void {
    this.#vault.forgetText();
    this.#identity = undefined;
    this.#tell();
  }

  async #load(): Promise<Identity> {
    const { createKeyText, openKeyText } = await loadSigning();
    const text = this.#vault.readText();
    if (text !== undefined) {
      const key = openKeyText(text);
      return this.#use({ did: key.did(), key, keeping: "tab" });
    }
    const sealed = await this.#vault.readSealed();
    if (sealed !== undefined) return this.#use(await identityOf(sealed));
    const made = await createKeyText();
    this.#vault.keepText(made);
    const key = openKeyText(made);
    return this.#use({ did: key.did(), key, keeping: "tab" });
  }

  #use(identity: Identity): Identity {
    this.#identity = identity;
    this.#tell();
    return identity;
  }

  #tell(): void {
    for (const listener of this.#listeners) listener();
  }
}

async function identityOf(sealed: SealedKey): Promise<Identity> {
  const { openSealedKey } = await loadSigning();
  return { did: sealed.did, key: openSealedKey(sealed), keeping: "device" };
}
