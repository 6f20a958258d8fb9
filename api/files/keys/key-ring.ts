import { join } from "node:path";
import type { Config } from "../../config.ts";
import { loadOrCreateSecret } from "../../secrets.ts";
import { createKeyEncryption, type KeyEncryption } from "./key-encryption.ts";

const name = "vfs-kek";

/** Key encryption with the configured keys, or with those of `dataDir`/keys, made on first use. */
export async function openKeyEncryption({ dataDir, files }: Pick<Config, "dataDir" | "files">): Promise<KeyEncryption> {
  const { current, previous } = files.kek;
  if (current !== undefined) return createKeyEncryption([current, ...previous]);
  return createKeyEncryption(await keysInFolder(dataDir));
}

/** The keys of `dataDir`/keys/vfs-kek.key, one a line; the first is the current one. */
export async function keysInFolder(dataDir: string): Promise<string[]> {
  const text = await loadOrCreateSecret(dataDir, name);
  return text.split(/\s+/).filter((line) => line !== "");
}

export function kekPath(dataDir: string): string {
  return join(dataDir, "keys", `${name}.key`);
}
