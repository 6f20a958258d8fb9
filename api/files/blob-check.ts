import type { BlobStore } from "./blobs/blob-store.ts";

/** Create a check that is ready when the blob store answers. */
export function blobCheck(blobs: Pick<BlobStore, "stat">) {
  return async (): Promise<{ ready: boolean }> => {
    // No blob has this key. The check needs only a response.
    await blobs.stat("content/00000000");
    return { ready: true };
  };
}
