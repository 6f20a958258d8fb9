import { readEmptyArchive } from "../../scripts/databases/empty-database.ts";
import { pglite } from "../lib/embedded-database.ts";

export type Result = { rows: unknown[]; fields: { name: string; dataTypeID: number }[]; blob?: Blob };
type Options = { rowMode?: "array" | "object"; blob?: Blob; serializers?: Record<number, (value: unknown) => string> };
export type Connection = { query(text: string, parameters?: unknown[], options?: Options): Promise<Result> };
export type Pglite = Connection & {
  exec(text: string): Promise<unknown>;
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  onNotification(listener: (channel: string, payload: string) => void): void;
};

/** Parameters go as text, so that PostgreSQL infers their types from the statement. */
export const asText: Options["serializers"] = new Proxy(
  {},
  { get: () => (value: unknown) => String(value), has: () => true },
);

/**
 * Open an empty database in memory, with the PGlite of Ponder: another version would write rows in another format. A timer of
 * PostgreSQL keeps the process from ending until the database is closed.
 */
export async function openInMemory(): Promise<Pglite & { close(): Promise<void> }> {
  const [{ PGlite }, loadDataDir] = await Promise.all([import(pglite), readEmptyArchive(pglite)]);
  return await PGlite.create({ loadDataDir });
}
