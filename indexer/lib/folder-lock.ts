import { rmSync } from "node:fs";
import { join } from "node:path";
import { tryLock } from "../../scripts/process-lock.cjs";

/**
 * Lock the folder for this process: PGlite has no lock, and two processes in one folder lose rows silently.
 * @returns the release
 * @throws Error that names a living owner
 */
export function lockFolder(folder: string): () => void {
  const file = join(folder, "lock");
  const lock = tryLock(file);
  if (lock.release !== undefined) return lock.release;
  const { pid } = lock.owner;
  // Ponder reads its configuration again in the same process.
  if (pid === process.pid) return () => rmSync(file, { force: true });
  throw new Error(`The indexer's folder ${folder} is in use by process ${pid}`);
}
