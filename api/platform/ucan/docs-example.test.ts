import assert from "node:assert/strict";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { it } from "node:test";
import { listen, openTestHttp } from "../../../test/support/files/http.ts";
import { identityRoutes } from "../identity/routes.ts";

const root = new URL("../../../", import.meta.url);

it("does what the documentation's example says", async (t) => {
  const http = await openTestHttp();
  t.after(() => http.close());
  http.app.route("/", identityRoutes(http.deps.files.identity));
  const listening = await listen(http.app);
  t.after(() => listening.close());
  const [, example = ""] = /```js\n(.*?)```/s.exec(await readFile(new URL("docs/files.md", root), "utf8")) ?? [];
  assert.match(example, /127\.0\.0\.1:3000/);
  // Where the example's imports are found.
  const folder = new URL(`node_modules/.cache/docs-example-${process.pid}/`, root);
  await mkdir(folder, { recursive: true });
  t.after(() => rm(folder, { recursive: true, force: true }));
  const file = new URL("example.mjs", folder);
  await writeFile(file, example.replace("http://127.0.0.1:3000", listening.url));
  const log = t.mock.method(console, "log", () => {});
  await import(file.href);
  assert.deepEqual(log.mock.calls[0]?.arguments, ["hello"]);
});
