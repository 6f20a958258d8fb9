import { existsSync, globSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { emptyDatabase, runBriefly } from "../../../scripts/databases/empty-database.ts";
import { fillFolder, type KeptFolder, placeFolder, versionOf } from "../../../scripts/databases/kept-folder.ts";
import { migrationsFolder } from "./migrations-folder.ts";

const program = fileURLToPath(new URL("run-migrations.ts", import.meta.url));

/** The API's database before its first use: all tables, without rows. */
function migratedDatabase(): KeptFolder {
  const empty = emptyDatabase(import.meta.resolve("@electric-sql/pglite"));
  const migrations = globSync("{*.sql,meta/_journal.json}", { cwd: migrationsFolder }).sort();
  const files = migrations.map((name) => join(migrationsFolder, name));
  return {
    name: "api-database",
    version: versionOf([empty.version, ...migrations], [program, ...files]),
    async make(folder) {
      await fillFolder(folder, empty);
      await runBriefly(program, [folder]);
    },
  };
}

/**
 * Create the embedded database with its tables if it does not exist, as a copy of one that is kept. A kill leaves no incomplete
 * folder. The caller must hold the folder's lock.
 */
export async function createEmbedded(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await placeFolder(folder, (draft) => fillFolder(draft, migratedDatabase()));
}
