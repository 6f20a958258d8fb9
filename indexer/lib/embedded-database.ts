import { existsSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { emptyDatabase } from "../../scripts/databases/empty-database.ts";
import { fillFolder, placeFolder } from "../../scripts/databases/kept-folder.ts";

type Database = { query<T>(sql: string): Promise<{ rows: T[] }>; close(): Promise<void> };

const ponder = createRequire(import.meta.resolve("ponder"));
/** URL of the PGlite that Ponder finds: another version may not be able to read its files. */
export const pglite: string = pathToFileURL(ponder.resolve("@electric-sql/pglite")).href;

async function openDatabase(folder: string): Promise<Database> {
  const { PGlite } = await import(pglite);
  return new PGlite(join(folder, "pglite"));
}

/** PostgreSQL allocates its cache at the start, 128 MB by default; the system caches the files anyway. */
const settings = "shared_buffers = 16MB\n";

/** Create the embedded database in an indexer's folder. The caller must hold the folder's lock. */
export async function createDatabase(folder: string): Promise<void> {
  await placeFolder(join(folder, "pglite"), async (draft) => {
    await fillFolder(draft, emptyDatabase(pglite));
    await appendFile(join(draft, "postgresql.conf"), settings);
  });
}

/** Ponder's checkpoints: timestamp (10 digits), chain id (16), block number (16), … */
const blockOf = (checkpoint: string): number => Number(checkpoint.slice(26, 42));

/**
 * Read the last final block of the embedded database (undefined when it is empty), and release the lock of a killed Ponder, for
 * which the next one would wait 25 s. The caller must hold the folder's lock.
 */
export async function releaseDatabase(folder: string, schema: string): Promise<number | undefined> {
  if (!existsSync(join(folder, "pglite", "PG_VERSION"))) return undefined;
  const database = await openDatabase(folder);
  try {
    const known = await database.query(
      `select 1 from pg_tables where schemaname = '${schema}' and tablename = '_ponder_meta'`,
    );
    if (known.rows.length === 0) return undefined;
    await database.query(`update "${schema}"._ponder_meta set value = jsonb_set(value, '{is_locked}', '0')`);
    const checkpoints = await database.query<{ finalized_checkpoint: string }>(
      `select finalized_checkpoint from "${schema}"._ponder_checkpoint`,
    );
    const [first] = checkpoints.rows;
    return first === undefined ? undefined : blockOf(first.finalized_checkpoint);
  } finally {
    await database.close();
  }
}
