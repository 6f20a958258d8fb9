import { asc, inArray, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/index.ts";
import { namespaces } from "./tables.ts";

export type NamespaceRow = typeof namespaces.$inferSelect;

/**
 * Lock the namespaces' rows, always in the same order, and create missing ones. Until the transaction ends, nobody else can
 * change a file, flag, key group or usage count of these namespaces.
 */
export async function lockNamespaces(tx: Transaction, names: readonly string[]): Promise<Map<string, NamespaceRow>> {
  const wanted = [...new Set(names)];
  const lock = () =>
    tx
      .select()
      .from(namespaces)
      .where(inArray(namespaces.namespace, wanted))
      .orderBy(asc(namespaces.namespace))
      .for("update");
  let rows = await lock();
  if (rows.length < wanted.length) {
    // Also sorted, so that two transactions that insert the same names do not deadlock.
    const values = [...wanted].sort().map((namespace) => ({ namespace }));
    await tx.insert(namespaces).values(values).onConflictDoNothing();
    rows = await lock();
  }
  return new Map(rows.map((row) => [row.namespace, row]));
}

/** Run a change of one namespace in a transaction that locks its row. */
export function changeNamespace<T>(
  deps: { db: Database },
  namespace: string,
  work: (tx: Transaction, row: NamespaceRow) => Promise<T>,
): Promise<T> {
  return deps.db.transaction(async (tx) => {
    const row = (await lockNamespaces(tx, [namespace])).get(namespace);
    if (row === undefined) throw new Error("A namespace's row is gone while it is locked.");
    return await work(tx, row);
  });
}

export type UsageChange = { bytes: number; files: number; versions: number };

/** Add to the usage counts of a namespace that is locked. */
export async function addUsage(tx: Transaction, namespace: string, change: UsageChange): Promise<void> {
  await tx.execute(sql`
    update ${namespaces} set bytes = bytes + ${change.bytes}, files = files + ${change.files}, versions = versions + ${change.versions}
    where namespace = ${namespace}`);
}
