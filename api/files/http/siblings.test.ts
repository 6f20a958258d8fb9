import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { openAgent, type TestAgent } from "../../../test/support/files/mcp.ts";

type Made = { id: string; path: string; cid: string };
type Page = { items: { path?: string; file?: { path: string } }[] };

describe("a folder whose name begins like another's", () => {
  let http: TestHttp;
  let server: Listening;
  let agent: TestAgent;
  /** Of a token for `/a` alone. */
  let scoped: string;
  const made = {} as Record<"/a/in.txt" | "/ab/out.txt" | "/a.txt" | "/a-b/out.txt", Made>;
  const outside = ["/ab/out.txt", "/a.txt", "/a-b/out.txt"] as const;
  before(async () => {
    http = await openTestHttp({ LOG_LEVEL: "silent" });
    server = await listen(http.app);
    scoped = await http.bearer({ path: "/a" });
    agent = await openAgent(server.url, scoped);
    for (const path of ["/a/in.txt", ...outside] as const) {
      const answer = await http.fs("POST", `/files?path=${path}`, { body: `common words of ${path}` });
      assert.equal(answer.status, 201);
      made[path] = (await answer.json()) as Made;
    }
  });
  after(async () => {
    await agent?.close();
    await server?.close();
    await http?.close();
  });

  const json = { "content-type": "application/json" };
  const ask = async (method: string, path: string, body?: object | string) => {
    const init =
      body === undefined ? {} : typeof body === "string" ? { body } : { body: JSON.stringify(body), headers: json };
    const answer = await http.fs(method, path, { as: scoped, ...init });
    return { status: answer.status, text: await answer.text() };
  };
  const pathsOf = (text: string) => (JSON.parse(text) as Page).items.map(({ path, file }) => path ?? file?.path);

  it("is not listed, found or downloaded by a token for the other", async () => {
    for (const route of [
      ...[
        "/files?path=/a",
        "/tree?path=/a",
        "/glob?pattern=/**",
        "/glob?pattern=/a*/*",
        "/search?q=common",
        "/grep?q=common",
      ],
      ...["/files?path=/", "/tree?path=/", "/cids", "/trash"],
    ]) {
      const { status, text } = await ask("GET", route);
      const found = status === 200 ? pathsOf(text) : [];
      assert.ok(status === 200 || status === 404, `${route}: ${status} ${text}`);
      const shown = route === "/tree?path=/" ? ["/a"] : ["/a/in.txt"];
      assert.deepEqual(found, route === "/trash" || status === 404 ? [] : shown, route);
    }
    const zip = await ask("GET", "/folder/download?path=/a");
    assert.ok(zip.text.includes("in.txt") && !zip.text.includes("out.txt"));
    for (const folder of ["/ab", "/a-b"])
      assert.notEqual((await ask("GET", `/folder/download?path=${folder}`)).status, 200);
    // The list of all events is for those who see all.
    assert.equal((await ask("GET", "/events")).status, 403);
    const usage = JSON.parse((await ask("GET", "/usage")).text) as { files: number };
    assert.equal(usage.files, 1);
  });

  it("cannot be read or changed by a token for the other, by path, id or CID", async () => {
    for (const path of outside) {
      const { id, cid } = made[path];
      const item = { ids: [id] };
      const requests: [string, string, (object | string)?][] = [
        ["GET", `/content?path=${path}`],
        ["GET", `/cid/${cid}`],
        ...["", "/content", "/read", "/versions", "/versions/1/content", "/versions/diff?from=1&to=1", "/events"].map(
          (end): [string, string] => ["GET", `/files/${id}${end}`],
        ),
        ["PUT", `/files/${id}`, "other words"],
        ["PATCH", `/files/${id}/edit`, { oldString: "common", newString: "other" }],
        ["DELETE", `/files/${id}`],
        ["POST", `/files/${id}/restore`],
        ["POST", `/files/${id}/purge`],
        ["PATCH", `/files/${id}/hidden`, { hidden: true }],
        ["PATCH", `/files/${id}/public`, { public: true }],
        ["POST", `/files/${id}/versions/1/restore`],
        ["PUT", `/files/${id}/versions/1/label`, { label: "mine" }],
        ["POST", `/files?path=${path}`, "other words"],
        ["POST", `/files?path=${path}.new`, "other words"],
        ["PUT", "/folders/hidden", { path: path.slice(0, path.lastIndexOf("/")) || path, hidden: true }],
        ["PUT", "/folders/public", { path: path.slice(0, path.lastIndexOf("/")) || path, public: true }],
      ];
      for (const [method, route, body] of requests) {
        const { status, text } = await ask(method, route, body);
        assert.doesNotMatch(text, /There is no [A-Z]+ /);
        assert.ok(status === 403 || status === 404, `${method} ${route}: ${status} ${text}`);
      }
      for (const [kind, input] of [
        ["delete", item],
        ["purge", item],
        ["restore", item],
        ["move", { items: [{ id, destinationPath: "/a/taken.txt" }] }],
        ["move", { items: [{ id: made["/a/in.txt"].id, destinationPath: `${path}.moved` }] }],
      ] as const) {
        const { status, text } = await ask("POST", `/batch/${kind}`, input);
        const answer = JSON.parse(text) as { succeeded?: number };
        assert.ok(status === 403 || answer.succeeded === 0, `${kind}: ${status} ${text}`);
      }
      const upload = await http.app.request("/api/fs/uploads", {
        method: "POST",
        headers: {
          authorization: scoped,
          "tus-resumable": "1.0.0",
          "upload-length": "3",
          "upload-metadata": `path ${Buffer.from(`${path}.new`).toString("base64")}`,
        },
      });
      assert.ok([403, 404].includes(upload.status), `${upload.status} ${await upload.text()}`);
    }
    const { items } = (await (await http.fs("GET", "/glob?pattern=/**")).json()) as { items: { path: string }[] };
    assert.deepEqual(items.map(({ path }) => path).sort(), ["/a-b/out.txt", "/a.txt", "/a/in.txt", "/ab/out.txt"]);
  });

  it("stays closed to an agent with such a token", async () => {
    for (const path of outside) {
      for (const [tool, input] of [
        ["vfs_read", { path }],
        ["vfs_versions", { path }],
        ["vfs_edit", { path, oldString: "common", newString: "x" }],
        ["vfs_write", { path, text: "x" }],
        ["vfs_delete", { path }],
        ["vfs_move", { path, to: "/a/taken.txt" }],
        ["vfs_set_public", { path, public: true }],
        ["vfs_read_cid", { cid: made[path].cid }],
      ] as const) {
        const answer = await agent.call(tool, input);
        assert.equal(answer.isError, true, `${tool} ${path}: ${JSON.stringify(answer.body)}`);
      }
    }
    const list = await agent.call("vfs_glob", { pattern: "/**" });
    assert.deepEqual(
      (list.body.items as { path: string }[]).map(({ path }) => path),
      ["/a/in.txt"],
    );
  });

  it("is neither hidden nor made public with the other", async () => {
    const read = async (path: string) => (await http.app.request(`/public/id/${made[path as "/a.txt"].id}`)).status;
    assert.equal(
      (await http.fs("PUT", "/folders/public", { body: '{"path":"/a","public":true}', headers: json })).status,
      200,
    );
    assert.deepEqual(await Promise.all(["/a/in.txt", ...outside].map(read)), [200, 404, 404, 404]);
    assert.equal(
      (await http.fs("PUT", "/folders/hidden", { body: '{"path":"/a","hidden":true}', headers: json })).status,
      200,
    );
    const plain = await http.bearer({ abilities: ["fs/read"] });
    const { items } = (await (await http.fs("GET", "/glob?pattern=/**", { as: plain })).json()) as Page;
    assert.deepEqual(items.map(({ path }) => path).sort(), ["/a-b/out.txt", "/a.txt", "/ab/out.txt"]);
  });
});
