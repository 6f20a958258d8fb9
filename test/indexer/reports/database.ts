import { PGlite } from "@electric-sql/pglite";
import { getTableConfig, type PgTable } from "drizzle-orm/pg-core";
import { Client } from "pg";
import { pglite } from "../../../indexer/lib/embedded-database.ts";
import * as schema from "../../../indexer/ponder.schema.ts";
import { openInMemory } from "../../../indexer/reader/pglite.ts";
import type { Ask, SqlRow } from "../../../indexer/reports/ask.ts";
import { emptyDatabase } from "../../../scripts/databases/empty-database.ts";
import { fillFolder, placeFolder } from "../../../scripts/databases/kept-folder.ts";
import { startPostgres } from "../../support/postgres.ts";

type Tables = typeof schema;
export type TableKey = {
  [K in keyof Tables]: Tables[K] extends { $inferInsert: unknown } ? K : never;
}[keyof Tables];

export type ReportDatabase = {
  ask: Ask;
  insert<K extends TableKey>(table: K, ...rows: Tables[K]["$inferInsert"][]): Promise<void>;
  /** Say where the index stands. */
  standAt(block: bigint, timestamp: bigint): Promise<void>;
  run(text: string, params?: unknown[]): Promise<void>;
  clear(): Promise<void>;
  close(): Promise<void>;
};

const isTable = (value: unknown): value is PgTable =>
  typeof value === "object" && value !== null && Symbol.for("drizzle:IsDrizzleTable") in value && !isView(value);
const isView = (value: object): boolean => Symbol.for("drizzle:ViewBaseConfig") in value;

const table = (key: TableKey): PgTable => (schema as Record<string, unknown>)[key] as PgTable;

/** Column names as Ponder makes them. */
const columnOf = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

function ddlOf(table: PgTable): string {
  const { name, columns, primaryKeys, indexes } = getTableConfig(table);
  const lines = columns.map((column) => {
    const type = column.getSQLType();
    return `"${columnOf(column.name)}" ${type} ${column.notNull ? "not null" : ""} ${column.primary ? "primary key" : ""}`;
  });
  const keys = primaryKeys.map((key) => `primary key (${key.columns.map((c) => `"${columnOf(c.name)}"`).join(", ")})`);
  const created = `create table "${name}" (${[...lines, ...keys].join(", ")});`;
  const indexed = indexes.map(({ config }) => {
    const names = config.columns.map((column) => `"${columnOf((column as { name: string }).name)}"`);
    return `create index on "${name}" (${names.join(", ")});`;
  });
  return [created, ...indexed].join("\n");
}

const plain = (value: unknown): unknown => (typeof value === "bigint" ? value.toString() : value);

type Engine = {
  query(text: string, params: unknown[]): Promise<{ rows: SqlRow[] }>;
  exec(text: string): Promise<unknown>;
  close(): Promise<void>;
};

async function openPostgres(): Promise<Engine> {
  const server = await startPostgres();
  const client = new Client(await server.createDatabase());
  await client.connect();
  const close = async () => {
    await client.end();
    await server.stop();
  };
  return { query: (text, params) => client.query(text, params), exec: (text) => client.query(text), close };
}

async function openEmbedded(folder: string | undefined): Promise<Engine> {
  if (folder !== undefined) await placeFolder(folder, (draft) => fillFolder(draft, emptyDatabase(pglite)));
  const database = folder === undefined ? await openInMemory() : await PGlite.create(folder);
  return {
    query: async (text, params) => (await database.query(text, params)) as { rows: SqlRow[] },
    exec: (text) => database.exec(text),
    close: () => database.close(),
  };
}

/**
 * The indexer's tables, empty, in a database of the test's own: what a hostile chain or a broken index would leave. It is
 * embedded; with REPORTS_ON_POSTGRES=1 a real PostgreSQL.
 * @param folder Where it lies, for another process to open again; without it in memory.
 */
export async function openReportDatabase(folder?: string): Promise<ReportDatabase> {
  const database = process.env.REPORTS_ON_POSTGRES === "1" ? await openPostgres() : await openEmbedded(folder);
  const tables = (Object.values(schema) as unknown[]).filter(isTable);
  await database.exec(tables.map((table) => ddlOf(table)).join("\n"));
  await database.exec('create table "_ponder_checkpoint" (chain_name text primary key, latest_checkpoint varchar(75))');
  const run = async (text: string, params: unknown[] = []) => {
    await database.query(text, params.map(plain));
  };
  return {
    ask: async (text, params = []) => (await database.query(text, params.map(plain))).rows,
    run,
    async insert(key, ...rows) {
      const { name, columns } = getTableConfig(table(key));
      for (const row of rows as Record<string, unknown>[]) {
        const given = Object.entries(table(key) as unknown as Record<string, { name: string }>).filter(
          ([property, column]) => columns.some((each) => each.name === column?.name) && row[property] !== undefined,
        );
        const names = given.map(([, column]) => `"${columnOf(column.name)}"`);
        const values = given.map(([property]) => row[property]);
        await run(
          `insert into "${name}" (${names.join(", ")}) values (${names.map((_, i) => `$${i + 1}`).join(", ")})`,
          values,
        );
      }
    },
    async standAt(block, timestamp) {
      const mark = `${timestamp}`.padStart(10, "0") + "31337".padStart(16, "0") + `${block}`.padStart(16, "0");
      await run('delete from "_ponder_checkpoint"');
      await run('insert into "_ponder_checkpoint" values ($1, $2)', ["hearth", mark.padEnd(75, "0")]);
    },
    async clear() {
      await database.exec(`truncate ${tables.map((table) => `"${getTableConfig(table).name}"`).join(", ")}`);
    },
    close: () => database.close(),
  };
}

let shared: Promise<ReportDatabase> | undefined;

/** The one database of all suites of a file: to open one costs seconds. */
export const shareReportDatabase = (): Promise<ReportDatabase> => {
  shared ??= openReportDatabase();
  return shared;
};
