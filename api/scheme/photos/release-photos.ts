import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import type { SchemeFiles } from "../scheme-files/index.ts";
import { forgetPhoto, noteEvidence, type UnusedPhoto, unusedPhotos } from "./kept-photos.ts";
import { pathOf } from "./photo-path.ts";

/** Finds which of some photos a record names as evidence, by their SHA-256. */
export type EvidenceFinder = (photos: readonly UnusedPhoto[]) => Promise<ReadonlySet<string>>;

export type ReleaseDeps = {
  clock: Clock;
  db: Database;
  log: Log;
  schemeFiles: SchemeFiles;
  /** Days after which a photo that no record names is destroyed; 0: never. */
  recordsOpenDays: number;
  evidenceAmong: EvidenceFinder;
};

const dayMs = 86_400_000;
const everyMs = 3_600_000;
/** Photos that are looked at together. */
const mostAtOnce = 200;

/** Destroy photos that no record names, once an hour. */
export function startPhotoRelease(deps: ReleaseDeps & { workers: Pick<Workers, "add"> }): Worker {
  return deps.workers
    .add({ name: "kept-photos", everyMs, run: async ({ signal }) => void (await releasePhotos(deps, signal)) })
    .start();
}

/** Destroy the photos that were kept some days ago and that no record names, with their EXIF data. @returns how many */
export async function releasePhotos(deps: ReleaseDeps, signal: AbortSignal): Promise<number> {
  const { clock, db, log, recordsOpenDays } = deps;
  if (recordsOpenDays === 0) return 0;
  const before = new Date(clock.now().getTime() - recordsOpenDays * dayMs);
  let destroyed = 0;
  while (!signal.aborted) {
    const photos = await unusedPhotos(db, before, mostAtOnce);
    if (photos.length === 0) break;
    const evidence = await deps.evidenceAmong(photos);
    await noteEvidence(db, [...evidence]);
    for (const { sha256 } of photos) {
      if (evidence.has(sha256)) continue;
      if (signal.aborted) return destroyed;
      // Before the row: after a kill it says what is left to destroy.
      await destroyFile(deps, sha256);
      await forgetPhoto(db, sha256);
      destroyed += 1;
    }
  }
  if (destroyed > 0) log.info({ destroyed }, "photos that no record names were destroyed");
  return destroyed;
}

async function destroyFile({ schemeFiles }: ReleaseDeps, sha256: string): Promise<void> {
  try {
    const { id } = await schemeFiles.store.describe(await schemeFiles.caller(), pathOf(sha256));
    await schemeFiles.purge([id]);
  } catch (error) {
    // An earlier attempt destroyed it, or it was never stored.
    if (!(error instanceof AppError && error.code === "NOT_FOUND")) throw error;
  }
}
