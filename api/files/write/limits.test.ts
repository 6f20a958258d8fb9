import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import {
  allHidden,
  countTraces,
  openTestFiles,
  streamOf,
  type TestFiles,
  testContext,
} from "../../../test/support/files/files.ts";
import { AppError } from "../../platform/errors.ts";
import { cleanMimeType } from "../../platform/values/mime-type.ts";
import { readFile } from "../read/read-file.ts";
import { restoreVersion } from "../versions/restore-version.ts";
import { createFile } from "./create-file.ts";
import { writeFile } from "./write-file.ts";

let store: TestFiles;
before(async () => {
  store = await openTestFiles({ FILE_LIMIT_BYTES: "10", NAMESPACE_QUOTA_BYTES: "25" });
});
after(() => store.close());

const tooLarge = (words: RegExp) => (error: unknown) => {
  assert.ok(error instanceof AppError, String(error));
  assert.equal(error.code, "TOO_LARGE");
  assert.match(error.message, words);
  return true;
};
const notFound = { code: "NOT_FOUND", message: "There is no such file here." };
const text = (path: string, content: string) => ({ path, mimeType: "text/plain", content: streamOf(content) });

test("refuses more bytes than a file may have, announced or streamed, and keeps nothing of them", async () => {
  const ctx = testContext(store, "did:key:zLimit");
  const { id } = await createFile(ctx, text("/a", "0123456789"));
  const traces = await countTraces(store.deps);
  const limit = tooLarge(/at most 10 bytes/);
  await assert.rejects(createFile(ctx, text("/b", "0123456789x")), limit);
  await assert.rejects(createFile(ctx, { ...text("/b", ""), declaredSize: 11 }), limit);
  await assert.rejects(writeFile(ctx, { ref: { id }, content: streamOf("0123456789x") }), limit);
  assert.deepEqual(await countTraces(store.deps), traces);
});

test("refuses what the namespace's quota has no room for, also when writers race for the last of it", async () => {
  const ctx = testContext(store, "did:key:zQuota");
  const { id } = await createFile(ctx, text("/a", "0123456789"));
  await writeFile(ctx, { ref: { id }, content: streamOf("123456789") });
  const quota = tooLarge(/quota of 25 bytes would be exceeded: 19 bytes are in use/);
  await assert.rejects(createFile(ctx, text("/b", "1234567")), quota);
  await assert.rejects(restoreVersion(ctx, { ref: { id }, version: 1 }), quota);
  const traces = await countTraces(store.deps);
  const outcomes = await Promise.allSettled(["/c", "/d", "/e"].map((path) => createFile(ctx, text(path, "1234"))));
  const refusals = outcomes.flatMap((each) => (each.status === "rejected" ? [each.reason.code] : []));
  assert.deepEqual(refusals, ["TOO_LARGE", "TOO_LARGE"]);
  const after = await countTraces(store.deps);
  assert.deepEqual([after.files, after.blobs, after.events], [traces.files + 1, traces.blobs + 1, traces.events + 1]);
});

test("leaves a part of the quota to writes that may fill all of it", async () => {
  const whole = testContext(store, "did:key:zShare");
  const part = { ...whole, quotaPercent: 40 };
  const { id } = await createFile(part, text("/a", "01234"));
  const share = tooLarge(/may fill 40 % of the namespace's quota, 10 bytes: 9 bytes are in use/);
  await writeFile(part, { ref: { id }, content: streamOf("0123") });
  await assert.rejects(createFile(part, text("/b", "01")), share);
  await assert.rejects(writeFile(part, { ref: { id }, content: streamOf("01") }), share);
  const races = await Promise.allSettled(["/c", "/d"].map((path) => createFile(part, text(path, "0"))));
  assert.deepEqual(races.map(({ status }) => status).sort(), ["fulfilled", "rejected"]);
  // What fills its whole share still stops only writes of the share.
  await createFile(whole, text("/e", "0123456789"));
  await assert.rejects(createFile(part, text("/f", "0")), tooLarge(/10 bytes: 20 bytes are in use/));
  await createFile(whole, text("/g", "01234"));
  await assert.rejects(createFile(whole, text("/h", "0")), tooLarge(/quota of 25 bytes would be exceeded: 25 bytes/));
});

test("makes no file outside the caller's scope, nor one that it could not see", async () => {
  const owner = "did:key:zScope";
  const docs = testContext(store, owner, { path: "/docs" });
  const revealing = testContext(store, owner, { hidden: allHidden });
  await assert.rejects(createFile(docs, text("/docs2/a", "a")), notFound);
  await assert.rejects(createFile(docs, text("/docs/.a", "a")), notFound);
  await assert.rejects(createFile(docs, { ...text("/docs/a", "a"), hidden: true }), notFound);
  await createFile(revealing, { ...text("/docs/a", "a"), hidden: true });
  await assert.rejects(createFile(docs, text("/docs/a", "a")), notFound, "a taken path is not betrayed");
  await assert.rejects(createFile(revealing, text("/docs/a", "a")), { code: "CONFLICT" });
  const readOnly = testContext(store, owner, { abilities: ["fs/read"] });
  await assert.rejects(createFile(readOnly, text("/x", "a")), { code: "FORBIDDEN" });
  await assert.rejects(createFile(docs, text("/docs//a/../b", "a")), { code: "INVALID_INPUT" });
});

test("keeps the maker's metadata over new contents, and cleans media types", async () => {
  const ctx = testContext(store, "did:key:zMeta");
  const { id } = await createFile(ctx, {
    ...text("/m", "a"),
    mimeType: " TEXT/Plain;Charset=UTF-8 ",
    metadata: { batch: 7 },
  });
  await writeFile(ctx, { ref: { id }, content: streamOf("b") });
  const file = await readFile(ctx, { ref: { id } });
  assert.deepEqual([file.mimeType, file.metadata], ["text/plain;charset=UTF-8", { batch: 7 }]);
  for (const bad of ["", "text", "text/html\r\nX: y", "a/b".padEnd(300, "x"), "<script>/x"]) {
    assert.equal(cleanMimeType(bad), "application/octet-stream", bad);
  }
});
