import { createWriteStream } from "node:fs";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pipeline } from "node:stream/promises";
import type { Config } from "../../api/config.ts";
import type { BlobStore } from "../../api/files/blobs/blob-store.ts";
import { openBlobs } from "../../api/files/blobs/open-blobs.ts";
import { unfinishedRestoreFile } from "../../api/platform/db/index.ts";
import { exists } from "../disk-files.ts";
import { liveOwner } from "../process-lock.cjs";
import { checked, requireNoBlobs, restoreBlobs } from "./blobs.ts";
import { databaseKind, isRestored, namesIn, requireEmptyDatabase, restoreDatabase } from "./database.ts";
import { chainFile, databaseFile, deploymentFile, type Manifest, readManifest } from "./manifest.ts";
import { BackupError, type BackupPlace } from "./place.ts";
import type { Progress } from "./progress.ts";
import { requireSameSecrets } from "./secrets.ts";

export type RestoreOptions = {
  config: Config;
  place: BackupPlace;
  /** False when PostgreSQL was restored by its own tools. */
  withDatabase: boolean;
  progress: Progress;
};

/**
 * Restore a complete backup into an empty system. The backup and the target are checked before anything is written. The database
 * comes last, so that no service can use an incomplete system. An interrupted restore continues when it is run again.
 * @throws BackupError when the backup or the target is refused
 */
export async function restoreBackup({ config, place, withDatabase, progress }: RestoreOptions): Promise<Manifest> {
  const manifest = await readManifest(place);
  requireSameKind(manifest, config, withDatabase);
  const { dataDir } = config;
  const owner = liveOwner(join(dataDir, "lock")) ?? liveOwner(join(dataDir, "api-db.lock"));
  if (owner !== undefined) throw new BackupError(`Process ${owner.pid} uses ${dataDir}: stop Hearth first.`);
  requireSameSecrets(manifest, config);
  const blobs = await openBlobs(config.files.blobs);
  try {
    const continues = await isContinued(dataDir, manifest);
    if (!continues) await requireEmpty(config, blobs, withDatabase);
    progress.step("checking the hashes of the backup");
    await checkFiles(place, manifest);
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    const marker = JSON.stringify({ startedAt: manifest.startedAt, system: manifest.system });
    await writeFile(unfinishedRestoreFile(dataDir), marker, { mode: 0o600, flush: true });
    progress.step(`files: restoring ${manifest.blobs.count} blobs, ${(manifest.blobs.bytes / 1e6).toFixed(1)} MB`);
    await restoreBlobs(place, blobs, progress);
    await restoreChain(place, manifest, config);
    if (withDatabase && !(await isRestored(config))) {
      progress.step("database: restoring");
      await restoreDatabase(config, place.get(databaseFile));
    }
    await rm(unfinishedRestoreFile(dataDir));
    return manifest;
  } finally {
    await blobs.close();
  }
}

function requireSameKind({ chain, database }: Manifest, config: Config, withDatabase: boolean): void {
  if (chain.embedded !== config.chain.embedded || chain.chainId !== config.chain.chainId) {
    const wanted = chain.embedded ? "the embedded chain: unset RPC_URL" : `chain ${chain.chainId}: set RPC_URL`;
    throw new BackupError(`The backup is of a system on ${wanted}.`);
  }
  if (!withDatabase) return;
  if (database === undefined)
    throw new BackupError(
      "The backup has no database: restore it with PostgreSQL's tools, and use --without-database.",
    );
  if (database.kind === databaseKind(config)) return;
  throw new BackupError(
    database.kind === "embedded"
      ? "The backup is of an embedded database: unset DATABASE_URL."
      : "The backup is of a PostgreSQL database: set DATABASE_URL to a new one.",
  );
}

/** True when an interrupted restore of the same backup is to be continued. @throws BackupError when it is of another backup */
async function isContinued(dataDir: string, { startedAt, system }: Manifest): Promise<boolean> {
  const file = unfinishedRestoreFile(dataDir);
  if (!(await exists(file))) return false;
  const marker = JSON.parse(await readFile(file, "utf8")) as { startedAt: string; system: string };
  if (marker.startedAt === startedAt && marker.system === system) return true;
  throw new BackupError(
    `${dataDir} has an unfinished restore of another backup (of ${marker.startedAt}): finish that one, or use a new DATA_DIR.`,
  );
}

/** Folders that a system writes into DATA_DIR, except its keys and logs. */
const dataFolders = ["api-db", "chain", "deployments", "files", "indexer"];

async function requireEmpty(config: Config, blobs: BlobStore, withDatabase: boolean): Promise<void> {
  const there = (await namesIn(config.dataDir)).filter((name) => dataFolders.includes(name));
  if (there.length > 0) {
    const names = there.sort().join(", ");
    throw new BackupError(`${config.dataDir} is not empty (it has ${names}): choose a DATA_DIR that has only keys/.`);
  }
  await requireNoBlobs(blobs);
  if (withDatabase) await requireEmptyDatabase(config);
}

/** Read every file except the blobs, which are hashed when they are restored. */
async function checkFiles(place: BackupPlace, { files }: Manifest): Promise<void> {
  for (const [path, stored] of Object.entries(files)) {
    for await (const _ of checked(place.get(path), stored, path));
  }
}

async function restoreChain(place: BackupPlace, { files }: Manifest, { chain, dataDir }: Config): Promise<void> {
  if (files[deploymentFile] !== undefined) await restoreDeployment(place, chain.deployment);
  if (files[chainFile] === undefined) return;
  await writeWhole(place.get(chainFile), join(dataDir, "chain", "state.json.gz"));
}

/** On an outside chain the deployment's file may be there: it must have the same addresses. */
async function restoreDeployment(place: BackupPlace, path: string): Promise<void> {
  if (!(await exists(path))) return await writeWhole(place.get(deploymentFile), path);
  const parts: Uint8Array[] = [];
  for await (const part of place.get(deploymentFile)) parts.push(Buffer.from(part));
  const addresses = (text: string) => JSON.stringify((JSON.parse(text) as { contracts: unknown }).contracts);
  if (addresses(Buffer.concat(parts).toString("utf8")) !== addresses(await readFile(path, "utf8")))
    throw new BackupError(`${path} has other contracts than the backup's system: use the file of that system.`);
}

async function writeWhole(source: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.part`;
  await pipeline(source, createWriteStream(draft, { mode: 0o600, flush: true }));
  await rename(draft, path);
}
