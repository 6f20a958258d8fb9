import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";

let http: TestHttp;
before(async () => {
  http = await openTestHttp();
});
after(() => http.close());

const helloCid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";
const text = { "content-type": "text/plain" };

test("creates a file, serves it, rewrites it, lists its versions and restores the first", async () => {
  const created = await http.fs("POST", "/files?path=/docs/hello.txt", { body: "hello world", headers: text });
  const file = await created.json();
  assert.equal(created.status, 201, JSON.stringify(file));
  assert.equal(file.cid, helloCid);
  assert.equal(created.headers.get("etag"), `"${helloCid}"`);

  const content = await http.fs("GET", `/files/${file.id}/content`);
  assert.equal(await content.text(), "hello world");
  assert.equal(content.headers.get("x-vfs-cid"), helloCid);
  assert.equal(content.headers.get("content-type"), "text/plain");

  const written = await http.fs("PUT", `/files/${file.id}`, { body: "second", headers: text });
  assert.equal(written.status, 200);
  assert.equal((await written.json()).version, 2);

  const versions = await (await http.fs("GET", `/files/${file.id}/versions`)).json();
  assert.deepEqual(
    versions.versions.map(({ version, current }: { version: number; current: boolean }) => [version, current]),
    [
      [2, true],
      [1, false],
    ],
  );
  const old = await http.fs("GET", `/files/${file.id}/versions/1/content`);
  assert.equal(await old.text(), "hello world");
  assert.equal(old.headers.get("x-vfs-cid"), helloCid);

  const restored = await (await http.fs("POST", `/files/${file.id}/versions/1/restore`)).json();
  assert.equal(restored.cid, helloCid);
  assert.equal(restored.metadata.revertedTo, 1);
  assert.equal(restored.version, 3);
});

test("edits passages with control characters, as files have them", async () => {
  const { id } = await (await http.fs("POST", "/files?path=/form-feed.txt", { body: "a\fb\u0001c" })).json();
  const body = JSON.stringify({ oldString: "\fb\u0001", newString: "\u001b[0m" });
  const edited = await http.fs("PATCH", `/files/${id}/edit`, { body });
  assert.equal(edited.status, 200);
  const lone = '{"oldString":"c","newString":"\\ud800"}';
  assert.equal((await http.fs("PATCH", `/files/${id}/edit`, { body: lone })).status, 400);
  assert.equal(await (await http.fs("GET", `/files/${id}/content`)).text(), "a\u001b[0mc");
});
