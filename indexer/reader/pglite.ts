import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

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

/** The PGlite that Ponder bundles: another version would write rows in another format. */
export async function loadPglite(): Promise<
  new (
    folder?: string,
  ) => Pglite & { waitReady: Promise<void>; close(): Promise<void> }
> {
  const ponder = createRequire(import.meta.resolve("ponder"));
  return (await import(pathToFileURL(ponder.resolve("@electric-sql/pglite")).href)).PGlite;
}
