import { randomBytes } from "node:crypto";
import { loadOrCreateSecret, replaceSecret } from "../../platform/secrets.ts";
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
  if (keys.length === 1) await replaceSecret(dataDir, name, [randomBytes(32).toString("hex"), ...keys]);
}

/** Keep only the current key, and destroy the others. */
export async function endRotation(dataDir: string): Promise<void> {
  const [current = ""] = await keysInFolder(dataDir);
  await replaceSecret(dataDir, name, [current]);
}
