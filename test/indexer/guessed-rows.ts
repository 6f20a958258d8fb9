// Runs in Ponder's process: its cache of rows guesses from the events of the next blocks which rows their handlers will read.
import { PGlite } from "@electric-sql/pglite";
import { type Column, getTableColumns, getTableName, isTable, type Table } from "drizzle-orm";
import { drizzle } from "drizzle-orm/pglite";
import * as schema from "../../indexer/ponder.schema.ts";

const of = (path: string) => import(new URL(path, import.meta.resolve("ponder")).href);
const { createIndexingCache } = await of("indexing-store/cache.js");
const { getPrimaryKeyColumns } = await of("drizzle/index.js");
const { getSql } = await of("drizzle/kit/index.js");

/** Values that anyone can give an event, in a place where an earlier event had the number or name of a row. */
const odd = [3_000_000_000, 2n ** 63n, 2n ** 256n - 1n, -(2n ** 255n), "CERT-1", "1e3", " 1", "\0", "", true];

const client = await PGlite.create();
await client.exec("create sequence operation_id");
for (const statement of getSql(schema).tables.sql) await client.exec(statement);
const db = drizzle(client);
const logger = { debug() {}, child: () => logger };
const count = { inc() {}, observe() {} };
const common = { logger, options: { indexingCacheMaxBytes: 0 }, metrics: new Proxy({}, { get: () => count }) };

const valid = (column: Column): unknown =>
  ({ integer: 1, bigint: 1n, "numeric(78)": 1n })[column.getSQLType()] ??
  (column.columnType === "PgHex" ? "0x01" : "1");

const guessed: Record<string, number> = {};
for (const table of Object.values(schema as Record<string, unknown>).filter((value): value is Table =>
  isTable(value),
)) {
  const keys: { js: string }[] = getPrimaryKeyColumns(table);
  const columns = getTableColumns(table);
  const right = Object.fromEntries(keys.map(({ js }) => [js, valid(columns[js] as Column)]));
  const eventOf = (args: object) => ({
    type: "log",
    chain: { id: 31_337 },
    eventCallback: { name: "event" },
    event: { id: "none", args },
  });
  const cache = createIndexingCache({
    common,
    schemaBuild: { schema: { table } },
    crashRecoveryCheckpoint: "0",
    eventCount: { event: 1 },
  });
  cache.qb = { wrap: (run: (of: typeof db) => unknown) => run(db) };
  cache.event = eventOf(right);
  await cache.get({ table, key: right });
  for (const value of odd) {
    await cache.prefetch({ events: [eventOf(Object.fromEntries(keys.map(({ js }) => [js, value])))] });
    // A handler that asks for a row by the same values as the first event finds out that there is none.
    if ((await cache.get({ table, key: right })) !== null) throw new Error("There is a row");
    guessed[getTableName(table)] = (guessed[getTableName(table)] ?? 0) + 1;
  }
}
console.log(JSON.stringify(guessed));
process.exit();
