import * as schema from "../../indexer/ponder.schema.ts";
import type { Indexer } from "./ponder-process.ts";

const isTable = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Symbol.for("drizzle:IsDrizzleTable") in value;

export type Rows = Record<string, string[]>;

/** Every row of every table, as sorted text, so that two indexers can be compared. */
export async function readAllRows(indexer: Indexer): Promise<Rows> {
  const rows: Rows = {};
  for (const [name, table] of Object.entries(schema)) {
    if (!isTable(table)) continue;
    const found = await indexer.client.db.select().from(table as typeof schema.voucher);
    const text = (row: object) => JSON.stringify(row, (_, value) => (typeof value === "bigint" ? `${value}n` : value));
    rows[name] = found.map(text).sort();
  }
  if (Object.keys(rows).length === 0) throw new Error("The schema has no table");
  return rows;
}

/** How many rows each table has. */
export const countsOf = (rows: Rows): Record<string, number> =>
  Object.fromEntries(Object.entries(rows).map(([name, list]) => [name, list.length]));
