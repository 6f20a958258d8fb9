import { chmodSync, mkdtempSync, readdirSync, rmSync, statfsSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const prefix = "hearth-test-";
/** The most that all tests together store in temporary folders, and what they need in addition, in bytes. */
const roomForFiles = 4 * 1024 ** 3;
const roomForPrograms = 4 * 1024 ** 3;

/**
 * Make the folder in which one run of the tests keeps everything temporary, so that nothing is left afterwards. It is in
 * memory if there is plenty: each database has a thousand small files, and the disk would take half of a test's time.
 */
export function makeTestFolder(inMemory: boolean): { folder: string; remove: () => void } {
  const parent = inMemory && process.env.TMPDIR === undefined && hasMemoryToSpare() ? "/dev/shm" : tmpdir();
  removeForsaken(parent);
  const folder = mkdtempSync(join(parent, `${prefix}${process.pid}-`));
  // The tests' PostgreSQL runs as another user, who needs access.
  chmodSync(folder, 0o711);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }) };
}

/** Remove the folders of killed runs. */
function removeForsaken(parent: string): void {
  for (const name of readdirSync(parent).filter((each) => each.startsWith(prefix))) {
    const owner = Number(name.slice(prefix.length).split("-")[0]);
    const isOurs = statSync(join(parent, name)).uid === process.getuid?.();
    if (isOurs && owner > 0 && !isAlive(owner)) rmSync(join(parent, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // Any other error means that the process lives and belongs to another user.
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

function hasMemoryToSpare(): boolean {
  try {
    const { bavail, bsize } = statfsSync("/dev/shm");
    return bavail * bsize >= roomForFiles && process.availableMemory() >= roomForFiles + roomForPrograms;
  } catch {
    // Not every system has it.
    return false;
  }
}
