import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { describeBlobStore } from "../../../test/support/files/blobs.ts";
import { readTestContent, storeTestContent } from "../../../test/support/files/content.ts";
import { startS3, type TestS3 } from "../../../test/support/s3.ts";
import { readConfig } from "../../config.ts";
import { segmentSize } from "../content/segments.ts";
import { openBlobs } from "./open-blobs.ts";

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

test("refuses a bucket that is not there", async () => {
  const url = (await server.createBucket()).replace("bucket-", "no-bucket-");
  await assert.rejects(openBlobs(readConfig({ BLOB_URL: url }).files.blobs), /There is no bucket no-bucket-/);
});

test("refuses a bucket that keeps old versions, from which a purge could not take keys", async () => {
  const state = "<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>";
  const service = await answering(() => state);
  await assert.rejects(openBlobs(readConfig({ BLOB_URL: service.url }).files.blobs), /keeps old versions/);
  service.close();
});

test("lists page after page", async () => {
  const page = (id: string, next: string) => `<ListBucketResult>
    <Contents><Key>files/content/${id}</Key><Size>3</Size><LastModified>2026-01-01T00:00:00.000Z</LastModified></Contents>
    ${next}</ListBucketResult>`;
  const service = await answering(({ searchParams }) => {
    if (searchParams.get("list-type") !== "2") return "<VersioningConfiguration/>";
    if (searchParams.get("continuation-token") === "more") return page("secondblob", "");
    return page("firstblob", "<IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>");
  });
  const store = await openBlobs(readConfig({ BLOB_URL: service.url }).files.blobs);
  const listed: string[] = [];
  for await (const { key } of store.list("content/")) listed.push(key);
  assert.deepEqual(listed, ["content/firstblob", "content/secondblob"]);
  await store.close();
  service.close();
});

/** A service that answers what the test server cannot. */
async function answering(answer: (url: URL) => string): Promise<{ url: string; close: () => void }> {
  const service = createServer((request, response) => {
    const text = answer(new URL(request.url ?? "/", "http://service"));
    response.setHeader("Content-Type", "application/xml").end(request.method === "HEAD" ? undefined : text);
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  const close = () => {
    service.closeAllConnections();
    service.close();
  };
  return { url: `s3://kept/files?endpoint=${encodeURIComponent(`http://127.0.0.1:${port}`)}&pathStyle=1`, close };
}
