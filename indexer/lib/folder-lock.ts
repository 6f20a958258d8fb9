import { linkSync, mkdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Read when a process started; undefined when it has ended. Pids are reused, so a pid alone does not identify a process. */
function beganAt(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" ? undefined : fields[19];
  } catch {
    if (process.platform === "linux") return undefined;
  }
  try {
    process.kill(pid, 0);
    return "unknown";
  } catch {
    return undefined;
  }
}

/**
 * Lock the folder for this process: PGlite has no lock, and two processes in one folder lose rows silently. A lock of a process
 * that has ended is taken over. Returns the release. Throws an Error that names a living owner.
 */
export function lockFolder(folder: string): () => void {
  mkdirSync(folder, { recursive: true });
  const file = join(folder, "lock");
  const draft = `${file}.${process.pid}`;
  writeFileSync(draft, `${process.pid} ${beganAt(process.pid)}`);
  try {
    for (let attempt = 0; ; attempt += 1) {
      try {
        linkSync(draft, file);
        return () => rmSync(file, { force: true });
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
      }
      const [pid, began] = readFileSync(file, "utf8").split(" ");
      if (Number(pid) === process.pid) return () => rmSync(file, { force: true });
      if (beganAt(Number(pid)) === began || attempt > 10) {
        throw new Error(`The indexer's folder ${folder} is in use by process ${pid}`);
      }
      rmSync(file, { force: true });
    }
  } finally {
    unlinkSync(draft);
  }
}
