import { join } from "node:path";
import { ConfigError } from "../platform/config-error.ts";
import { openIdentity } from "../platform/identity/index.ts";
import type { FileStore } from "../platform/ports/files.ts";
import { Audit } from "./audit/audit.ts";
import { openBlobs } from "./blobs/open-blobs.ts";
import type { FileDeps, FileParts } from "./deps.ts";
import { createFileStore } from "./file-store.ts";
import { FileKeys } from "./keys/file-keys.ts";
import { openKeyEncryption } from "./keys/key-ring.ts";
import { finishPurges } from "./purge/finish-purges.ts";
import { Lookup } from "./records/lookup.ts";
import { Committer } from "./write/commit/committer.ts";

export type FilesOptions = Pick<FileParts, "step"> & {
  /** True: do not repair what a crash interrupted, so that fsck finds it. */
  asFound?: boolean;
};

/** Most concurrent shared transactions if the database has several connections. */
const sharedLanes = 3;

export type OpenFiles = {
  files: FileParts;
  /** The file store's port for other features. */
  store: FileStore;
  close: () => Promise<void>;
};

/**
 * Open the file store, and finish what a crash interrupted.
 * @throws ConfigError when VFS_KEK does not open the stored keys; Error when the blob store does not answer
 */
export async function openFiles(core: Omit<FileDeps, "files">, options: FilesOptions = {}): Promise<OpenFiles> {
  const { config, db, clock, log, exclusive } = core;
  const blobs = await openBlobs(config.files.blobs, clock);
  const encryption = await openKeyEncryption(config);
  const keys = new FileKeys({ db, blobs, encryption, clock });
  const audit = new Audit({ db, clock, log, readSample: config.files.auditReadSample });
  const { step } = options;
  const committer = new Committer({ db, log, lanes: exclusive ? 1 : sharedLanes, step });
  const identity = await openIdentity(config);
  const close = async () => {
    await committer.drain();
    await audit.close();
    await blobs.close();
  };
  const files: FileParts = {
    blobs,
    encryption,
    keys,
    audit,
    identity,
    lookup: new Lookup(db),
    committer,
    step,
  };
  if (options.asFound !== true) {
    await requireKek(keys);
    await blobs.collectLeftovers(leftoverAge(core));
    await keys.sweep();
    await finishPurges({ db, files });
  }
  return { files, store: createFileStore({ ...core, files }), close };
}

async function requireKek(keys: FileKeys): Promise<void> {
  if (await keys.opensSecrets()) return;
  const message =
    "does not decrypt the files' keys: it is not the key (or DATA_DIR/keys/vfs-kek.key is not the file) that wrapped them. During a rotation, VFS_KEK_PREVIOUS must be the previous key";
  throw new ConfigError([{ path: "VFS_KEK", rule: "configuration", message }]);
}

/**
 * Minimum age in milliseconds of leftovers that are removed. Other processes may be writing, except into the folder that only
 * this process uses.
 */
function leftoverAge({ config: { dataDir, files }, exclusive }: Omit<FileDeps, "files">): number {
  const own = exclusive && files.blobs.kind === "disk" && files.blobs.folder.startsWith(join(dataDir, "/"));
  return own ? 0 : 86_400_000;
}
