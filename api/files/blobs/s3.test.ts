import { startS3 } from "../../../test/support/s3.ts";
import { readConfig } from "../../config.ts";
import { openBlobs } from "./open-blobs.ts";
import { describeBlobStore } from "./testing.ts";

describeBlobStore("a bucket", async () => {
  const server = await startS3();
  const store = await openBlobs(readConfig({ BLOB_URL: await server.createBucket() }).files.blobs);
  const close = async () => {
    await store.close();
    await server.stop();
  };
  return { store, close };
});
