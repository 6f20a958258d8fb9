import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { openAgent, type TestAgent } from "../../../test/support/files/mcp.ts";
import { Access, mintToken } from "../../platform/ucan/index.ts";
import { generateKey, mintDelegation } from "../../platform/ucan/mint.ts";
import { listFileEvents } from "../audit/list-events.ts";

const all = [
  ...["vfs_list", "vfs_glob", "vfs_grep", "vfs_search", "vfs_read", "vfs_versions", "vfs_read_cid", "vfs_list_cids"],
  ...["vfs_diff", "vfs_write", "vfs_edit", "vfs_move", "vfs_delete", "vfs_restore", "vfs_restore_version"],
  ...["vfs_set_hidden", "vfs_set_public"],
];
const helloCid = "bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e";

describe("the file store's MCP endpoint", () => {
  let http: TestHttp;
  let server: Listening;
  let agent: TestAgent;
  let skipped = 0;
  const clock = { now: () => new Date(Date.now() + skipped) };
  before(async () => {
    http = await openTestHttp({}, { clock });
    server = await listen(http.app);
    agent = await openAgent(server.url, await http.bearer());
  });
  after(async () => {
    await agent.close();
    await server.close();
    await http.close();
  });

  const as = async (options: Parameters<TestHttp["bearer"]>[0]) => openAgent(server.url, await http.bearer(options));
  const post = async (body: unknown, headers: Record<string, string> = {}) =>
    fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: await http.bearer(),
        ...headers,
      },
      body: JSON.stringify(body),
    });
  const ping = { jsonrpc: "2.0", id: 1, method: "ping" };

  it("offers the owner every tool, described, with strict arguments and hints", async () => {
    assert.deepEqual((await agent.tools()).sort(), [...all].sort());
    const { tools } = await agent.client.listTools();
    for (const tool of tools) {
      assert.equal(tool.inputSchema.additionalProperties, false, tool.name);
      assert.ok((tool.description ?? "").length > 20, tool.name);
      assert.equal(typeof tool.annotations?.readOnlyHint, "boolean", tool.name);
    }
    assert.equal(agent.client.getServerVersion()?.name, "hearth-files");
  });

  it("takes an agent through list, past CID and restore", async () => {
    const path = "/agent/notes.txt";
    const written = await agent.call("vfs_write", { path, content: "hello world" });
    assert.equal(written.body.cid, helloCid);
    assert.equal(written.body.mimeType, "text/plain;charset=utf-8");
    const edited = await agent.call("vfs_edit", { path, oldString: "world", newString: "agent" });
    assert.equal(edited.body.replacements, 1);
    const versions = (await agent.call("vfs_versions", { path })).body.versions as { version: number; cid: string }[];
    assert.deepEqual(versions.map(({ cid }) => cid).at(-1), helloCid);
    const past = await agent.call("vfs_read_cid", { cid: helloCid });
    assert.equal(past.body.text, "     1\thello world");
    const diff = await agent.call("vfs_diff", { path, from: 1, to: 2 });
    assert.match(String(diff.body.diff), /-hello world[\s\S]*\+hello agent/);
    const restored = await agent.call("vfs_restore_version", { path, version: 1 });
    assert.equal(restored.body.cid, helloCid);
    assert.deepEqual(restored.body.metadata, { revertedTo: 1 });
    const read = await agent.call("vfs_read", { path, version: 2 });
    assert.equal(read.body.text, "     1\thello agent");
  });

  it("moves, deletes, restores, hides and publishes", async () => {
    await agent.call("vfs_write", { path: "/life/a.txt", content: "one line of life" });
    const moved = await agent.call("vfs_move", { path: "/life/a.txt", destinationPath: "/life/b.txt" });
    assert.deepEqual([moved.body.path, moved.body.version], ["/life/b.txt", 2]);
    const found = await agent.call("vfs_grep", { q: "of life", path: "/life" });
    assert.equal((found.body.items as { line: number }[])[0]?.line, 1);
    const searched = await agent.call("vfs_search", { q: "life", path: "/life" });
    assert.equal((searched.body.items as unknown[]).length, 1);
    const matched = await agent.call("vfs_glob", { pattern: "/life/*.txt" });
    assert.equal((matched.body.items as unknown[]).length, 1);
    const published = await agent.call("vfs_set_public", { path: "/life/b.txt", public: true });
    assert.equal(published.body.public, true);
    await agent.call("vfs_delete", { path: "/life/b.txt" });
    assert.equal((await agent.call("vfs_read", { path: "/life/b.txt" })).body.code, "NOT_FOUND");
    assert.equal((await agent.call("vfs_restore", { path: "/life/b.txt" })).body.path, "/life/b.txt");
    const folder = await agent.call("vfs_list", { path: "/life", recursive: false });
    assert.deepEqual(
      (folder.body.items as { kind: string }[]).map(({ kind }) => kind),
      ["file"],
    );
    await agent.call("vfs_set_hidden", { path: "/life/b.txt", hidden: true });
    assert.equal((await agent.call("vfs_read", { path: "/life/b.txt" })).body.code, "NOT_FOUND");
    const revealing = await as({ nb: { hidden: "*" } });
    assert.equal((await revealing.call("vfs_read", { path: "/life/b.txt" })).isError, false);
    await revealing.close();
  });

  it("carries bytes that are not text as base64, both ways", async () => {
    const bytes = Buffer.from([0, 255, 1, 254]);
    const content = bytes.toString("base64");
    const written = await agent.call("vfs_write", { path: "/bin/x.bin", content, encoding: "base64" });
    assert.equal(written.body.size, 4);
    const { body } = await agent.call("vfs_read", { path: "/bin/x.bin" });
    assert.deepEqual([body.encoding, body.content], ["base64", content]);
    const refused = await agent.call("vfs_write", { path: "/bin/x.bin", content: "no base64!", encoding: "base64" });
    assert.deepEqual([refused.isError, refused.body.code], [true, "INVALID_INPUT"]);
  });

  it("pages through long text by lines", async () => {
    const content = Array.from({ length: 30 }, (_, index) => `line ${index + 1}`).join("\n");
    await agent.call("vfs_write", { path: "/long.txt", content });
    const { body } = await agent.call("vfs_read", { path: "/long.txt", offset: 11, limit: 5 });
    assert.deepEqual([body.offset, body.count, body.hasMore, body.totalLines], [11, 5, true, 30]);
    assert.match(String(body.text), /^ {4}11\tline 11\n/);
  });

  it("answers errors with the same body as REST", async () => {
    const { id, path } = (await agent.call("vfs_write", { path: "/same.txt", content: "same" })).body;
    const edit = { oldString: "other", newString: "x" };
    const rest = await http.fs("PATCH", `/files/${id}/edit`, {
      body: JSON.stringify(edit),
      headers: { "content-type": "application/json" },
    });
    const tool = await agent.call("vfs_edit", { path, ...edit });
    assert.equal(tool.isError, true);
    const { requestId: _, ...expected } = (await rest.json()) as Record<string, unknown>;
    const { requestId, ...body } = tool.body;
    assert.deepEqual(body, expected);
    assert.equal(typeof requestId, "string");
  });

  it("names every argument that is wrong", async () => {
    const { isError, body } = await agent.call("vfs_diff", { path: "no", from: 0, extra: true });
    assert.equal(isError, true);
    assert.equal(body.code, "INVALID_INPUT");
    const named = (body.details as { path: string; rule: string }[]).map(({ path, rule }) => `${path} ${rule}`);
    assert.deepEqual(named.sort(), ["extra unknown-field", "from range", "path path-absolute", "to required"]);
    await assert.rejects(agent.call("vfs_nothing"), /There is no such tool/);
  });

  it("refuses control characters outside of contents, and arguments that are nested deeply", async () => {
    const content = "form feed \f and escape \u001b";
    const written = await agent.call("vfs_write", { path: "/controls.txt", content });
    assert.equal(written.body.size, Buffer.byteLength(content));
    const { body } = await agent.call("vfs_grep", { q: "a\u0000b" });
    assert.deepEqual(
      (body.details as { path: string; rule: string }[]).map(({ path, rule }) => `${path} ${rule}`),
      ["q text"],
    );
    const nested = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"vfs_list","arguments":{"path":${nested}}}}`;
    const answer = await fetch(`${server.url}/mcp`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        authorization: await http.bearer(),
      },
      body: call,
    });
    const { result } = (await answer.json()) as { result?: { structuredContent: { code: string } } };
    assert.equal(result?.structuredContent.code, "INVALID_INPUT");
  });

  it("offers only what the token can use, and refuses the rest", async () => {
    const reader = await as({ abilities: ["fs/read"], path: "/agent" });
    assert.deepEqual((await reader.tools()).sort(), [...all.slice(0, 9)].sort());
    const refused = await reader.call("vfs_write", { path: "/agent/x", content: "x" });
    assert.deepEqual([refused.isError, refused.body.code, refused.body.status], [true, "FORBIDDEN", 403]);
    const outside = await reader.call("vfs_read", { path: "/long.txt" });
    assert.equal(outside.body.code, "NOT_FOUND");
    await reader.close();
    const lister = await as({ abilities: ["fs/list"] });
    assert.deepEqual((await lister.tools()).sort(), ["vfs_glob", "vfs_list"]);
    await lister.close();
  });

  it("gives a token bound to CIDs two tools, and refuses every other", async () => {
    const bound = await as({ nb: { cids: [helloCid] } });
    assert.deepEqual((await bound.tools()).sort(), ["vfs_list_cids", "vfs_read_cid"]);
    assert.equal((await bound.call("vfs_read_cid", { cid: helloCid })).body.text, "     1\thello world");
    const { items } = (await bound.call("vfs_list_cids")).body as { items: { cid: string }[] };
    assert.deepEqual(
      items.map(({ cid }) => cid),
      [helloCid],
    );
    const inputs: Record<string, Record<string, unknown>> = {
      vfs_glob: { pattern: "/**" },
      vfs_grep: { q: "x" },
      vfs_search: { q: "x" },
      vfs_diff: { path: "/long.txt", from: 1, to: 1 },
      vfs_write: { path: "/long.txt", content: "x" },
      vfs_edit: { path: "/long.txt", oldString: "a", newString: "b" },
      vfs_move: { path: "/long.txt", destinationPath: "/y" },
      vfs_restore_version: { path: "/long.txt", version: 1 },
      vfs_set_hidden: { path: "/long.txt", hidden: true },
      vfs_set_public: { path: "/long.txt", public: true },
      vfs_list: {},
    };
    for (const name of all.filter((each) => each !== "vfs_read_cid" && each !== "vfs_list_cids")) {
      const { isError, body } = await bound.call(name, inputs[name] ?? { path: "/long.txt" });
      assert.deepEqual([name, isError, body.code], [name, true, "FORBIDDEN"]);
    }
    const other = await bound.call("vfs_read_cid", {
      cid: "bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku",
    });
    assert.equal(other.body.code, "FORBIDDEN");
    await bound.close();
  });

  it("ends with its token: revoked, then expired, in the middle of the conversation", async () => {
    const alice = await generateKey();
    const audience = http.deps.files.identity.did;
    const given = await mintDelegation({ issuer: http.owner, audience: alice.did(), abilities: ["fs/read"] });
    const options = { issuer: alice, audience, owner: http.owner.did(), abilities: ["fs/read"], proofs: [given] };
    const delegate = await openAgent(server.url, `Bearer ${await mintToken(options)}`);
    assert.equal((await delegate.call("vfs_list")).isError, false);
    const token = await mintToken({ ...options });
    const revoked = await http.fs("POST", "/revocations", {
      body: JSON.stringify({ cid: given.cid.toString(), token }),
      headers: { "content-type": "application/json" },
    });
    assert.equal(revoked.status, 201);
    await assert.rejects(delegate.call("vfs_list"), /REVOKED/);
    await delegate.close();
    const brief = await as({ expiration: Math.floor(Date.now() / 1000) + 600 });
    assert.equal((await brief.call("vfs_list")).isError, false);
    skipped = 700_000;
    await assert.rejects(brief.call("vfs_list"), /EXPIRED/);
    skipped = 0;
    await brief.close();
  });

  it("writes the agent's run and tool call into the audit", async () => {
    const meta = { runId: "run-7", toolCallId: "call-9" };
    const { body } = await agent.call("vfs_write", { path: "/audited.txt", content: "x" }, meta);
    const grant = await http.deps.files.authority.verifyBearer(await http.bearer());
    const ctx = { deps: http.deps, access: new Access(grant) };
    const { items } = await listFileEvents(ctx, { ref: { id: String(body.id) } });
    assert.deepEqual([items[0]?.runId, items[0]?.toolCallId], ["run-7", "call-9"]);
  });

  it("answers 401 without a good token, and 404 for any session's name", async () => {
    assert.equal((await post(ping, { authorization: "Bearer nonsense" })).status, 401);
    const { status, headers } = await fetch(`${server.url}/mcp`, { method: "POST", body: "{}" });
    assert.equal(status, 401);
    assert.match(headers.get("www-authenticate") ?? "", /^Bearer/);
    assert.equal((await post(ping, { "mcp-session-id": "another's" })).status, 404);
  });

  it("refuses streams, deletes, batches and malformed JSON", async () => {
    for (const method of ["GET", "DELETE"]) {
      const answer = await fetch(`${server.url}/mcp`, { method, headers: { authorization: await http.bearer() } });
      assert.deepEqual([answer.status, answer.headers.get("allow")], [405, "POST"]);
    }
    assert.equal((await post([ping])).status, 400);
    const authorization = await http.bearer();
    const broken = await fetch(`${server.url}/mcp`, { method: "POST", headers: { authorization }, body: "{" });
    assert.equal(broken.status, 400);
    assert.equal((await post(ping, { "mcp-protocol-version": "1999-01-01" })).status, 400);
  });

  it("answers only to its own names", async () => {
    assert.equal((await post(ping)).status, 200);
    assert.equal((await post(ping, { origin: "https://evil.example" })).status, 403);
    const rebound = await http.app.request("http://evil.example/mcp", { method: "POST", body: JSON.stringify(ping) });
    assert.equal(rebound.status, 403);
    const own = new URL(http.deps.config.publicUrl);
    assert.equal((await post(ping, { origin: own.origin })).status, 200);
  });

  it("speaks the protocol of 2025-11-25 and those before it", async () => {
    for (const protocolVersion of ["2025-11-25", "2025-06-18", "2025-03-26"]) {
      const params = { protocolVersion, capabilities: {}, clientInfo: { name: "t", version: "1" } };
      const answer = await post({ jsonrpc: "2.0", id: 1, method: "initialize", params });
      const { result } = (await answer.json()) as { result: { protocolVersion: string } };
      assert.equal(result.protocolVersion, protocolVersion);
    }
  });
});
