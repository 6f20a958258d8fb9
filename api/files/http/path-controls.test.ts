import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { sql } from "drizzle-orm";
import { type Listening, listen, openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import { openAgent, type TestAgent } from "../../../test/support/files/mcp.ts";

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

/** C0 with tab and line feed, DEL, C1, line and paragraph separator, bidi marks, overrides and isolates. */
const controls = [0x01, 0x09, 0x0a, 0x0d, 0x1b, 0x7f, 0x85, 0x9b, 0x2028, 0x2029, 0x200f, 0x61c, 0x202e, 0x2066];
const names = controls.map((code) => `/docs/a${String.fromCodePoint(code)}b.txt`);

type Refusal = { status: number; details: { rule: string }[] };
const rulesIn = ({ details }: Refusal) => details.map(({ rule }) => rule);
const put = (body: unknown) => ({ body: JSON.stringify(body), headers: { "content-type": "application/json" } });

test("refuses control characters in paths at every door of REST", async () => {
  const { id } = await (await http.fs("POST", "/files?path=/plain.txt", { body: "text" })).json();
  for (const name of names) {
    const query = encodeURIComponent(name);
    const doors: [string, Response][] = [
      ["create", await http.fs("POST", `/files?path=${query}`, { body: "text" })],
      ["list", await http.fs("GET", `/files?path=${query}`)],
      ["tree", await http.fs("GET", `/tree?path=${query}`)],
      ["content", await http.fs("GET", `/content?path=${query}`)],
      ["zip", await http.fs("GET", `/folder/download?path=${query}`)],
      ["hide", await http.fs("PUT", "/folders/hidden", put({ path: name, hidden: true }))],
      ["publish", await http.fs("PUT", "/folders/public", put({ path: name, public: true }))],
    ];
    for (const [door, answer] of doors) {
      const refusal = (await answer.json()) as Refusal;
      assert.equal(answer.status, 400, `${door} ${JSON.stringify(name)}`);
      assert.ok(
        rulesIn(refusal).some((rule) => rule === "path-text" || rule === "text"),
        `${door} ${JSON.stringify(refusal)}`,
      );
    }
    const moved = await http.fs("POST", "/batch/move", put({ items: [{ id, destinationPath: name }] }));
    const body = await moved.json();
    assert.equal(moved.status === 400 ? 400 : body.results[0].status, 400, `move ${JSON.stringify(name)}`);
    const open = await http.app.request(`/public/${encodeURIComponent(http.owner.did())}${encodeURI(name)}`);
    assert.equal(open.status, 404);
  }
  assert.equal((await (await http.fs("GET", `/files/${id}`)).json()).path, "/plain.txt");
});

test("refuses them in tus metadata, by path and by file name", async () => {
  for (const name of names) {
    for (const [field, value] of [
      ["path", name],
      ["filename", name.slice("/docs/".length)],
    ] as const) {
      const answer = await http.fs("POST", "/upload", {
        headers: {
          "tus-resumable": "1.0.0",
          "upload-length": "4",
          "upload-metadata": `${field} ${Buffer.from(value).toString("base64")}`,
        },
      });
      assert.equal(answer.status, 400, `${field} ${JSON.stringify(value)}`);
      assert.deepEqual(rulesIn((await answer.json()) as Refusal), ["path-text"]);
    }
  }
});

test("refuses them in every tool of an agent that takes a path", async () => {
  await agent.call("vfs_write", { path: "/agent.txt", content: "text" });
  for (const path of names) {
    for (const [tool, input] of [
      ["vfs_write", { path, content: "text" }],
      ["vfs_move", { path: "/agent.txt", destinationPath: path }],
      ["vfs_read", { path }],
      ["vfs_list", { path }],
      ["vfs_set_public", { path, public: true }],
    ] as const) {
      const { isError, body } = await agent.call(tool, input);
      assert.deepEqual([isError, body.status], [true, 400], `${tool} ${JSON.stringify(path)}`);
    }
  }
});

test("still lists, pages, reads and renames a file that has such a name from before", async () => {
  const made = [];
  for (const path of ["/old/1.txt", "/old/2.txt", "/old/3.txt"]) {
    made.push(await (await http.fs("POST", `/files?path=${path}`, { body: "text" })).json());
  }
  await http.deps.db.execute(sql`update files set path = ${"/old/2\u202egpj\u0085.txt"} where id = ${made[1].id}`);
  for (const route of ["/files", "/tree"]) {
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const after = cursor === "" ? "" : `&cursor=${cursor}`;
      const page: Response = await http.fs("GET", `${route}?path=/old&limit=1${after}`);
      assert.equal(page.status, 200, await page.clone().text());
      const { items, nextCursor } = await page.json();
      ids.push(...items.map(({ id }: { id: string }) => id));
      cursor = nextCursor;
    }
    assert.deepEqual(
      ids,
      made.map(({ id }) => id),
      route,
    );
  }
  const content = await http.fs("GET", `/files/${made[1].id}/content`);
  assert.deepEqual([content.status, await content.text()], [200, "text"]);
  const move = { items: [{ id: made[1].id, destinationPath: "/old/2.txt" }] };
  assert.equal((await (await http.fs("POST", "/batch/move", put(move))).json()).succeeded, 1);
});
