import type { Context } from "ponder:registry";
import { type PgTable, sql } from "ponder";

type Db = Context["db"];

/** Rows of one SQL statement: keeps it below PostgreSQL's limit of bound values. */
const rowsPerStatement = 500;
/** Up to this many rows Ponder's insert is as fast. */
const fewRows = 20;

/** Ponder creates its reorg triggers after the backfill. */
async function isLive(db: Db): Promise<boolean> {
  const triggers = await db.sql.select({ found: sql`1` }).from(sql`pg_trigger`).where(sql`tgname = 'reorg'`).limit(1);
  return triggers.length > 0;
}

/**
 * Insert the many rows of one event. On the embedded database Ponder's `insert` asks for each row's key first, which is
 * free in a backfill (it has all in memory) and some 300 queries for a batch of vouchers in live indexing: there the
 * rows go in by plain SQL, which in turn would cost a backfill its memory. The rows are the same either way.
 */
export async function insertMany<T extends PgTable>(db: Db, table: T, rows: T["$inferInsert"][]): Promise<void> {
  if (rows.length <= fewRows || !(await isLive(db))) {
    if (rows.length > 0) await db.insert(table as never).values(rows as never);
    return;
  }
  for (let at = 0; at < rows.length; at += rowsPerStatement) {
    await db.sql.insert(table).values(rows.slice(at, at + rowsPerStatement) as never);
  }
}
