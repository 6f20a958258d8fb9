import { openDB } from "idb";
import type { SealedKey } from "./signing-key.ts";

const textName = "hearth.identity.key";
const databaseName = "hearth-identity";
const sealedName = "key";

export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Stores the key: as text in sessionStorage, or sealed in IndexedDB when the user chose that. */
export class KeyVault {
  readonly #tab: TextStorage;

  constructor(tab: TextStorage = sessionStorage) {
    this.#tab = tab;
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
    return await onDevice((database) => database.get("keys", sealedName));
  }

  async keepSealed(sealed: SealedKey): Promise<void> {
    await onDevice((database) => database.put("keys", sealed, sealedName));
  }

  async forgetSealed(): Promise<void> {
    await onDevice((database) => database.delete("keys", sealedName));
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
