import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { tusHeaders, tusMetadata } from "../../../test/support/files/http-bodies.ts";
import { openAgent } from "../../../test/support/files/mcp.ts";
import { generateKey, type Key } from "../../platform/ucan/mint.ts";

let listed: Key;
let http: TestHttp;
let server: Listening;
before(async () => {
  listed = await generateKey();
  http = await openTestHttp({ FS_OWNERS: `did:web:example.org, ${listed.did()}`, FS_WRITES_PER_MINUTE: "20" });
  server = await listen(http.app);
});
after(async () => {
  await server.close();
  await http.close();
});

const json = (value: unknown) => ({ body: JSON.stringify(value), headers: { "content-type": "application/json" } });

test("keeps files only for the owners that the operator lists, by every door", async () => {
  const upload = (as: string, path: string) =>
    http.fs("POST", "/upload", {
      as,
      headers: tusHeaders({ "upload-length": "4", "upload-metadata": tusMetadata(path) }),
    });
  const other = await http.bearer();
  const own = await http.bearer({ issuer: listed });
  for (const [as, status] of [
    [own, 201],
    [other, 403],
  ] as const) {
    assert.equal((await http.fs("POST", "/files?path=/a", { as, body: "text" })).status, status);
    assert.equal((await upload(as, "/b")).status, status);
    const marked = await http.fs("PUT", "/folders/public", { as, ...json({ path: "/site", public: true }) });
    assert.equal(marked.status, status === 201 ? 200 : 403);
  }
  const agent = await openAgent(server.url, other);
  const { isError, body } = await agent.call("vfs_write", { path: "/c", content: "text" });
  assert.deepEqual([isError, body.code], [true, "FORBIDDEN"]);
  await agent.close();
  assert.equal((await http.fs("GET", "/files", { as: other })).status, 200);
});

test("lets one address make so many changes a minute, whatever keys they come with", async () => {
  const statuses: number[] = [];
  for (let i = 0; i < 25; i++) {
    const as = await http.bearer({ issuer: await generateKey() });
    statuses.push((await http.fs("POST", `/files?path=/${i}`, { as, body: "x" })).status);
  }
  assert.ok(statuses.filter((status) => status === 429).length >= 5, statuses.join());
  const own = await http.bearer({ issuer: listed });
  const refused = await http.fs("POST", "/files?path=/late", { as: own, body: "x" });
  assert.equal(refused.status, 429);
  assert.ok(Number(refused.headers.get("retry-after")) > 0);
  assert.equal((await http.fs("GET", "/files", { as: own })).status, 200);
  const answer = await http.app.request("/mcp", {
    method: "POST",
    headers: { authorization: own, ...json({}).headers, accept: "application/json, text/event-stream" },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "vfs_write", arguments: { path: "/agent", content: "x" } },
    }),
  });
  assert.equal(answer.status, 429);
});
