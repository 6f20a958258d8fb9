import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { startS3, type TestS3 } from "../../../test/support/s3.ts";
import { readConfig } from "../../config.ts";
import { segmentSize } from "../content/segments.ts";
import { readTestContent, storeTestContent } from "../content/testing.ts";
import { openBlobs } from "./open-blobs.ts";
import { describeBlobStore } from "./testing.ts";

let server: TestS3;
before(async () => {
  server = await startS3();
});
after(() => server.stop());

const openBucket = async () => openBlobs(readConfig({ BLOB_URL: await server.createBucket() }).files.blobs);

describeBlobStore("a bucket", async () => {
  const store = await openBucket();
  return { store, close: () => store.close() };
});

test("keeps sealed content of many parts, and gives any range of it", async () => {
  const store = await openBucket();
  const bytes = randomBytes(19 * segmentSize + 7);
  const stored = await storeTestContent(store, bytes);
  assert.ok((await readTestContent(store, stored)).equals(bytes));
  const range = { start: 7 * segmentSize - 3, end: 16 * segmentSize + 11 };
  assert.ok((await readTestContent(store, stored, { range })).equals(bytes.subarray(range.start, range.end + 1)));
  await store.close();
});
