import type { BlobStore } from "./blobs/blob-store.ts";

/** How long a success is cached, in milliseconds: requests to a bucket may cost money. */
const keptMs = 2_000;

/** Create a check that is ready when the blob store answers. A failure is not cached, so a recovery shows soon. */
export function blobCheck(blobs: Pick<BlobStore, "stat">) {
  let answeredAt = Number.NEGATIVE_INFINITY;
  return async (): Promise<{ ready: boolean }> => {
    if (performance.now() - answeredAt < keptMs) return { ready: true };
    // No blob has this key. The check needs only a response.
    await blobs.stat("content/00000000");
    answeredAt = performance.now();
    return { ready: true };
  };
}
