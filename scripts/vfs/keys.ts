import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { formatKey, generateKey, type Key, parseKey } from "../../api/platform/ucan/mint.ts";
import { UsageError } from "./client.ts";

/** Default path of the owner's key. */
export function defaultKeyPath(dataDir: string): string {
  return join(dataDir, "keys", "vfs-owner.key");
}

/** Read a key file. @throws UsageError when there is none, or it holds something else */
export async function readKey(path: string): Promise<Key> {
  const key = await readKeyIfThere(path);
  if (key === undefined) throw new UsageError(`There is no key at ${path}. \`npm run vfs -- key\` makes one.`);
  return key;
}

/** Read a key file, or create it: readable only by the owner, written atomically, never over another file. */
export async function loadOrCreateKey(path: string): Promise<{ key: Key; created: boolean }> {
  const kept = await readKeyIfThere(path);
  if (kept !== undefined) return { key: kept, created: false };
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, `${formatKey(await generateKey())}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    await unlink(draft);
  }
  return { key: await readKey(path), created: true };
}

async function readKeyIfThere(path: string): Promise<Key | undefined> {
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
  try {
    return parseKey(text);
  } catch {
    throw new UsageError(`${path} holds no key that \`npm run vfs -- key\` made.`);
  }
}
