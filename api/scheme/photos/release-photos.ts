import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import type { SchemeFiles } from "../scheme-files/index.ts";
import { forgetPhoto, noteEvidence, type UnusedPhoto, unusedPhotos } from "./kept-photos.ts";
import { endingFolder, endingPathOf, endingSha256, pathOf } from "./photo-path.ts";

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
const mostAtOnce = 500;
/** Photos that cannot be destroyed before a run gives up: the file store may be out of reach. */
const mostFailed = 1_000;

/** Destroy photos that no record names, once an hour. */
export function startPhotoRelease(deps: ReleaseDeps & { workers: Pick<Workers, "add"> }): Worker {
  return deps.workers
    .add({ name: "kept-photos", everyMs, run: async ({ signal }) => void (await releasePhotos(deps, signal)) })
    .start();
}

/**
 * Destroy the photos that were kept some days ago and that no record names, with their EXIF data. A photo may be sent again at any
 * moment, so its file is first moved away: what is sent from then on is stored again, and what was sent before is seen.
 * @returns how many
 */
export async function releasePhotos(deps: ReleaseDeps, signal: AbortSignal): Promise<number> {
  const { clock, db, log, recordsOpenDays } = deps;
  // With 0 no photo is old enough, and one that was moved away before goes back.
  const before = new Date(recordsOpenDays === 0 ? 0 : clock.now().getTime() - recordsOpenDays * dayMs);
  const run: Run = { ...deps, before, failed: new Set() };
  // Those that were moved away before a kill.
  let destroyed = await destroyEnding(run);
  while (!signal.aborted && run.failed.size < mostFailed) {
    const photos = await unusedPhotos(db, before, { limit: mostAtOnce, except: [...run.failed] });
    if (photos.length === 0) break;
    const evidence = await evidenceAmong(run, photos);
    for (const { sha256 } of photos) {
      if (signal.aborted) break;
      if (evidence.has(sha256)) continue;
      const isThere = await trying(run, sha256, () => moveAway(deps, sha256));
      // An earlier attempt destroyed it, or it was never stored.
      if (isThere === false && (await trying(run, sha256, () => forget(run, sha256)))) destroyed += 1;
    }
    destroyed += await destroyEnding(run);
  }
  if (destroyed > 0) log.info({ destroyed }, "photos that no record names were destroyed");
  return destroyed;
}

/** `failed`: SHA-256 of the photos that this run leaves to the next one. */
type Run = ReleaseDeps & { before: Date; failed: Set<string> };

async function evidenceAmong({ db, evidenceAmong: find }: Run, photos: readonly UnusedPhoto[]) {
  const evidence = await find(photos);
  await noteEvidence(db, [...evidence]);
  return evidence;
}

/** @returns whether there was a file */
async function moveAway({ schemeFiles }: ReleaseDeps, sha256: string): Promise<boolean> {
  const caller = await schemeFiles.caller();
  try {
    const { id } = await schemeFiles.store.describe(caller, pathOf(sha256));
    await schemeFiles.store.move(caller, { id, destinationPath: endingPathOf(sha256, id) });
    return true;
  } catch (error) {
    if (error instanceof AppError && error.code === "NOT_FOUND") return false;
    throw error;
  }
}

/** Destroy the photos that were moved away, and move back those that were sent again or named since. @returns how many were destroyed */
async function destroyEnding(run: Run): Promise<number> {
  const { db, before, failed, schemeFiles } = run;
  const ending: { id: string; sha256: string }[] = [];
  for await (const { id, path } of schemeFiles.store.walk(await schemeFiles.caller(), endingFolder)) {
    const sha256 = endingSha256(path);
    if (!failed.has(sha256)) ending.push({ id, sha256 });
  }
  if (ending.length === 0) return 0;
  const unused = await unusedPhotos(db, before, { among: ending.map(({ sha256 }) => sha256) });
  const evidence = await evidenceAmong(run, unused);
  const isOver = new Set(unused.map(({ sha256 }) => sha256).filter((sha256) => !evidence.has(sha256)));
  // Together, so that they share a purge.
  const ended = ending.map(({ id, sha256 }) =>
    trying(run, sha256, async () => {
      if (!isOver.has(sha256)) return await moveBack(run, sha256, id);
      // Before the row: after a kill it says what is left to destroy.
      await schemeFiles.purge([id]);
      return await forget(run, sha256);
    }),
  );
  return (await Promise.all(ended)).filter((isDestroyed) => isDestroyed === true).length;
}

/** @returns false: it is not destroyed */
async function moveBack({ schemeFiles }: ReleaseDeps, sha256: string, id: string): Promise<false> {
  try {
    await schemeFiles.store.move(await schemeFiles.caller(), { id, destinationPath: pathOf(sha256) });
  } catch (error) {
    if (!(error instanceof AppError && error.code === "CONFLICT")) throw error;
    // It was stored again.
    await schemeFiles.purge([id]);
  }
  return false;
}

async function forget({ db, before }: Run, sha256: string): Promise<true> {
  await forgetPhoto(db, sha256, before);
  return true;
}

/** Do a step of one photo. Where it fails, the other photos do not wait for it. @returns undefined when it failed */
async function trying<T>({ log, failed }: Run, sha256: string, step: () => Promise<T>): Promise<T | undefined> {
  try {
    return await step();
  } catch (error) {
    failed.add(sha256);
    log.error({ err: error, sha256 }, "a photo that no record names could not be destroyed");
    return undefined;
  }
}
