import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { after, before, test } from "node:test";
import { describeBlobStore } from "../../../test/support/files/blobs.ts";
import { readTestContent, storeTestContent } from "../../../test/support/files/content.ts";
import { startS3, type TestS3 } from "../../../test/support/s3.ts";
import { readConfig } from "../../config.ts";
import { AppError } from "../../platform/errors.ts";
import { segmentSize } from "../content/segments.ts";
import { BucketBlobs } from "./bucket-blobs.ts";
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

test("takes the age of interrupted uploads from the given clock, so a machine's wrong clock ends none", async (t) => {
  const initiated = (id: string, at: string) =>
    `<Upload><Key>files/content/${id}</Key><UploadId>${id}</UploadId><Initiated>${at}</Initiated></Upload>`;
  const aborted: (string | null)[] = [];
  const service = await answering(({ searchParams }, method) => {
    if (method === "DELETE") aborted.push(searchParams.get("uploadId"));
    if (!searchParams.has("uploads")) return "<VersioningConfiguration/>";
    const uploads = initiated("olderone", "2026-01-01T00:00:00Z") + initiated("youngone", "2026-01-02T11:00:00Z");
    return `<ListMultipartUploadsResult>${uploads}</ListMultipartUploadsResult>`;
  });
  t.mock.timers.enable({ apis: ["Date"], now: new Date("2026-02-01T00:00:00Z") });
  const clock = { now: () => new Date("2026-01-02T12:00:00Z") };
  const store = await openBlobs(readConfig({ BLOB_URL: service.url }).files.blobs, clock);
  assert.equal(await store.collectLeftovers(86_400_000), 1);
  assert.deepEqual(aborted, ["olderone"]);
  await store.close();
  service.close();
});

test("answers 503 with Retry-After when the bucket cannot be reached, or cannot answer for now", async () => {
  const service = createServer((_, response) => response.writeHead(503).end("<Error><Code>SlowDown</Code></Error>"));
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  const { port } = service.address() as AddressInfo;
  const endpoint = `http://127.0.0.1:${port}`;
  const client = new BucketBlobs({
    kind: "s3",
    bucket: "kept",
    prefix: "",
    endpoint,
    region: "us-east-1",
    pathStyle: true,
  });
  const unavailable = (error: unknown) => {
    assert.ok(error instanceof AppError, String(error));
    assert.deepEqual([error.status, error.headers?.["Retry-After"]], [503, "5"]);
    return true;
  };
  const calls = [
    () => client.put("content/00000001", Readable.from([Buffer.from("text")])),
    () => exhaust(client.get("content/00000001")),
    () => client.stat("content/00000001"),
    () => client.delete("content/00000001"),
    () => exhaust(client.list("content/")),
  ];
  for (const call of calls) await assert.rejects(call, unavailable);
  service.closeAllConnections();
  service.close();
  for (const call of calls) await assert.rejects(call, unavailable);
  await client.close();
});

async function exhaust(items: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of items);
}

/** A service that answers what the test server cannot. */
async function answering(answer: (url: URL, method: string) => string): Promise<{ url: string; close: () => void }> {
  const service = createServer((request, response) => {
    const text = answer(new URL(request.url ?? "/", "http://service"), request.method ?? "");
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
