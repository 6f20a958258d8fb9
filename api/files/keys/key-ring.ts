import { randomBytes } from "node:crypto";
import { mkdir, open, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadOrCreateSecret } from "../../platform/secrets.ts";
import type { FilesConfig } from "../configuration.ts";
import { createKeyEncryption, type KeyEncryption } from "./key-encryption.ts";

const name = "vfs-kek";

/** Open key encryption with the configured keys, or else with the keys in `dataDir`/keys, which are created on first use. */
export async function openKeyEncryption({
  dataDir,
  files,
}: {
  dataDir: string;
  files: Pick<FilesConfig, "kek">;
}): Promise<KeyEncryption> {
  const { current, previous } = files.kek;
  if (current !== undefined) return createKeyEncryption([current, ...previous]);
  return createKeyEncryption(await keysInFolder(dataDir));
}

/** Read `dataDir`/keys/vfs-kek.key, one key per line: the current one, then older ones of an unfinished rotation. */
export async function keysInFolder(dataDir: string): Promise<string[]> {
  const text = await loadOrCreateSecret(dataDir, name);
  return text.split("\n").map((line) => line.trim());
}

/** Prepend a new key, unless an interrupted rotation has already done so. */
export async function beginRotation(dataDir: string): Promise<void> {
  const keys = await keysInFolder(dataDir);
  if (keys.length === 1) await replaceKeys(dataDir, [randomBytes(32).toString("hex"), ...keys]);
}

/** Keep only the current key, and destroy the others. */
export async function endRotation(dataDir: string): Promise<void> {
  const [current = ""] = await keysInFolder(dataDir);
  await replaceKeys(dataDir, [current]);
}

/** Replace the file atomically, even on a loss of power, and overwrite its old bytes. */
async function replaceKeys(dataDir: string, keys: readonly string[]): Promise<void> {
  const path = join(dataDir, "keys", `${name}.key`);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.draft`;
  const file = await open(draft, "w", 0o600);
  await file.writeFile(`${keys.join("\n")}\n`);
  await file.sync();
  await file.close();
  const { length } = await readFile(path);
  const old = await open(path, "r+");
  try {
    await rename(draft, path);
    const folder = await open(dirname(path), "r");
    await folder.sync();
    await folder.close();
    await old.write(randomBytes(length), 0, length, 0);
    await old.sync();
  } finally {
    await old.close();
  }
}
