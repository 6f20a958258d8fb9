import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, rename, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const program = fileURLToPath(new URL("make-embedded.ts", import.meta.url));
/** Code that runs once is not worth a second, optimizing compilation: without it the work takes half the time and memory. */
const compileOnce = "--liftoff-only";

/**
 * Make the embedded database, with its tables, where there is none. In a process of its own: a server would keep the
 * memory of compiling PostgreSQL's set-up, and spend more on optimizing it. The folder is there whole or not at all. The caller
 * holds its lock.
 */
export async function createEmbedded(folder: string): Promise<void> {
  if (existsSync(folder)) return;
  await removeDrafts(folder);
  const draft = await mkdtemp(`${folder}.draft-`);
  await promisify(execFile)(process.execPath, [compileOnce, program, join(draft, "database")]);
  await rename(join(draft, "database"), folder);
  await rm(draft, { recursive: true });
}

/** What a start that was killed left behind; the process that it left is writing there perhaps. */
async function removeDrafts(folder: string): Promise<void> {
  const parent = dirname(folder);
  for (const name of await readdir(parent)) {
    if (name.startsWith(`${basename(folder)}.draft-`))
      await rm(join(parent, name), { recursive: true, force: true, maxRetries: 10 });
  }
}
