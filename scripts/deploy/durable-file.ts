import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Write a file atomically: after a kill it is the old or the new one, never incomplete. */
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
}
