import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";

const bins = {
  conformance: createRequire(import.meta.url).resolve("@modelcontextprotocol/conformance/package.json"),
  inspector: createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json"),
};
const scripts = {
  conformance: join(bins.conformance, "..", "dist", "index.js"),
  inspector: join(bins.inspector, "..", "clients", "launcher", "build", "index.js"),
};

/**
 * The official suite's scenarios that apply. The others call tools, prompts and resources of a server made for the suite
 * (`tools-call-*`, `prompts-*`, `resources-*`, `completion-complete`, `json-schema-2020-12`), or ask for what this server does not
 * offer: logging, sampling, elicitation, and streams from the server (`server-sse-*`).
 */
const scenarios = ["server-initialize", "ping", "tools-list", "dns-rebinding-protection"];

describe("the MCP endpoint with the official tools", () => {
  let http: TestHttp;
  let server: Listening;
  /** The same server for a suite that knows no tokens: it puts the owner's into every request. */
  let open: Listening;
  let authorization: string;
  let home: string;
  before(async () => {
    http = await openTestHttp();
    authorization = await http.bearer();
    server = await listen(http.app);
    open = await listen({
      fetch: (request, env) => {
        const headers = new Headers(request.headers);
        headers.set("authorization", authorization);
        return http.app.fetch(new Request(request, { headers }), env);
      },
    });
    home = await mkdtemp(join(tmpdir(), "hearth-inspector-"));
  });
  after(async () => {
    await open.close();
    await server.close();
    await http.close();
    await rm(home, { recursive: true, force: true });
  });

  const run = (script: string, args: string[]) =>
    new Promise<{ code: number; out: string }>((resolve) => {
      // The inspector keeps notes in the home folder.
      const options = { env: { ...process.env, HOME: home }, cwd: home, timeout: 120_000 };
      execFile(process.execPath, [script, ...args], options, (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), out: `${stdout}${stderr}` });
      });
    });

  for (const scenario of scenarios) {
    it(`passes the conformance scenario ${scenario}`, async () => {
      const { code, out } = await run(scripts.conformance, [
        ...["server", "--url", `${open.url}/mcp`, "--scenario", scenario],
      ]);
      assert.match(out, /Passed: (\d+)\/\1, 0 failed/);
      assert.equal(code, 0, out);
    });
  }

  it("is listed and called by the inspector", async () => {
    const target = ["--cli", `${server.url}/mcp`, "--transport", "http", "--header", `Authorization: ${authorization}`];
    const listed = await run(scripts.inspector, [...target, "--method", "tools/list"]);
    assert.equal(listed.code, 0, listed.out);
    const names = JSON.parse(listed.out).tools.map(({ name }: { name: string }) => name);
    assert.ok(names.includes("vfs_restore_version") && names.length === 17, names.join());
    const call = ["--method", "tools/call", "--tool-name"];
    const written = await run(scripts.inspector, [
      ...target,
      ...call,
      "vfs_write",
      ...["--tool-arg", "path=/inspected.txt", "content=hello world"],
    ]);
    assert.equal(JSON.parse(written.out).structuredContent.size, 11, written.out);
  });
});
