import { mkdir, open, rename } from "node:fs/promises";
import { dirname } from "node:path";

/** Write a file so that a kill leaves the old one or the new one, never half of it. */
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
