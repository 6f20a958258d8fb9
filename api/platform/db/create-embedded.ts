import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const program = fileURLToPath(new URL("make-embedded.ts", import.meta.url));
/** Skip V8's optimizing compilation of WebAssembly that runs once: this halves time and memory. */
const compileOnce = "--liftoff-only";

/**
 * Create the embedded database with its tables if it does not exist. A separate process does so, because a server would keep the
 * memory of compiling PostgreSQL's set-up. A kill leaves no incomplete folder. The caller must hold the folder's lock.
 */
export async function createEmbedded(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await removeDrafts(folder);
  const draft = await mkdtemp(`${folder}.draft-`);
  await promisify(execFile)(process.execPath, [compileOnce, program, join(draft, "database")]);
  await rename(join(draft, "database"), folder);
  await rm(draft, { recursive: true });
}

/** Delete drafts of killed starts. A process of such a start may still be writing there. */
async function removeDrafts(folder: string): Promise<void> {
  const parent = dirname(folder);
  for (const name of await readdir(parent)) {
    if (name.startsWith(`${basename(folder)}.draft-`))
      await rm(join(parent, name), { recursive: true, force: true, maxRetries: 10 });
  }
}
