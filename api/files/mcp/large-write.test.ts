import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { after, before, test } from "node:test";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { openAgent, type TestAgent } from "../../../test/support/files/mcp.ts";

const MiB = 1024 * 1024;
let http: TestHttp;
let server: Listening;
let agent: TestAgent;
before(async () => {
  http = await openTestHttp();
  server = await listen(http.app);
  agent = await openAgent(server.url, await http.bearer());
});
after(async () => {
  await agent.close();
  await server.close();
  await http.close();
});

test("accepts 16 MiB in base64 unchanged, and refuses one byte more", async () => {
  const bytes = randomBytes(16 * MiB);
  const written = await agent.call("vfs_write", {
    path: "/large.bin",
    content: bytes.toString("base64"),
    encoding: "base64",
  });
  assert.deepEqual([written.isError, written.body.size], [false, bytes.length], JSON.stringify(written.body));
  const content = await http.fs("GET", "/content?path=/large.bin");
  assert.ok(bytes.equals(Buffer.from(await content.arrayBuffer())));
  const more = Buffer.concat([bytes, Buffer.of(1)]).toString("base64");
  const refused = await agent.call("vfs_write", { path: "/more.bin", content: more, encoding: "base64" });
  assert.deepEqual([refused.isError, refused.body.status, refused.body.code], [true, 413, "TOO_LARGE"]);
});

test("accepts base64 with and without padding, and names text that is not base64, however long it is", async () => {
  const write = (content: string) => agent.call("vfs_write", { path: "/short.bin", content, encoding: "base64" });
  for (const content of ["", "YQ==", "YQ", "YWI=", "YWI", "YWJj"]) {
    assert.equal((await write(content)).isError, false, content);
  }
  for (const content of ["Y", "YQ=", "YWI==", "YWJj=", "=", "YQ==YQ==", "Y W", `${"A".repeat(12 * MiB)}*AAA`]) {
    assert.deepEqual((await write(content)).body.status, 400, content.slice(0, 20));
  }
});
