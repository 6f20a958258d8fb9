import type { CoreDeps } from "../platform/server/core.ts";
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
 * Wrap everything that another key-encryption key wraps with the current one; in the embedded default, with one that is made for
 * it, and destroy the old. After a stop at any moment everything opens, and the next run goes on.
 * @returns how many group secrets and upload keys were wrapped anew
 * @throws RotationRefusedError when other processes may hold the old key alone
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
      "Other processes may work on this database with the old key. Set VFS_KEK and VFS_KEK_PREVIOUS for all of them first.",
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
