import { randomBytes } from "node:crypto";
import { readConfig } from "../../../api/config.ts";
import type { BlobStore } from "../../../api/files/blobs/blob-store.ts";
import { openBlobs } from "../../../api/files/blobs/open-blobs.ts";
import { FileKeys } from "../../../api/files/keys/file-keys.ts";
import { createKeyEncryption } from "../../../api/files/keys/key-encryption.ts";
import { openTestCore, type TestCore } from "../core.ts";

export type TestKeys = TestCore & {
  blobs: BlobStore;
  kek: string;
  /** The keys as another process would open them. */
  openKeys: (keks?: string[]) => FileKeys;
};

/** For tests: what file keys need, on a real database and folder that `close` removes. */
export async function openTestKeys(env: Record<string, string> = {}): Promise<TestKeys> {
  const core = await openTestCore(env);
  const { dataDir } = core.config;
  const blobs = await openBlobs(readConfig({ DATA_DIR: dataDir, ...env }).files.blobs);
  const kek = randomBytes(32).toString("hex");
  const { db, clock } = core.deps;
  const openKeys = (keks = [kek]) => new FileKeys({ db, blobs, encryption: createKeyEncryption(keks), clock });
  return { ...core, blobs, kek, openKeys };
}

export async function listKeys(blobs: BlobStore, prefix: string): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of blobs.list(prefix)) keys.push(key);
  return keys.sort();
}
