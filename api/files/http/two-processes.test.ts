import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import type { TestHttp } from "../../../test/support/files/http.ts";
import { openTwoProcesses } from "../../../test/support/files/two-processes.ts";

let one: TestHttp;
let two: TestHttp;
let close: () => Promise<void>;
let as: string;
before(async () => {
  ({ one, two, close } = await openTwoProcesses());
  as = await one.bearer();
});
after(() => close?.());

const tus = { "tus-resumable": "1.0.0" };
const encode = (text: string) => Buffer.from(text).toString("base64");

test("what one process writes, another serves, to token and public alike", async () => {
  const made = await one.fs("POST", "/files?path=/shared.txt&public=true", { as, body: "shared" });
  const { id, cid } = await made.json();
  assert.equal(made.status, 201);
  assert.equal(await (await two.fs("GET", `/files/${id}/content`, { as })).text(), "shared");
  assert.equal(await (await two.app.request(`/public/cid/${cid}`)).text(), "shared");
  const written = await two.fs("PUT", `/files/${id}`, { as, body: "second", headers: { "if-match": `"${cid}"` } });
  assert.equal((await written.json()).version, 2);
  assert.equal(
    (await one.fs("PUT", `/files/${id}`, { as, body: "x", headers: { "if-match": `"${cid}"` } })).status,
    412,
  );
  assert.equal((await one.fs("POST", `/files/${id}/purge`, { as })).status, 200);
  for (const path of [`/files/${id}`, `/cid/${cid}`]) assert.equal((await two.fs("GET", path, { as })).status, 404);
  assert.equal((await two.app.request(`/public/cid/${cid}`)).status, 404);
});

test("an upload that one process began continues in another, each byte once", async () => {
  const bytes = randomBytes(3 * 1024 * 1024 + 1);
  const begun = await one.fs("POST", "/upload", {
    as,
    headers: { ...tus, "upload-length": String(bytes.length), "upload-metadata": `path ${encode("/two.bin")}` },
  });
  const location = (begun.headers.get("location") ?? "").replace("/api/fs", "");
  const patch = (http: TestHttp, offset: number, body: Buffer) =>
    http.fs("PATCH", location, {
      as,
      body: new Uint8Array(body),
      headers: { ...tus, "upload-offset": String(offset), "content-type": "application/offset+octet-stream" },
    });
  assert.equal((await patch(one, 0, bytes.subarray(0, 1000))).status, 204);
  const both = await Promise.all([
    patch(one, 1000, bytes.subarray(1000, 2000)),
    patch(two, 1000, bytes.subarray(1000, 2000)),
  ]);
  assert.deepEqual(both.map(({ status }) => status).sort(), [204, 409]);
  const done = await patch(two, 2000, bytes.subarray(2000));
  assert.equal(done.status, 204);
  const content = await one.fs("GET", "/content?path=/two.bin", { as });
  assert.deepEqual(Buffer.from(await content.arrayBuffer()), bytes);
  assert.equal(content.headers.get("x-vfs-cid"), done.headers.get("x-vfs-cid"));
  const head = await one.fs("HEAD", location, { as, headers: tus });
  assert.equal(head.headers.get("x-vfs-file-id"), done.headers.get("x-vfs-file-id"));
  for (const prefix of ["uploads/", "uploadkeys/"]) {
    for await (const { key } of one.deps.files.blobs.list(prefix)) assert.fail(`${key} is left`);
  }
});

test("several processes count requests together", async () => {
  const answers = await Promise.all([one.fs("GET", "/files", { as }), two.fs("GET", "/files", { as })]);
  const left = answers.map(({ headers }) => Number(/r=(\d+)/.exec(headers.get("ratelimit") ?? "")?.[1]));
  assert.equal(new Set(left).size, 2, left.join(" "));
});
