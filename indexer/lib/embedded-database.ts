import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

type Database = { query<T>(sql: string): Promise<{ rows: T[] }>; close(): Promise<void> };

/** PGlite as Ponder bundles it: another version could not read its files. */
async function openDatabase(folder: string): Promise<Database> {
  const ponder = createRequire(import.meta.resolve("ponder"));
  const { PGlite } = await import(pathToFileURL(ponder.resolve("@electric-sql/pglite")).href);
  return new PGlite(join(folder, "pglite"));
}

const draftName = "draft-";
const maker = fileURLToPath(new URL("make-database.ts", import.meta.url));

/**
 * Make the embedded database in a process of its own, with which goes the memory of compiling PostgreSQL's set-up. Optimizing
 * what runs once would take longer than it saves. One that a killed start left running writes into a folder of its own.
 */
export async function createDatabase(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    if (name.startsWith(draftName)) await rm(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
  }
  const draft = await mkdtemp(join(folder, draftName));
  await promisify(execFile)(process.execPath, ["--liftoff-only", maker, draft]);
  await rename(join(draft, "pglite"), join(folder, "pglite"));
  await rm(draft, { recursive: true });
}

/**
 * The database need not wait for each commit's log: what a kill takes is the newest commits, whole and in order, and Ponder
 * goes on from the last that is there.
 */
export async function makeDatabase(folder: string): Promise<void> {
  const database = await openDatabase(folder);
  await database.query("alter system set synchronous_commit = off");
  await database.close();
}

/** Ponder's checkpoints: timestamp (10 digits), chain id (16), block number (16), … */
const blockOf = (checkpoint: string): number => Number(checkpoint.slice(26, 42));

/**
 * Read the last block that the embedded database holds for final (undefined when it holds nothing yet), and open the
 * lock that a killed Ponder left, for which the next would wait 25 s. The caller holds the folder's own lock.
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
