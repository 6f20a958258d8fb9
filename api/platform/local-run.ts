import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** File that a running server writes for the command line on the same machine; only its owner can read it. */
export type RunFile = {
  pid: number;
  url: string;
  /** API key that acts as admin until the server stops. */
  operatorKey: string;
};

const runPath = (dataDir: string) => join(dataDir, "run", "api.json");
const adminKeyPath = (dataDir: string) => join(dataDir, "run", "first-admin-key");
/** Where a running server puts the copy of its embedded database that a backup asked for. */
export const databaseCopyFolder = (dataDir: string): string => join(dataDir, "run", "database-copy");

async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  // By a draft: nobody reads half a file, and another server in the same folder may remove the one that is there.
  const draft = `${path}.${process.pid}`;
  await rm(draft, { force: true });
  await writeFile(draft, text, { mode: 0o600 });
  await rename(draft, path);
}

export async function writeRunFile(dataDir: string, run: RunFile): Promise<void> {
  await writePrivate(runPath(dataDir), JSON.stringify(run));
}

/** Remove this process's file. Another server in the same folder keeps its own. */
export async function removeRunFile(dataDir: string): Promise<void> {
  const run = await readRunFile(dataDir);
  if (run === undefined || run.pid === process.pid) await rm(runPath(dataDir), { force: true });
}

/** Read the running server's file; undefined without one. A killed server may have left it: check that the server answers. */
export async function readRunFile(dataDir: string): Promise<RunFile | undefined> {
  try {
    return JSON.parse(await readFile(runPath(dataDir), "utf8")) as RunFile;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Write the first admin key to the file from which it is shown, before it is stored: a kill in between loses nothing. */
export async function writeFirstAdminKey(dataDir: string, key: string): Promise<void> {
  await writePrivate(adminKeyPath(dataDir), `${key}\n`);
}

export async function readFirstAdminKey(dataDir: string): Promise<string | undefined> {
  try {
    return (await readFile(adminKeyPath(dataDir), "utf8")).trim();
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

export async function removeFirstAdminKey(dataDir: string): Promise<void> {
  await rm(adminKeyPath(dataDir), { force: true });
}
