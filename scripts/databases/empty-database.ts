import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { fillFolder, type KeptFolder, keepFolder, versionOf } from "./kept-folder.ts";

const programs = {
  empty: fileURLToPath(new URL("make-empty.ts", import.meta.url)),
  archive: fileURLToPath(new URL("make-archive.ts", import.meta.url)),
};
const archiveName = "database.tar";

/**
 * Run a program that opens PGlite for a short time, in a separate process, whose end frees the memory that compiling PostgreSQL
 * takes. It skips optimization, which takes longer than it saves.
 */
export async function runBriefly(program: string, args: readonly string[]): Promise<void> {
  await promisify(execFile)(process.execPath, ["--liftoff-only", program, ...args]);
}

/** Version of a PGlite: another may not be able to read its files. @param pglite URL of its entry, a file in `dist` */
export function pgliteVersion(pglite: string): string {
  const { version } = JSON.parse(readFileSync(new URL("../package.json", pglite), "utf8")) as { version: string };
  return version;
}

/** An embedded database without tables. Creating one takes PGlite 4 s of processor time, a copy 0.1 s. */
export function emptyDatabase(pglite: string): KeptFolder {
  return {
    name: "empty-database",
    version: versionOf([pgliteVersion(pglite)], [programs.empty]),
    make: (folder) => runBriefly(programs.empty, [pglite, folder]),
  };
}

/**
 * Read the archive of an empty database, for PGlite's `loadDataDir`: a database in memory then starts in a third of the time.
 * @returns undefined where nothing can be stored; PGlite then creates the database
 */
export async function readEmptyArchive(pglite: string, cache?: string): Promise<Blob | undefined> {
  const empty = emptyDatabase(pglite);
  const archive: KeptFolder = {
    name: "empty-archive",
    version: versionOf([empty.version], [programs.archive]),
    async make(folder) {
      const database = join(folder, "database");
      await mkdir(database);
      await fillFolder(database, empty, cache);
      await runBriefly(programs.archive, [pglite, database, join(folder, archiveName)]);
    },
  };
  const kept = await keepFolder(archive, cache);
  return kept === undefined ? undefined : new Blob([await readFile(join(kept, archiveName))]);
}
