import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { drizzle as drizzlePostgres, type NodePgDatabase } from "drizzle-orm/node-postgres";
import { migrate as migratePostgres } from "drizzle-orm/node-postgres/migrator";
import type pg from "pg";
import { tryLock } from "../../../scripts/process-lock.cjs";
import type { PlatformConfig } from "../config.ts";
import type { Log } from "../log.ts";
import { createEmbedded } from "./create-embedded.ts";
import { migrationsFolder } from "./migrations-folder.ts";
import { PostgresPool } from "./postgres-pool.ts";
import { refuseUnfinishedRestore } from "./unfinished-restore.ts";

/**
 * The API's database: one schema and one set of migrations for PGlite and PostgreSQL. Both drivers return `{rows}` from `execute`.
 * They report the number of written rows differently, so count the rows of `.returning()`.
 */
export type Database = NodePgDatabase;
/** The argument of `db.transaction`'s callback. */
export type Transaction = Parameters<Parameters<Database["transaction"]>[0]>[0];

export type OpenDatabase = {
  db: Database;
  /** True when this process alone can reach the database: the embedded default. */
  exclusive: boolean;
  /** The connection pool, when the database is PostgreSQL. */
  pool: pg.Pool | undefined;
  /** Copy the embedded database to a new folder while it is used; undefined for PostgreSQL. */
  copyTo: ((folder: string) => Promise<void>) | undefined;
  close: () => Promise<void>;
};

/**
 * PostgreSQL allocates its cache at the start, by default 128 MB. The operating system caches the files too, so a single connection
 * needs little of it.
 */
const sharedBuffers = ["-c", "shared_buffers=16MB"];

/** Advisory lock during migrations, so that processes that start together run them once. Any fixed number. */
const migrationLock = 4_729_311;

/** Thrown when another running process holds the embedded database. */
export class DatabaseLockedError extends Error {
  readonly pid: number;

  constructor(folder: string, pid: number) {
    super(
      `The database in ${folder} is in use by process ${pid}. Stop it first, or set DATABASE_URL to share one PostgreSQL.`,
    );
    this.name = "DatabaseLockedError";
    this.pid = pid;
  }
}

/** Open the configured database and run its migrations. @throws DatabaseLockedError */
export async function openDatabase(
  config: Pick<PlatformConfig, "dataDir" | "databaseUrl">,
  log?: Log,
): Promise<OpenDatabase> {
  refuseUnfinishedRestore(config.dataDir);
  return config.databaseUrl === undefined ? openEmbedded(config.dataDir) : openPostgres(config.databaseUrl, log);
}

async function openEmbedded(dataDir: string): Promise<OpenDatabase> {
  const folder = join(dataDir, "api-db");
  await mkdir(dataDir, { recursive: true });
  // PGlite lets a second process open the folder and then loses rows without an error.
  const lock = tryLock(`${folder}.lock`);
  if (lock.release === undefined) throw new DatabaseLockedError(folder, lock.owner.pid);
  try {
    await createEmbedded(folder);
    // Processes on PostgreSQL never load these.
    const { PreparedPglite } = await import("./prepared-pglite.ts");
    const { drizzle } = await import("drizzle-orm/pglite");
    const { migrate } = await import("drizzle-orm/pglite/migrator");
    const client = new PreparedPglite(folder, {
      startParams: [...PreparedPglite.defaultStartParams, ...sharedBuffers],
    });
    await client.waitReady;
    const db = drizzle(client);
    await migrate(db, { migrationsFolder });
    const close = async () => {
      await client.close();
      lock.release();
    };
    const copyTo = (copy: string) => client.copyTo(copy);
    return { db: db as unknown as Database, exclusive: true, pool: undefined, copyTo, close };
  } catch (error) {
    lock.release();
    throw error;
  }
}

async function openPostgres(url: string, log: Log | undefined): Promise<OpenDatabase> {
  const pool = new PostgresPool({ connectionString: url, max: 20 }, log);
  const migrator = await pool.connect();
  try {
    await migrator.query("select pg_advisory_lock($1)", [migrationLock]);
    await migratePostgres(drizzlePostgres(migrator), { migrationsFolder });
  } catch (error) {
    migrator.release(true);
    await pool.end();
    throw error;
  }
  await migrator.query("select pg_advisory_unlock($1)", [migrationLock]);
  migrator.release();
  return { db: drizzlePostgres(pool), exclusive: false, pool, copyTo: undefined, close: () => pool.end() };
}
