import type { CoreDeps } from "../platform/server/index.ts";
import { openBlobs } from "./blobs/open-blobs.ts";
import type { FileStoreConfig } from "./configuration.ts";
import { FileKeys } from "./keys/file-keys.ts";
import { beginRotation, endRotation, openKeyEncryption } from "./keys/key-ring.ts";
import { rewrapUploadKeys } from "./uploads/upload-keys.ts";

export class RotationRefusedError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "RotationRefusedError";
  }
}

/**
 * Rewrap everything with the current key-encryption key. If the keys are in the data folder, create a new key first, and destroy
 * the old one at the end. If the process stops at any point, everything can still be decrypted, and the next run continues.
 * @returns how many group secrets and upload keys were rewrapped @throws RotationRefusedError when other processes may have only
 * the old key
 */
export async function rotateKek({
  config,
  db,
  clock,
  exclusive,
}: Pick<CoreDeps<FileStoreConfig>, "config" | "db" | "clock" | "exclusive">): Promise<{
  secrets: number;
  uploads: number;
}> {
  const inFolder = config.files.kek.current === undefined;
  if (inFolder && !exclusive) {
    throw new RotationRefusedError(
      "Other processes may use this database with the old key. Set VFS_KEK and VFS_KEK_PREVIOUS for all of them first.",
    );
  }
  if (inFolder) await beginRotation(config.dataDir);
  const encryption = await openKeyEncryption(config);
  const blobs = await openBlobs(config.files.blobs);
  try {
    const keys = new FileKeys({ db, blobs, encryption, clock });
    await keys.sweep();
    const secrets = await keys.rewrapSecrets();
    const uploads = await rewrapUploadKeys({ blobs, encryption });
    if (inFolder) await endRotation(config.dataDir);
    return { secrets, uploads };
  } finally {
    await blobs.close();
  }
}
