import { type DBSchema, type IDBPDatabase, openDB } from "idb";
import { isRemembered } from "../../session/vault.ts";
import type { QueueEntry } from "./entry.ts";
import { createBoxKey, open, type Sealed, seal, storageNameOf } from "./sealed-box.ts";

type StoredEntry = Sealed & { id: string; keyName: string; storedAt: number };
interface QueueSchema extends DBSchema {
  orders: { key: string; value: StoredEntry; indexes: { keyName: string } };
}

/** Orders whose key was lost with its tab cannot be read any more; they are deleted after this time. */
const unreadableMs = 90 * 24 * 3_600_000;
const keyPlace = "hearth.supplier.queue-key";

let opening: Promise<IDBPDatabase<QueueSchema>> | undefined;

function database(): Promise<IDBPDatabase<QueueSchema>> {
  opening ??= openDB<QueueSchema>("hearth-supplier", 1, {
    upgrade: (db) => {
      db.createObjectStore("orders", { keyPath: "id" }).createIndex("keyName", "keyName");
    },
  });
  return opening;
}

/**
 * The key that seals the orders, stored in the tab, or on the device if the user chose to be remembered. It is kept
 * after sign-out, so that a till that signs out by mistake keeps its waiting orders. The orders are useless without the
 * supplier's own key.
 */
function boxKey(): string {
  const [home, other] = isRemembered() ? [localStorage, sessionStorage] : [sessionStorage, localStorage];
  const known = home.getItem(keyPlace) ?? other.getItem(keyPlace) ?? createBoxKey();
  home.setItem(keyPlace, known);
  other.removeItem(keyPlace);
  return known;
}

/** A name in this device's storage that says nothing of what it is for. */
export async function hiddenName(label: string): Promise<string> {
  return await storageNameOf(`${boxKey()} ${label}`);
}

/** All orders that this tab or device can open, oldest first. */
export async function readQueue(): Promise<QueueEntry[]> {
  const key = boxKey();
  const stored = await (await database()).getAllFromIndex("orders", "keyName", await storageNameOf(key));
  const entries = await Promise.all(stored.map((each) => open<QueueEntry>(key, each.id, each)));
  return entries.sort((a, b) => a.createdAt - b.createdAt);
}

/** Store an order; it is on disk when the promise resolves. */
export async function writeEntry(entry: QueueEntry): Promise<void> {
  const key = boxKey();
  const sealed = await seal(key, entry.id, entry);
  const row = { ...sealed, id: entry.id, keyName: await storageNameOf(key), storedAt: Date.now() };
  const transaction = (await database()).transaction("orders", "readwrite", { durability: "strict" });
  await Promise.all([transaction.store.put(row), transaction.done]);
}

export async function removeEntry(id: string): Promise<void> {
  await (await database()).delete("orders", id);
}

/** Delete orders that nobody can open any more. */
export async function sweepQueue(now: number): Promise<void> {
  const mine = await storageNameOf(boxKey());
  const transaction = (await database()).transaction("orders", "readwrite");
  for await (const cursor of transaction.store) {
    if (cursor.value.keyName !== mine && now - cursor.value.storedAt > unreadableMs) await cursor.delete();
  }
  await transaction.done;
}
