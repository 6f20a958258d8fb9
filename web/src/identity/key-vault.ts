import { openDB } from "idb";
import type { SealedKey } from "./signing-key.ts";

const textName = "hearth.identity.key";
const databaseName = "hearth-identity";
const sealedName = "key";

export type TextStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Where the tab's key lies: as text in what ends with the tab, or sealed on the device when the user chose that. */
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

/** The connection is closed at once, so that another tab may delete what this one kept. */
async function onDevice<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openDatabase();
  try {
    return await work(database);
  } finally {
    database.close();
  }
}
