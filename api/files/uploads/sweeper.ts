import type { Worker, Workers } from "../../platform/workers/index.ts";
import type { FileDeps } from "../deps.ts";
import { releaseBytes, releaseExpired } from "../write/reservations.ts";
import { partsPrefix } from "./parts.ts";
import { createUploadStore } from "./store.ts";
import { destroyUploadKey, uploadKeysPrefix } from "./upload-keys.ts";

const everyMs = 600_000;
const batch = 100;
/** Minimum age of an unnamed blob that is removed, in milliseconds: its row may be about to commit. */
const graceMs = 3_600_000;

type SweepDeps = Pick<FileDeps, "db" | "clock" | "log" | "files">;

/**
 * Start a sweep every ten minutes: it ends expired uploads, releases expired reservations, and removes leftovers of uploads from
 * the blob store.
 */
export function startUploadSweeper(deps: SweepDeps & { workers: Workers }): Worker {
  return deps.workers.add({ name: "upload-sweep", everyMs, run: () => sweepUploads(deps) }).start();
}

/** Run one sweep. */
export async function sweepUploads(deps: SweepDeps): Promise<void> {
  const { blobs } = deps.files;
  const store = createUploadStore(deps.db);
  for (;;) {
    const expired = await store.expired(deps.clock.now(), batch);
    for (const row of expired) {
      const { id } = row;
      const parts = await store.parts(id);
      await destroyUploadKey({ blobs }, id);
      await store.remove(id);
      await releaseBytes(deps, row);
      for (const { blob } of parts) await blobs.delete(blob);
    }
    if (expired.length < batch) break;
  }
  await releaseExpired(deps);
  await removeUnknown(deps, partsPrefix, (keys) => store.knownBlobs(keys), blobs.delete.bind(blobs));
  const openKeys = async (keys: string[]) => {
    const open = await store.openIds(keys.map((key) => key.slice(uploadKeysPrefix.length)));
    return new Set([...open].map((id) => uploadKeysPrefix + id));
  };
  await removeUnknown(deps, uploadKeysPrefix, openKeys, blobs.shred.bind(blobs));
}

async function removeUnknown(
  { files, clock }: SweepDeps,
  prefix: string,
  known: (keys: string[]) => Promise<Set<string>>,
  remove: (key: string) => Promise<void>,
): Promise<void> {
  let old: string[] = [];
  const settle = async () => {
    if (old.length === 0) return;
    const kept = await known(old);
    for (const key of old) if (!kept.has(key)) await remove(key);
    old = [];
  };
  for await (const { key, modifiedAt } of files.blobs.list(prefix)) {
    if (clock.now().getTime() - modifiedAt.getTime() < graceMs) continue;
    old.push(key);
    if (old.length === batch) await settle();
  }
  await settle();
}
