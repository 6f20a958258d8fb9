// The name of a file may name a person, such as a photo of a household, so no log has it.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openTestHttp, type TestHttp } from "../../../test/support/files/http.ts";
import type { Deps } from "../../compose.ts";
import { createLog } from "../../platform/log.ts";
import { createBaseApp } from "../../platform/server/base-app.ts";
import { createMetrics } from "../../platform/server/observe.ts";
import { mountFiles } from "./mount.ts";

let http: TestHttp;
let app: ReturnType<typeof createBaseApp>;
let lines = "";

before(async () => {
  http = await openTestHttp({ LOG_LEVEL: "silent" });
  const write = (text: string) => {
    lines += text;
  };
  const log = createLog({ logLevel: "trace" }, { write });
  const deps = { ...http.deps, log, metrics: createMetrics() } as Deps;
  app = createBaseApp(deps, {});
  mountFiles(app, deps);
});
after(() => http?.close());

test("a request by path, of every kind, is logged without the file's name", async () => {
  const authorization = await http.bearer();
  const call = async (method: string, path: string, body?: string) => {
    const headers = new Headers({ authorization });
    if (method === "PATCH") headers.set("content-type", "application/json");
    return await app.request(path, {
      method,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  };
  const names = ["/homes/Maria Banda.jpg", "/homes/Maria\nBanda/Mwale", "/Mwale/content"];
  for (const name of names) {
    const file = `/api/fs/files/${encodeURIComponent(name)}`;
    const made = await call("PUT", file, "a photo");
    assert.ok(made.status < 500, await made.text());
    for (const path of [file, `${file}/content`, `${file}/versions`, `${file}/versions/1/content`, `${file}/events`]) {
      assert.ok((await call("GET", path)).status < 500, path);
    }
    await call("PATCH", `${file}/public`, '{"public":true}');
    const owner = encodeURIComponent(http.owner.did());
    assert.ok((await app.request(`/public/${owner}${encodeURI(name)}`)).status < 500);
    assert.ok((await call("GET", `/api/fs/files${encodeURI(name)}`)).status < 500);
    assert.ok((await call("DELETE", file)).status < 500);
  }
  const { id } = (await (await call("POST", "/api/fs/files?path=/named-by-id", "x")).json()) as { id: string };
  assert.equal((await call("GET", `/api/fs/files/${id}/content`)).status, 200);
  const paths = lines
    .trimEnd()
    .split("\n")
    .map((line) => String((JSON.parse(line) as { path?: string }).path));
  assert.doesNotMatch(lines, /Maria|Banda|Mwale|homes/);
  for (const path of [":path", ":path/content", ":path/versions/1/content", ":path/public", `${id}/content`]) {
    assert.ok(paths.includes(`/api/fs/files/${path}`), `${path} of ${paths.join(" ")}`);
  }
});
