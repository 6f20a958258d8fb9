import { randomBytes } from "node:crypto";
import { link, mkdir, open, readFile, rename, unlink, writeFile } from "node:fs/promises";
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
  const path = pathOf(dataDir, name);
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

/** Read `dataDir`/keys/`name`.key, one secret per line; none when the file does not exist. */
export async function readSecretLines(dataDir: string, name: string): Promise<string[]> {
  const text = await readIfThere(pathOf(dataDir, name));
  return text === undefined ? [] : text.split("\n").map((line) => line.trim());
}

/** Replace a file of secrets atomically, even on a loss of power, and overwrite its old bytes. It may be new. */
export async function replaceSecret(dataDir: string, name: string, lines: readonly string[]): Promise<void> {
  const path = pathOf(dataDir, name);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.draft`;
  const file = await open(draft, "w", 0o600);
  await file.writeFile(`${lines.join("\n")}\n`);
  await file.sync();
  await file.close();
  const old = await open(path, "r+").catch((error: unknown) => {
    if (!isCode(error, "ENOENT")) throw error;
  });
  try {
    await rename(draft, path);
    const folder = await open(dirname(path), "r");
    await folder.sync();
    await folder.close();
    if (old === undefined) return;
    const { size } = await old.stat();
    await old.write(randomBytes(size), 0, size, 0);
    await old.sync();
  } finally {
    await old?.close();
  }
}

const pathOf = (dataDir: string, name: string) => join(dataDir, "keys", `${name}.key`);

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
