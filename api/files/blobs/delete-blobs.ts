import type { FileContext } from "../deps.ts";
import type { BlobStore } from "./blob-store.ts";

const atOnce = 16;

export async function deleteBlobs(store: BlobStore, blobs: readonly string[]): Promise<void> {
  for (let from = 0; from < blobs.length; from += atOnce) {
    await Promise.all(blobs.slice(from, from + atOnce).map((blob) => store.delete(blob)));
  }
}

/** Delete blobs that no row names. A failure is only logged, because the collection of orphans removes the rest later. */
export async function deleteBlobsOrLog(ctx: FileContext, blobs: readonly string[]): Promise<void> {
  await deleteBlobs(ctx.deps.files.blobs, blobs).catch((error: unknown) => {
    ctx.deps.log.error({ err: error, requestId: ctx.requestId }, "blobs that no row names could not be deleted");
  });
}
