import { mkdir, open, rename, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** Whether there is something at a path. @throws when the disk cannot say */
export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return false;
      throw error;
    },
  );
}

/** Write a file atomically: after a kill or a loss of power it is the old or the new one, never incomplete. */
export async function writeDurably(path: string, text: string, mode: number): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const file = await open(`${path}.new`, "w", mode);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(`${path}.new`, path);
  await syncFolder(dirname(path));
}

/** Write the entries of a folder to the disk, so that a rename in it survives a loss of power. */
export async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
