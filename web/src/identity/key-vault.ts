import { openDB } from "idb";
import type { SealedKey } from "./signing-key.ts";

const textName = "hearth.identity.key";
/** Marks in localStorage that the key is on this device: IndexedDB answers too late for what is shown first. */
export const deviceMark = "hearth.identity.device";
const databaseName = "hearth-identity";
const sealedName = "key";

export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Stores the key: as text in sessionStorage, or sealed in IndexedDB when the user chose that. */
export class KeyVault {
  readonly #tab: TextStorage;
  readonly #device: TextStorage;

  constructor(tab: TextStorage = sessionStorage, device: TextStorage = localStorage) {
    this.#tab = tab;
    this.#device = device;
  }

  /** Whether a sealed key was on this device when it was last read or changed. */
  hasSealed(): boolean {
    return this.#device.getItem(deviceMark) !== null;
  }

  readText(): string | undefined {
    return this.#tab.getItem(textName) ?? undefined;
  }

  keepText(text: string): void {
    this.#tab.setItem(textName, text);
  }

  forgetText(): void {
    this.#tab.removeItem(textName);
  }

  async readSealed(): Promise<SealedKey | undefined> {
    const sealed = await onDevice((database) => database.get("keys", sealedName));
    this.#mark(sealed !== undefined);
    return sealed;
  }

  async keepSealed(sealed: SealedKey): Promise<void> {
    await onDevice((database) => database.put("keys", sealed, sealedName));
    this.#mark(true);
  }

  async forgetSealed(): Promise<void> {
    await onDevice((database) => database.delete("keys", sealedName));
    this.#mark(false);
  }

  #mark(isSealed: boolean): void {
    if (isSealed) this.#device.setItem(deviceMark, "1");
    else this.#device.removeItem(deviceMark);
  }
}

type Database = Awaited<ReturnType<typeof openDatabase>>;

function openDatabase() {
  return openDB<{ keys: { key: string; value: SealedKey } }>(databaseName, 1, {
    upgrade: (database) => void database.createObjectStore("keys"),
  });
}

/** Close the connection immediately, so that another tab can delete the database. */
async function onDevice<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase();
  try {
    return await work(database);
  } finally {
    database.close();
  }
}
