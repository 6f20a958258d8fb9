import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import type { Deps } from "../../../api/compose.ts";

/** Tables that a refused request may touch: they record the request itself, not what it asked for. The audit also names what was refused. */
const bookkeeping = new Set([
  "audit_entries",
  "idempotency_records",
  "dpop_proofs",
  "rate_limits",
  "webhook_deliveries",
]);
/** Rows that workers move on after an accepted request: which rows there are is the state, not how far they are. */
const movingTables = new Set(["chain_transactions", "operations", "webhooks"]);

/** Everything that requests can change, by name: each table's rows, and how many transactions each account has sent. */
export async function readState({ db, chain }: Deps): Promise<Record<string, string>> {
  const { rows } = await db.execute<{ name: string }>(
    sql`select table_name as name from information_schema.tables where table_schema = 'public' order by 1`,
  );
  const state: Record<string, string> = {};
  for (const { name } of rows) {
    if (bookkeeping.has(name)) continue;
    // When a key was last used is stored some time after its use.
    const shown = movingTables.has(name) ? sql`kept.id::text` : sql`(to_jsonb(kept) - 'last_used_at')::text`;
    const table = await db.execute<{ row: string }>(
      sql`select ${shown} as row from ${sql.identifier(name)} as kept order by 1`,
    );
    const hash = createHash("sha256");
    for (const { row } of table.rows) hash.update(`${row}\n`);
    state[name] = `${table.rows.length} ${hash.digest("hex").slice(0, 16)}`;
  }
  for (const [name, sender] of Object.entries(chain.senders)) {
    const count = await chain.client.getTransactionCount({ address: sender.address, blockTag: "pending" });
    state[`transactions of ${name}`] = String(count);
  }
  return state;
}
