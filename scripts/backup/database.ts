import { spawn } from "node:child_process";
import { once } from "node:events";
import { cp, mkdir, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { PGlite } from "@electric-sql/pglite";
import pg from "pg";
import type { Config } from "../../api/config.ts";
import { databaseCopyFolder, readRunFile } from "../../api/platform/local-run.ts";
import { exists } from "../disk-files.ts";
import { tryLock } from "../process-lock.cjs";
import type { Manifest } from "./manifest.ts";
import { BackupError } from "./place.ts";

export type DatabaseKind = NonNullable<Manifest["database"]>["kind"];
export const databaseKind = (config: Config): DatabaseKind =>
  config.databaseUrl === undefined ? "embedded" : "postgresql";

/** A consistent state of the database as one stream, while the service runs. */
export type DatabaseDump = { migration: number; bytes: AsyncIterable<Uint8Array>; close: () => Promise<void> };

/** @throws BackupError when the database cannot be copied */
export async function dumpDatabase(config: Config): Promise<DatabaseDump> {
  return config.databaseUrl === undefined ? await dumpEmbedded(config.dataDir) : await dumpPostgres(config.databaseUrl);
}

const newestMigration = "select max(created_at)::text as migration from drizzle.__drizzle_migrations";

/** Until the dump is closed no other backup of the folder may begin: it would replace the copy that this one still reads. */
async function dumpEmbedded(dataDir: string): Promise<DatabaseDump> {
  const { release, owner } = tryLock(join(dataDir, "database-copy.lock"));
  if (release === undefined)
    throw new BackupError(`Process ${owner.pid} is copying this database: try again when its backup has ended.`);
  try {
    const { folder, migration } = await copyEmbedded(dataDir);
    const bytes = output("tar", ["-C", folder, "-czf", "-", "api-db"], {});
    return { migration, bytes, close: () => rm(folder, { recursive: true, force: true }).finally(release) };
  } catch (error) {
    release();
    throw error;
  }
}

type EmbeddedCopy = { folder: string; migration: number };

/** Copy the embedded database: the running API does it; a database that nobody uses is copied directly. */
async function copyEmbedded(dataDir: string): Promise<EmbeddedCopy> {
  const source = join(dataDir, "api-db");
  if (!(await exists(source)))
    throw new BackupError(`There is no database in ${source}: set DATA_DIR to the system that you mean.`);
  const lock = tryLock(`${source}.lock`);
  if (lock.release === undefined) return await askForCopy(dataDir, lock.owner.pid);
  try {
    const folder = databaseCopyFolder(dataDir);
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await cp(source, join(folder, "api-db"), { recursive: true });
    return { folder, migration: await migrationOf(folder) };
  } finally {
    lock.release();
  }
}

/** Opening a database writes, so a copy of the copy is opened. */
async function migrationOf(folder: string): Promise<number> {
  const opened = join(folder, "opened");
  await cp(join(folder, "api-db"), opened, { recursive: true });
  const database = await PGlite.create(opened);
  const { rows } = await database.query<{ migration: string }>(newestMigration);
  await database.close();
  return Number(rows[0]?.migration);
}

async function askForCopy(dataDir: string, pid: number): Promise<EmbeddedCopy> {
  const run = await readRunFile(dataDir);
  if (run?.pid !== pid)
    throw new BackupError(`Process ${pid} uses the database, but no API is ready: try again when it is.`);
  const answer = await fetch(`${run.url}/v1/admin/database/copy`, {
    method: "POST",
    headers: { authorization: `Bearer ${run.operatorKey}` },
  });
  const body = (await answer.json()) as EmbeddedCopy;
  if (answer.status !== 201)
    throw new BackupError(`The API did not copy its database (${answer.status}): ${JSON.stringify(body)}`);
  return body;
}

async function dumpPostgres(url: string): Promise<DatabaseDump> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ migration: string }>(newestMigration).finally(() => client.end());
  const { env, url: open } = withoutPassword(url);
  const bytes = output("pg_dump", ["--format=custom", "--no-owner", "--no-privileges", `--dbname=${open}`], env);
  return { migration: Number(rows[0]?.migration), bytes, close: async () => {} };
}

