import type { BlobPlace } from "../configuration.ts";
import type { BlobStore } from "./blob-store.ts";
import { DiskBlobs } from "./disk.ts";

/** Open the blob store that the configuration names. */
export async function openBlobs(place: BlobPlace): Promise<BlobStore> {
  if (place.kind === "disk") return new DiskBlobs(place.folder);
  throw new Error("S3 follows");
}
