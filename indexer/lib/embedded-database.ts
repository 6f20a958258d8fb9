import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

type Database = { query<T>(sql: string): Promise<{ rows: T[] }>; close(): Promise<void> };

const ponder = createRequire(import.meta.resolve("ponder"));

/** Version of the PGlite that Ponder finds: another may not be able to read its files. */
export function pgliteVersion(): string {
  const file = join(dirname(ponder.resolve("@electric-sql/pglite")), "..", "package.json");
  return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version;
}

/** PGlite as Ponder finds it. */
async function openDatabase(folder: string): Promise<Database> {
  const { PGlite } = await import(pathToFileURL(ponder.resolve("@electric-sql/pglite")).href);
  return new PGlite(join(folder, "pglite"));
}

const draftName = "draft-";
const maker = fileURLToPath(new URL("make-database.ts", import.meta.url));

/**
 * Create the embedded database in a separate process, whose end frees the memory that compiling PostgreSQL's set-up takes. It
 * skips optimization, which takes longer than it saves. A process that a killed start left running writes into a separate folder.
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

/** PostgreSQL allocates its cache at the start, 128 MB by default; the system caches the files anyway. */
export async function makeDatabase(folder: string): Promise<void> {
  const database = await openDatabase(folder);
  await database.query("alter system set shared_buffers = '16MB'");
  await database.close();
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
