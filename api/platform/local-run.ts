import { chmod, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** What a running server leaves for the command line on the same machine, owner-readable only. */
export type RunFile = {
  pid: number;
  url: string;
  /** Acts as admin until that server stops. */
  operatorKey: string;
};

const runPath = (dataDir: string) => join(dataDir, "run", "api.json");
const adminKeyPath = (dataDir: string) => join(dataDir, "run", "first-admin-key");

async function writePrivate(path: string, text: string): Promise<void> {
  await mkdir(join(path, ".."), { recursive: true, mode: 0o700 });
  await writeFile(path, text, { mode: 0o600 });
  // The mode above does not touch a file that an earlier run left.
  await chmod(path, 0o600);
}

export async function writeRunFile(dataDir: string, run: RunFile): Promise<void> {
  await writePrivate(runPath(dataDir), JSON.stringify(run));
}

export async function removeRunFile(dataDir: string): Promise<void> {
  await rm(runPath(dataDir), { force: true });
}

/** The running server's file, or undefined when there is none. It may be a killed server's: ask before you trust it. */
export async function readRunFile(dataDir: string): Promise<RunFile | undefined> {
  try {
    return JSON.parse(await readFile(runPath(dataDir), "utf8")) as RunFile;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

/** Put the first admin key where the one who shows it finds it, before the key is made: a kill in between loses nothing. */
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
