import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Config } from "../../api/config.ts";
import { openBlobs } from "../../api/files/blobs/open-blobs.ts";
import { exists } from "../disk-files.ts";
import { BlobCopies } from "./blobs.ts";
import { databaseKind, dumpDatabase } from "./database.ts";
import {
  blobListFile,
  chainFile,
  databaseFile,
  deploymentFile,
  type Manifest,
  manifestFile,
  programVersion,
  readUnfinished,
  unfinishedFile,
  writeJson,
} from "./manifest.ts";
import { BackupError, type BackupPlace } from "./place.ts";
import type { Progress } from "./progress.ts";
import { secretReferences, systemOf } from "./secrets.ts";

export type BackupOptions = {
  config: Config;
  place: BackupPlace;
  /** False when PostgreSQL is backed up by its own tools. */
  withDatabase: boolean;
  progress: Progress;
};

/**
 * Copy the whole system while it runs. The chain is copied before the database: a transaction that the copied database has and the
 * copied chain lacks is sent again at the next start.
 * @throws BackupError when the place holds something else or a part cannot be copied
 */
export async function takeBackup({ config, place, withDatabase, progress }: BackupOptions): Promise<Manifest> {
  const secrets = secretReferences(config);
  const system = systemOf(secrets);
  const startedAt = await begin(place, system, progress);
  const files: Manifest["files"] = {};
  const blobs = await openBlobs(config.files.blobs);
  const copies = new BlobCopies(blobs, place, progress);
  try {
    progress.step("files: copying the blobs");
    await copies.pass();
    const database = await copyState({ config, place, withDatabase, progress, files });
    progress.step("files: copying the blobs that were added meanwhile");
    await copies.pass();
    files[blobListFile] = await copies.storeList();
    const { embedded, chainId } = config.chain;
    const manifest: Manifest = {
      format: 1,
      version: programVersion,
      startedAt,
      endedAt: new Date().toISOString(),
      system,
      chain: { embedded, chainId },
      ...(database === undefined ? {} : { database }),
      blobs: { count: copies.count, bytes: copies.bytes },
      secrets,
      files,
    };
    await writeJson(place, manifestFile, manifest);
    await place.remove(unfinishedFile);
    return manifest;
  } finally {
    await copies.close();
    await blobs.close();
  }
}

/** Mark the place as unfinished, or find the mark of an interrupted backup of this system. */
async function begin(place: BackupPlace, system: string, progress: Progress): Promise<string> {
  if ((await place.sizeOf(manifestFile)) !== undefined)
    throw new BackupError(`${place.name} has a complete backup already: give each backup a new folder or prefix.`);
  const earlier = await readUnfinished(place);
  if (earlier !== undefined && earlier.system !== system)
    throw new BackupError(`${place.name} has an unfinished backup of another system: choose another place.`);
  if (earlier === undefined && !(await place.isEmpty()))
    throw new BackupError(`${place.name} is not empty: give each backup a new folder or prefix.`);
  if (earlier !== undefined) progress.step(`continuing the backup that began at ${earlier.startedAt}`);
  const startedAt = new Date().toISOString();
  await writeJson(place, unfinishedFile, { format: 1, startedAt, system });
  return startedAt;
}

type CopyState = BackupOptions & { files: Manifest["files"] };

/** Copy the deployment, the embedded chain, and directly after it the database. */
async function copyState({ config, place, withDatabase, progress, files }: CopyState): Promise<Manifest["database"]> {
  if (await exists(config.chain.deployment))
    files[deploymentFile] = await place.put(deploymentFile, createReadStream(config.chain.deployment));
  if (config.chain.embedded) {
    progress.step("chain: copying its state");
    files[chainFile] = await place.put(chainFile, await openChainState(join(config.dataDir, "chain")));
  }
  if (!withDatabase) return undefined;
  progress.step("database: copying");
  const dump = await dumpDatabase(config);
  try {
    files[databaseFile] = await place.put(databaseFile, dump.bytes);
    return { kind: databaseKind(config), migration: dump.migration };
  } finally {
    await dump.close();
  }
}

/** Open the newest dump. For a moment of each save there is only the previous one. */
async function openChainState(folder: string): Promise<AsyncIterable<Uint8Array>> {
  for (const name of ["state.json.gz", "state.previous.json.gz"]) {
    const file = await open(join(folder, name)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== "ENOENT") throw error;
    });
    if (file !== undefined) return file.createReadStream();
  }
  throw new BackupError(`There is no chain in ${folder}: start Hearth once before the first backup.`);
}
