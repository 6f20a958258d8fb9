import { settingsFrom } from "../../lib/settings.ts";
import { openEmbeddedReader } from "../../reader/embedded-reader.ts";
import type { Pglite } from "../../reader/pglite.ts";
import { openPostgresReader } from "../../reader/postgres-reader.ts";
import type { Reader } from "../../reader/reader.ts";

type PonderGlobals = {
  PONDER_DATABASE?: { driver?: { instance?: Pglite } };
  PONDER_NAMESPACE_BUILD?: { schema: string };
};

let opened: Promise<Reader> | undefined;

/** The reader for anonymous statements, opened by the first statement; if that fails, the next one tries again. */
export function publicReader(): Promise<Reader> {
  opened ??= openReader().catch((error: unknown) => {
    opened = undefined;
    throw error;
  });
  return opened;
}

async function openReader(): Promise<Reader> {
  const { PONDER_DATABASE: database, PONDER_NAMESPACE_BUILD: build } = globalThis as PonderGlobals;
  if (build === undefined) throw new Error("Ponder has no schema");
  const { databaseUrl, readerUrl } = settingsFrom(process.env);
  if (databaseUrl !== undefined) {
    return openPostgresReader({ databaseUrl, ...(readerUrl === undefined ? {} : { readerUrl }), schema: build.schema });
  }
  const index = database?.driver?.instance;
  if (index === undefined) throw new Error("Ponder has no embedded database");
  return openEmbeddedReader(index, build.schema);
}

export type PublicTable = { name: string; columns: { name: string; type: string; nullable: boolean }[] };

/** The public tables and views with their columns. */
export async function publicTables(): Promise<PublicTable[]> {
  const reader = await publicReader();
  // What the role cannot read is not in this list.
  const { rows } = await reader.ask({
    text: `select table_name as table, column_name as name, data_type as type, is_nullable = 'YES' as nullable
      from information_schema.columns where table_schema = current_schema() and table_name !~ '^_'
      order by table_name, ordinal_position`,
    parameters: [],
    milliseconds: 10_000,
  });
  const tables = new Map<string, PublicTable>();
  for (const { table, ...column } of rows as ({ table: string } & PublicTable["columns"][number])[]) {
    const known = tables.get(table) ?? { name: table, columns: [] };
    known.columns.push(column);
    tables.set(table, known);
  }
  return [...tables.values()];
}
