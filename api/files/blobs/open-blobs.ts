import type { Clock } from "../../platform/clock.ts";
import type { BlobPlace } from "../configuration.ts";
import type { BlobStore } from "./blob-store.ts";
import { DiskBlobs } from "./disk-blobs.ts";

/**
 * Open the blob store that the configuration names.
 * @param clock tells the age of a bucket's interrupted uploads; by default the machine's
 * @throws Error when the bucket cannot be reached or keeps old versions
 */
export async function openBlobs(place: BlobPlace, clock?: Clock): Promise<BlobStore> {
  if (place.kind === "disk") return new DiskBlobs(place.folder);
  // The client is large, and most installations do not need it.
  const { BucketBlobs } = await import("./bucket-blobs.ts");
  const bucket = new BucketBlobs(place, clock);
  await bucket.check();
  return bucket;
}
