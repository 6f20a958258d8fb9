import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";

let http: TestHttp;
before(async () => {
  http = await openTestHttp();
});
after(() => http.close());

test("accepts 1000 moves to paths of 1024 characters in one batch", async () => {
  const items = Array.from({ length: 1000 }, (_, index) => ({
    id: "01KAZ5T6Q4M7R8S9T0V1W2X3Y4",
    destinationPath: `/${String(index).padStart(4, "0")}${"😀".repeat(1019)}`,
  }));
  const answer = await http.fs("POST", "/batch/move", { body: JSON.stringify({ items }) });
  const { failed, results } = await answer.json();
  assert.equal(failed, 1000);
  assert.equal(results[0].code, "NOT_FOUND");
});

test("refuses a path whose escapes are not UTF-8", async () => {
  const answer = await http.fs("POST", "/files?path=/a%FF", { body: "x" });
  assert.equal(answer.status, 400);
  assert.equal((await answer.json()).details[0].rule, "percent-encoding");
});

test("accepts a list of all the owner's abilities on owner-only routes", async () => {
  const { id } = await (await http.fs("POST", "/files?path=/owned", { body: "x" })).json();
  const each = await http.bearer({ abilities: ["fs/list", "fs/read", "fs/write", "fs/delete"] });
  const body = JSON.stringify({ keep: 1 });
  const prune = (as: string) => http.fs("POST", `/files/${id}/versions/prune`, { as, body });
  const reader = await http.bearer({ abilities: ["fs/read"] });
  assert.equal((await http.fs("GET", "/events", { as: each })).status, 200);
  assert.equal((await http.fs("GET", "/events", { as: reader })).status, 200);
  assert.equal((await prune(each)).status, 200);
  assert.equal((await prune(reader)).status, 403);
  const folder = await http.bearer({ path: "/folder" });
  assert.equal((await http.fs("GET", "/events", { as: folder })).status, 403);
  assert.equal((await http.fs("GET", "/events", { as: await http.bearer({ abilities: ["fs/list"] }) })).status, 403);
});

test("restores a version only onto the head that If-Match names", async () => {
  const first = await (await http.fs("POST", "/files?path=/restored", { body: "first" })).json();
  const second = await (await http.fs("PUT", `/files/${first.id}`, { body: "second" })).json();
  const restore = (cid: string) =>
    http.fs("POST", `/files/${first.id}/versions/1/restore`, { headers: { "if-match": `"${cid}"` } });
  const refused = await restore(first.cid);
  assert.equal(refused.status, 412);
  assert.deepEqual((await refused.json()).head, { version: 2, cid: second.cid });
  assert.equal((await (await restore(second.cid)).json()).version, 3);
});

test("trashes a file only with the head that If-Match names", async () => {
  const first = await (await http.fs("POST", "/files?path=/trashed", { body: "first" })).json();
  const second = await (await http.fs("PUT", `/files/${first.id}`, { body: "second" })).json();
  const trash = (cid: string) => http.fs("DELETE", `/files/${first.id}`, { headers: { "if-match": `"${cid}"` } });
  assert.equal((await trash(first.cid)).status, 412);
  assert.equal((await http.fs("GET", `/files/${first.id}`)).status, 200);
  assert.equal((await trash(second.cid)).status, 200);
  assert.equal((await trash(second.cid)).status, 404);
});
