import type { BlobPlace } from "../configuration.ts";
import type { BlobStore } from "./blob-store.ts";
import { DiskBlobs } from "./disk-blobs.ts";

/**
 * Open the blob store that the configuration names.
 * @throws Error when the bucket cannot be reached or keeps old versions
 */
export async function openBlobs(place: BlobPlace): Promise<BlobStore> {
  if (place.kind === "disk") return new DiskBlobs(place.folder);
  // The client is large, and most installations do not need it.
  const { BucketBlobs } = await import("./bucket-blobs.ts");
  const bucket = new BucketBlobs(place);
  await bucket.check();
  return bucket;
}
