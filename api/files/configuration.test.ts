import assert from "node:assert/strict";
import { test } from "node:test";
import { readConfig } from "../config.ts";
import { ConfigError } from "../platform/config-error.ts";

const kek = "ab".repeat(32);

function problemsOf(env: Record<string, string>): string[] {
  try {
    readConfig(env);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.problems.map(({ path }) => path ?? "");
  }
  return [];
}

test("keeps blobs in the data folder, with 5 GiB a file and no quota, unless told otherwise", () => {
  const { files } = readConfig({ DATA_DIR: "/data" });
  assert.deepEqual(files.blobs, { kind: "disk", folder: "/data/files" });
  assert.deepEqual([files.fileLimitBytes, files.namespaceQuotaBytes], [5_368_709_120, undefined]);
  assert.deepEqual([files.requestsPerMinute, files.auditReadSample], [600, 0]);
});

test("accepts the operator's limits, and refuses an owner that is not a DID", () => {
  const given = { STORE_LIMIT_BYTES: "10", FS_OWNERS: "did:web:a.org, did:key:z6Mk", FS_WRITES_PER_MINUTE: "5" };
  const { storeLimitBytes, owners, writesPerMinute, bodySeconds } = readConfig(given).files;
  assert.deepEqual([storeLimitBytes, writesPerMinute, bodySeconds], [10, 5, 7200]);
  assert.deepEqual(owners, ["did:web:a.org", "did:key:z6Mk"]);
  assert.deepEqual(problemsOf({ FS_OWNERS: "did:web:a.org,somebody" }), ["FS_OWNERS.1"]);
});

test("reads folders and buckets from BLOB_URL", () => {
  assert.deepEqual(readConfig({ BLOB_URL: "file:///mnt/blobs" }).files.blobs, { kind: "disk", folder: "/mnt/blobs" });
  const url = "s3://bucket/some/prefix/?endpoint=http://127.0.0.1:9000&region=eu-1&pathStyle=1";
  assert.deepEqual(readConfig({ BLOB_URL: url }).files.blobs, {
    kind: "s3",
    bucket: "bucket",
    prefix: "some/prefix/",
    endpoint: "http://127.0.0.1:9000",
    region: "eu-1",
    pathStyle: true,
  });
});

test("refuses a BLOB_URL that names no place, holds credentials or a parameter nobody reads", () => {
  for (const url of [
    "ftp://x/y",
    "s3://",
    "nowhere",
    "s3://id:secret@bucket",
    "s3://bucket?regoin=x",
    "s3://b?endpoint=q",
  ]) {
    assert.deepEqual(problemsOf({ BLOB_URL: url }), ["BLOB_URL"], url);
  }
});

test("accepts the key-encryption key as hexadecimal digits or base64, and none that is shorter", () => {
  const base64 = Buffer.from(kek, "hex").toString("base64");
  assert.equal(readConfig({ VFS_KEK: base64 }).files.kek.current, kek);
  assert.deepEqual(readConfig({ VFS_KEK: kek, VFS_KEK_PREVIOUS: `${base64},${kek}` }).files.kek.previous, [kek, kek]);
  assert.deepEqual(problemsOf({ VFS_KEK: "ab".repeat(31) }), ["VFS_KEK"]);
  assert.deepEqual(problemsOf({ VFS_KEK: kek, VFS_KEK_PREVIOUS: `${kek},short` }), ["VFS_KEK_PREVIOUS.1"]);
});

test("asks for the key-encryption key where several machines share database and bucket", () => {
  const shared = { DATABASE_URL: "postgres://u:p@db/x", BLOB_URL: "s3://bucket" };
  assert.deepEqual(problemsOf(shared), ["VFS_KEK"]);
  assert.deepEqual(problemsOf({ ...shared, VFS_KEK: kek }), []);
  assert.deepEqual(problemsOf({ VFS_KEK_PREVIOUS: kek }), ["VFS_KEK"]);
});

test("refuses a limit above what a bucket takes of one file", () => {
  const limit = { FILE_LIMIT_BYTES: String(100 * 1024 ** 3) };
  assert.deepEqual(problemsOf({ BLOB_URL: "s3://bucket", ...limit }), ["FILE_LIMIT_BYTES"]);
  assert.deepEqual(problemsOf(limit), []);
});
