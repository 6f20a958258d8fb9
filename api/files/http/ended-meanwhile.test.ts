import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { countTraces } from "../../../test/support/files/files.ts";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { slowBody, tusHeaders, tusMetadata } from "../../../test/support/files/http-bodies.ts";
import { parseDelegation } from "../../platform/ucan/mint.ts";

let http: TestHttp;
let skipped = 0;
before(async () => {
  http = await openTestHttp({ FS_BODY_SECONDS: "2" }, { clock: { now: () => new Date(Date.now() + skipped) } });
});
after(() => http.close());

const json = (value: unknown) => ({ body: JSON.stringify(value), headers: { "content-type": "application/json" } });
const create = async (path: string, body: string) => (await http.fs("POST", `/files?path=${path}`, { body })).json();

async function revoke(as: string): Promise<void> {
  const token = as.replace("Bearer ", "");
  const cid = (await parseDelegation(token)).cid.toString();
  assert.equal((await http.fs("POST", "/revocations", json({ cid, token }))).status, 201);
}

async function tokenFor(options = {}): Promise<string> {
  // A separate token for each: revoking a shared one would revoke it for the others.
  return await http.bearer({
    expiration: Math.floor(Date.now() / 1000) + 600 + Math.floor(Math.random() * 1000),
    ...options,
  });
}

type Door = [name: string, begin: (as: string, init: RequestInit) => Promise<Response>, end: string];
async function doors(): Promise<Door[]> {
  const file = await create(`/doors/${Math.random()}`, "old");
  const full = await create(`/doors/${Math.random()}`, "same bytes");
  return [
    ["create", (as, init) => http.fs("POST", `/files?path=/new/${Math.random()}`, { as, ...init }), "new bytes"],
    ["write", (as, init) => http.fs("PUT", `/files/${file.id}`, { as, ...init }), "new bytes"],
    ["write of the same", (as, init) => http.fs("PUT", `/files/${full.id}`, { as, ...init }), "same bytes"],
  ];
}

test("refuses a body whose token was revoked while it came, and keeps nothing of it", async () => {
  for (const [name, begin, content] of await doors()) {
    const as = await tokenFor();
    const slow = slowBody();
    const going = begin(as, slow.init);
    slow.send(content);
    await sleep(50);
    await revoke(as);
    const before = await countTraces(http.deps);
    slow.end();
    const answer = await going;
    assert.deepEqual([answer.status, (await answer.json()).code], [401, "REVOKED"], name);
    const { blobs, ...traces } = await countTraces(http.deps);
    const { blobs: _, ...others } = before;
    assert.deepEqual(traces, others, name);
    assert.ok(blobs <= before.blobs, name);
  }
});

test("refuses a body whose token expired while it came", async () => {
  for (const [name, begin, content] of await doors()) {
    const as = await tokenFor();
    const slow = slowBody();
    const going = begin(as, slow.init);
    slow.send(content);
    await sleep(50);
    skipped = 3_600_000;
    try {
      slow.end();
      const answer = await going;
      assert.deepEqual([answer.status, (await answer.json()).code], [401, "EXPIRED"], name);
    } finally {
      skipped = 0;
    }
  }
});

test("adds nothing to an upload when the token ended while the part came", async () => {
  const as = await tokenFor();
  const begun = await http.fs("POST", "/upload", {
    as,
    headers: tusHeaders({ "upload-length": "10", "upload-metadata": tusMetadata("/revoked.txt") }),
  });
  const location = (begun.headers.get("location") ?? "").replace("/api/fs", "");
  const slow = slowBody();
  const headers = tusHeaders({ "upload-offset": "0", "content-type": "application/offset+octet-stream" });
  const going = http.fs("PATCH", location, { as, headers, ...slow.init });
  slow.send("01234");
  await sleep(50);
  await revoke(as);
  slow.end();
  assert.equal((await going).status, 401);
  const head = await http.fs("HEAD", location, { headers: tusHeaders({}) });
  assert.equal(head.headers.get("upload-offset"), "0");
});

test("ends a body that takes longer than a body may, and keeps nothing of it", async () => {
  const before = await countTraces(http.deps);
  const slow = slowBody();
  const going = http.fs("POST", "/files?path=/trickle", slow.init);
  const trickle = setInterval(() => slow.send("x"), 100);
  const answer = await going;
  clearInterval(trickle);
  assert.deepEqual([answer.status, (await answer.json()).code], [408, "REQUEST_TIMEOUT"]);
  assert.equal(answer.headers.get("connection"), "close");
  assert.deepEqual(await countTraces(http.deps), before);
});

test("answers 404, and keeps nothing, when a folder was hidden while the body came", async () => {
  const hide = (path: string) => http.fs("PUT", "/folders/hidden", json({ path, hidden: true }));
  const old = await create("/shared/old.txt", "old");
  const same = await create("/shared2/same.txt", "same");
  const cases: [string, string, (init: RequestInit) => Promise<Response>, string][] = [
    ["create", "/fresh", (init) => http.fs("POST", "/files?path=/fresh/deep/a.txt", init), "new"],
    ["write", "/shared", (init) => http.fs("PUT", `/files/${old.id}`, init), "new"],
    ["write of the same", "/shared2", (init) => http.fs("PUT", `/files/${same.id}`, init), "same"],
  ];
  for (const [name, folder, begin, content] of cases) {
    const slow = slowBody();
    const going = begin(slow.init);
    slow.send(content);
    await sleep(50);
    assert.equal((await hide(folder)).status, 200);
    slow.end();
    const answer = await going;
    const body = await answer.json();
    assert.deepEqual([answer.status, body.code, body.message], [404, "NOT_FOUND", "There is no such file here."], name);
    assert.equal(answer.headers.get("location"), null);
  }
  const reveal = await http.bearer({ nb: { hidden: "*" } });
  const kept = await (await http.fs("GET", `/files/${old.id}`, { as: reveal })).json();
  assert.deepEqual([kept.version, kept.size], [1, 3]);
  const fresh = await http.fs("GET", "/files?path=/fresh", { as: reveal });
  assert.deepEqual((await fresh.json()).items, []);
});

test("hides an upload under way when its folder is hidden", async () => {
  const begun = await http.fs("POST", "/upload", {
    headers: tusHeaders({ "upload-length": "10", "upload-metadata": tusMetadata("/later/hidden.txt") }),
  });
  const location = (begun.headers.get("location") ?? "").replace("/api/fs", "");
  await http.fs("PUT", "/folders/hidden", json({ path: "/later", hidden: true }));
  const headers = tusHeaders({ "upload-offset": "0", "content-type": "application/offset+octet-stream" });
  assert.equal((await http.fs("HEAD", location, { headers: tusHeaders({}) })).status, 404);
  assert.equal((await http.fs("PATCH", location, { headers, body: "0123456789" })).status, 404);
  const reveal = await http.bearer({ nb: { hidden: "*" } });
  const done = await http.fs("PATCH", location, { as: reveal, headers, body: "0123456789" });
  assert.equal(done.status, 204);
});
