import { randomBytes } from "node:crypto";
import { link, mkdir, readFile, unlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

/**
 * Load the secret in `dataDir`/keys/`name`.key, or create it: `bytes` random bytes as hexadecimal, readable by the owner only.
 * Two processes that start together get the same secret.
 */
export async function loadOrCreateSecret(dataDir: string, name: string, bytes = 32): Promise<string> {
  return await loadOrCreateSecretText(dataDir, name, () => randomBytes(bytes).toString("hex"));
}

/** Load or create a secret like `loadOrCreateSecret`, with its text from `make`. */
export async function loadOrCreateSecretText(dataDir: string, name: string, make: () => string): Promise<string> {
  const path = join(dataDir, "keys", `${name}.key`);
  const kept = await readIfThere(path);
  if (kept !== undefined) return kept;
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Written to a draft and linked into place: no process reads half a secret, and the first of two processes wins.
  const draft = `${path}.${process.pid}.${randomBytes(4).toString("hex")}`;
  await writeFile(draft, `${make()}\n`, { mode: 0o600, flush: true });
  try {
    await link(draft, path);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
  } finally {
    await unlink(draft);
  }
  return (await readFile(path, "utf8")).trim();
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, "utf8")).trim();
  } catch (error) {
    if (isCode(error, "ENOENT")) return undefined;
    throw error;
  }
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && "code" in error && error.code === code;
}
