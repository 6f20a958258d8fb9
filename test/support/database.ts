import { createHash } from "node:crypto";
import { cpSync } from "node:fs";
import { mkdtemp, readdir, readFile, rename, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { openDatabase } from "../../api/platform/db/client.ts";
import { exists } from "../../scripts/disk-files.ts";

const migrations = fileURLToPath(new URL("../../api/migrations", import.meta.url));

/**
 * Put an empty, migrated database into a new DATA_DIR. Making one costs seconds of processor time, so it is made once per
 * machine, set of migrations and version of PGlite, and copied.
 */
export async function placeDatabase(dataDir: string): Promise<void> {
  const template = join(tmpdir(), `hearth-api-db-${await fingerprint()}`);
  if (!(await exists(template))) await makeTemplate(template);
  // A thousand small files: the synchronous form copies them in an eighth of the processor time.
  cpSync(template, join(dataDir, "api-db"), { recursive: true });
}

async function makeTemplate(template: string): Promise<void> {
  const draft = await mkdtemp(join(tmpdir(), "hearth-api-db-draft-"));
  const { close } = await openDatabase({ dataDir: draft, databaseUrl: undefined });
  await close();
  try {
    await rename(join(draft, "api-db"), template);
  } catch (error) {
    // Another test was faster; its template is the same.
    if (!(await exists(template))) throw error;
  }
  await rm(draft, { recursive: true, force: true });
}

async function fingerprint(): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(migrations)).filter((each) => each.endsWith(".sql")).sort()) {
    hash.update(name).update(await readFile(join(migrations, name)));
  }
  const pglite = createRequire(import.meta.url).resolve("@electric-sql/pglite");
  return hash
    .update(await readFile(join(pglite, "../../package.json")))
    .digest("hex")
    .slice(0, 16);
}
