import type { BlobStore } from "./blobs/blob-store.ts";

/** How long an answer is kept, in milliseconds: requests to a bucket may cost money. */
const keptMs = 2_000;

/** Create a check that is ready when the blob store answers. A failure is not kept, so that its end shows soon. */
export function blobCheck(blobs: Pick<BlobStore, "stat">) {
  let answeredAt = Number.NEGATIVE_INFINITY;
  return async (): Promise<{ ready: boolean }> => {
    if (performance.now() - answeredAt < keptMs) return { ready: true };
    // No blob has this key: only that the store answers counts.
    await blobs.stat("content/00000000");
    answeredAt = performance.now();
    return { ready: true };
  };
}
