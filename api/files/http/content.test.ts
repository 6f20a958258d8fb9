import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";

let http: TestHttp;
let id: string;
let etag: string;
const bytes = randomBytes(2 * 1024 * 1024 + 17);
before(async () => {
  http = await openTestHttp();
  const created = await http.fs("POST", `/files?path=${encodeURIComponent('/ünï "x".bin')}`, { body: bytes });
  id = (await created.json()).id;
  etag = created.headers.get("etag") ?? "";
});
after(() => http.close());

const get = (headers: Record<string, string> = {}, method = "GET") =>
  http.fs(method, `/files/${id}/content`, { headers });
const bodyOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

test("serves the whole with its names, and nothing that a browser would run or keep", async () => {
  const answer = await get();
  assert.deepEqual(await bodyOf(answer), bytes);
  const expected = {
    "content-length": String(bytes.length),
    "accept-ranges": "bytes",
    "cache-control": "private, no-store",
    "content-security-policy": "default-src 'none'; sandbox",
    "x-content-type-options": "nosniff",
    "content-type": "application/octet-stream",
    "x-vfs-version": "1",
    "content-disposition": `attachment; filename="?n? \\"x\\".bin"; filename*=UTF-8''%C3%BCn%C3%AF%20%22x%22.bin`,
  };
  for (const [name, value] of Object.entries(expected)) assert.equal(answer.headers.get(name), value, name);
  assert.match(answer.headers.get("x-vfs-content-hash") ?? "", /^sha256-[A-Za-z0-9+/]{43}=$/);
});

test("serves one range: within a segment, over its edge, from the end, to the end", async () => {
  const MiB = 1024 * 1024;
  for (const [range, start, end] of [
    ["bytes=0-0", 0, 0],
    ["bytes=5-9", 5, 9],
    [`bytes=${MiB - 3}-${MiB + 3}`, MiB - 3, MiB + 3],
    ["bytes=-20", bytes.length - 20, bytes.length - 1],
    [`bytes=${2 * MiB}-`, 2 * MiB, bytes.length - 1],
    [`bytes=0-${bytes.length * 2}`, 0, bytes.length - 1],
    [`bytes=-${bytes.length * 2}`, 0, bytes.length - 1],
    ["BYTES=1-2", 1, 2],
  ] as const) {
    const answer = await get({ range });
    assert.equal(answer.status, 206, range);
    assert.equal(answer.headers.get("content-range"), `bytes ${start}-${end}/${bytes.length}`);
    assert.deepEqual(await bodyOf(answer), bytes.subarray(start, end + 1), range);
  }
});

test("answers the whole to several ranges, other units, malformed ones and a failed If-Range", async () => {
  const asked: Record<string, string>[] = [
    { range: "bytes=0-1,5-6" },
    { range: "items=0-1" },
    { range: "bytes=x" },
    { range: "bytes=0-1", "if-range": '"other"' },
    { range: "bytes=0-1", "if-range": `W/${etag}` },
  ];
  for (const headers of asked) {
    const answer = await get(headers);
    assert.equal(answer.status, 200, JSON.stringify(headers));
    await answer.body?.cancel();
  }
  assert.equal((await bodyOf(await get({ range: "bytes=0-1", "if-range": etag }))).length, 2);
});

test("answers 416 with the size to a range beyond the end", async () => {
  const answer = await get({ range: `bytes=${bytes.length}-` });
  assert.equal(answer.status, 416);
  assert.equal(answer.headers.get("content-range"), `bytes */${bytes.length}`);
  assert.equal((await answer.json()).code, "RANGE_NOT_SATISFIABLE");
});

test("answers 304 to the known tag, weak or in a list, and 412 to another If-Match", async () => {
  for (const tag of [etag, `W/${etag}`, `"a", ${etag}`, "*"]) {
    const answer = await get({ "if-none-match": tag });
    assert.equal(answer.status, 304, tag);
    assert.equal(answer.headers.get("etag"), etag);
    assert.equal(await answer.text(), "");
  }
  assert.equal((await get({ "if-match": '"bafkother"' })).status, 412);
  assert.equal((await get({ "if-none-match": "unquoted" })).status, 400);
});

test("answers HEAD with the same headers and no bytes", async () => {
  const answer = await get({ range: "bytes=0-1" }, "HEAD");
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("content-length"), String(bytes.length));
  assert.equal(answer.headers.get("x-vfs-cid"), etag.slice(1, -1));
  assert.equal(await answer.text(), "");
});

test("serves by path, by version and by CID in any multibase with the same headers", async () => {
  const cid = etag.slice(1, -1);
  const own = await get({}, "HEAD");
  for (const where of [
    `/content?path=${encodeURIComponent('/ünï "x".bin')}`,
    `/files/${id}/versions/1/content`,
    `/cid/${cid}`,
    `/cid/${cid.toUpperCase()}`,
  ]) {
    const answer = await http.fs("GET", where, { headers: { range: "bytes=3-4" } });
    assert.equal(answer.status, 206, where);
    assert.deepEqual(await bodyOf(answer), bytes.subarray(3, 5));
    for (const name of ["etag", "x-vfs-cid", "x-vfs-content-hash", "x-vfs-version", "content-disposition"]) {
      assert.equal(answer.headers.get(name), own.headers.get(name), `${where} ${name}`);
    }
  }
});

test("serves an empty file, and no range of it", async () => {
  const { id: empty } = await (await http.fs("POST", "/files?path=/empty", { body: "" })).json();
  const answer = await http.fs("GET", `/files/${empty}/content`);
  assert.equal(answer.status, 200);
  assert.equal(answer.headers.get("x-vfs-cid"), "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku");
  assert.equal(await answer.text(), "");
  assert.equal((await http.fs("GET", `/files/${empty}/content`, { headers: { range: "bytes=0-" } })).status, 416);
  assert.equal((await http.fs("GET", `/files/${empty}/content`, { headers: { range: "bytes=-5" } })).status, 416);
});