/** @throws BackupError naming what is there, when the database is not empty */
export async function requireEmptyDatabase({ databaseUrl }: Config): Promise<void> {
  if (databaseUrl === undefined) return;
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const own = "n.nspname not like 'pg\\_%' and n.nspname <> 'information_schema' and c.relkind in ('r', 'p', 'v', 'S')";
  const { rows } = await client
    .query<{ tables: number }>(
      `select count(*)::int as tables from pg_class c join pg_namespace n on n.oid = c.relnamespace where ${own}`,
    )
    .finally(() => client.end());
  if (rows[0]?.tables !== 0)
    throw new BackupError("The database that DATABASE_URL names is not empty: give a new one.");
}

/** True when the database is there: an interrupted restore may have ended after its last step. */
export async function isRestored({ databaseUrl, dataDir }: Config): Promise<boolean> {
  if (databaseUrl === undefined) return await exists(join(dataDir, "api-db"));
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  const { rows } = await client
    .query<{ there: boolean }>("select to_regclass('drizzle.__drizzle_migrations') is not null as there")
    .finally(() => client.end());
  return rows[0]?.there === true;
}

/**
 * Restore a dump into an empty database. PostgreSQL takes it in one transaction; the embedded database gets its name when it is
 * whole.
 */
export async function restoreDatabase(config: Config, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  if (config.databaseUrl !== undefined) {
    const { env, url } = withoutPassword(config.databaseUrl);
    const options = ["--single-transaction", "--exit-on-error", "--no-owner", "--no-privileges"];
    return await input("pg_restore", [...options, `--dbname=${url}`], env, bytes);
  }
  const draft = join(config.dataDir, "api-db.restored");
  await rm(draft, { recursive: true, force: true });
  await mkdir(draft, { recursive: true, mode: 0o700 });
  await input("tar", ["-C", draft, "-xzf", "-"], {}, bytes);
  await rename(join(draft, "api-db"), join(config.dataDir, "api-db"));
  await rm(draft, { recursive: true });
}

/** Run a program and yield its output. @throws BackupError with its error output when it fails, before the end is reached */
async function* output(program: string, args: string[], env: NodeJS.ProcessEnv): AsyncGenerator<Uint8Array> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const ended = endOf(program, child);
  try {
    yield* child.stdout as Readable;
    await ended;
  } finally {
    child.kill();
    await ended.catch(() => {});
  }
}

async function input(
  program: string,
  args: string[],
  env: NodeJS.ProcessEnv,
  bytes: AsyncIterable<Uint8Array>,
): Promise<void> {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ["pipe", "ignore", "pipe"] });
  const ended = endOf(program, child);
  const written = pipeline(bytes, child.stdin);
  // A program that ends early breaks the pipe; its error output is the better reason. A damaged source must end it before its input does.
  const failed = await written.then(
    () => undefined,
    (error: NodeJS.ErrnoException) => error,
  );
  if (failed !== undefined && failed.code !== "EPIPE") {
    child.kill("SIGKILL");
    await ended.catch(() => {});
    throw failed;
  }
  await ended;
}

async function endOf(program: string, child: ReturnType<typeof spawn>): Promise<void> {
  let said = "";
  child.stderr?.on("data", (part) => {
    said = `${said}${part}`.slice(-4_000);
  });
  const [code] = await once(child, "close").catch((error: NodeJS.ErrnoException) => {
    if (error.code !== "ENOENT") throw error;
    throw new BackupError(
      `${program} is not on PATH: install the client programs of PostgreSQL, of the server's major version or newer.`,
    );
  });
  if (code !== 0) throw new BackupError(`${program} failed:\n${said.trim()}`);
}

/** Move the password into the environment: every user of the machine can read a program's arguments. */
function withoutPassword(text: string): { url: string; env: NodeJS.ProcessEnv } {
  const { password } = new pg.Client({ connectionString: text });
  const url = new URL(text);
  url.password = "";
  const parameters = new URLSearchParams(url.search);
  for (const secret of ["password", "sslpassword"]) parameters.delete(secret);
  // PostgreSQL's programs do not read a plus sign as a space.
  url.search = parameters.toString().replaceAll("+", "%20");
  return { url: url.href, env: password ? { PGPASSWORD: password } : {} };
}

/** Names of what is in a folder; none when there is no folder. */
export async function namesIn(folder: string): Promise<string[]> {
  return await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return [];
    throw error;
  });
}
