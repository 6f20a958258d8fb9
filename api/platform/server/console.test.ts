import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, utimes, writeFile } from "node:fs/promises";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { createAdaptorServer } from "@hono/node-server";
import { openTestCore, type TestCore } from "../../../test/support/core.ts";
import { mountConsole } from "./console.ts";
import { carrySecurityHeaders, securityHeaders } from "./security-headers.ts";

let core: TestCore;
let web: string;
before(async () => {
  web = await mkdtemp(join(tmpdir(), "hearth-console-"));
  core = await openTestCore();
  mountConsole(core.app, web);
});
after(async () => {
  await core.close();
  await rm(web, { recursive: true, force: true });
});

const get = (path: string, headers: Record<string, string> = {}) => core.app.request(path, { headers });

test("a console that is not built yet says so and asks again", async () => {
  const answer = await get("/console");
  assert.equal(answer.status, 503);
  assert.equal(answer.headers.get("cache-control"), "no-store");
  assert.match(await answer.text(), /being built/);
});

test("a built console is one page for every path, with assets that never change", async () => {
  await mkdir(join(web, "dist/assets"), { recursive: true });
  await writeFile(join(web, "dist/index.html"), "<p>the page</p>");
  await writeFile(join(web, "dist/hearth.svg"), "<svg/>");
  await writeFile(join(web, "dist/assets/a-1.js"), "1;");
  await writeFile(join(web, "dist/assets/a-1.js.gz"), gzipSync("1;"));
  for (const path of ["/console", "/console/", "/console/regulator/trace/VCHR-1", "/console/a.b/c"]) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    assert.equal(await answer.text(), "<p>the page</p>");
    assert.equal(answer.headers.get("cache-control"), "no-cache");
    const policy = answer.headers.get("content-security-policy") ?? "";
    assert.match(policy, /script-src 'self' 'wasm-unsafe-eval';/);
    assert.match(policy, /frame-src 'none';.*frame-ancestors 'none'/);
  }
  const asset = await get("/console/assets/a-1.js", { "accept-encoding": "gzip" });
  assert.equal(asset.headers.get("content-encoding"), "gzip");
  assert.match(asset.headers.get("cache-control") ?? "", /immutable/);
  assert.match((await get("/console/hearth.svg")).headers.get("content-type") ?? "", /svg/);
});

test("the page's policy allows the scripts that the build wrote into it, and no others", async () => {
  const scriptSources = async (encoding = "identity") => {
    const { headers } = await get("/console", { "accept-encoding": encoding });
    return /script-src ([^;]*);/.exec(headers.get("content-security-policy") ?? "")?.[1];
  };
  const page = "<script>start();</script><script>end();</script>";
  await writeFile(join(web, "dist/index.html"), page);
  await writeFile(join(web, "dist/index.html.gz"), gzipSync(page));
  // Of `start();` and `end();`, by openssl dgst -sha256 -binary | base64.
  const [start, end] = ["E6jQvrT2ZivWG9GJ4AAEZf4MhI7l3QkLroW4hgvUT4c=", "cPj3/r0zybmj7Trmkyik9x80gp3Tni5FAIjtZqfXhtI="];
  assert.equal(await scriptSources(), `'self' 'sha256-${start}' 'sha256-${end}' 'wasm-unsafe-eval'`);
  assert.equal(await scriptSources("gzip"), await scriptSources());
  // The console is built again while the server runs.
  await rm(join(web, "dist/index.html.gz"));
  await writeFile(join(web, "dist/index.html"), "<p>the page</p>");
  assert.equal(await scriptSources(), "'self' 'wasm-unsafe-eval'");
});

test("each page has its own HTML, found by its path, and any other path has the first page's", async () => {
  await mkdir(join(web, "dist/pages"), { recursive: true });
  await writeFile(join(web, "dist/pages/regulator.vouchers.html"), "<p>vouchers</p>");
  await writeFile(join(web, "dist/pages/regulator.trace._.html"), "<p>one trace</p>");
  await writeFile(join(web, "dist/pages/chat.html"), "<script>chat();</script>");
  const shown = async (path: string) => await (await get(path)).text();
  assert.equal(await shown("/console/regulator/vouchers"), "<p>vouchers</p>");
  assert.equal(await shown("/console/regulator/vouchers/?status=active"), "<p>vouchers</p>");
  assert.equal(await shown("/console/regulator/trace/VCHR-1.2"), "<p>one trace</p>");
  for (const path of ["/console/regulator", "/console/regulator/vouchers/1/2", "/console/"])
    assert.equal(await shown(path), "<p>the page</p>", path);
  const { headers } = await get("/console/chat");
  assert.match(headers.get("content-security-policy") ?? "", /script-src 'self' 'sha256-/);
  assert.equal(headers.get("cache-control"), "no-cache");
});

test("a page's scripts are hashed once", async () => {
  const file = join(web, "dist/pages/chat.html");
  const policy = async () => (await get("/console/chat")).headers.get("content-security-policy");
  const time = new Date("2026-01-01");
  await utimes(file, time, time);
  const first = await policy();
  await writeFile(file, "<script>CHAT();</script>");
  await utimes(file, time, time);
  assert.equal(await policy(), first, "a file that looks the same is not read again");
  await utimes(file, time, new Date("2026-01-02"));
  assert.notEqual(await policy(), first);
});

test("what is not there is 404 in the one error shape, never the page", async () => {
  for (const path of ["/console/assets/gone.js", "/console/gone.txt", "/console/assets/..%2f..%2fpackage.json"]) {
    const answer = await get(path);
    assert.equal(answer.status, 404, path);
    assert.equal(((await answer.json()) as { code: string }).code, "NOT_FOUND");
    assert.match(answer.headers.get("content-security-policy") ?? "", /default-src 'none';.*frame-ancestors 'none'/);
    assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  }
});

test("the API reference carries the same headers, on its page and each of its files", async () => {
  const { headers } = await get("/console");
  for (const path of ["/docs", "/docs/start.js", "/docs/swagger-ui-bundle.js", "/docs/swagger-ui.css"]) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    for (const name of Object.keys(securityHeaders)) assert.equal(answer.headers.get(name), headers.get(name), name);
  }
});

test("each kind of answer has its own headers: scripts and styles none that only a page needs", async () => {
  const server = createAdaptorServer({ fetch: core.app.fetch }) as Server;
  carrySecurityHeaders(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await mkdir(join(web, "dist/assets/workers"), { recursive: true });
    for (const name of ["sw.js", "assets/b-1.js", "assets/b-1.css", "assets/b-1.svg", "assets/workers/b-1.js"])
      await writeFile(join(web, "dist", name), "content");
    const { port } = server.address() as AddressInfo;
    const answer = async (path: string) => await fetch(`http://127.0.0.1:${port}${path}`);
    const ofConnection = ["connection", "content-length", "date", "keep-alive", "transfer-encoding"];
    const namesOf = ({ headers }: Response) => [...headers.keys()].filter((name) => !ofConnection.includes(name));
    const ofAsset = ["cache-control", "content-type", "last-modified", "x-content-type-options", "x-request-id"];
    const asset = [...ofAsset, "cross-origin-resource-policy"].sort();
    const shared = [...ofAsset, "access-control-allow-origin", "access-control-expose-headers"];
    const whole = [...new Set([...shared, ...Object.keys(securityHeaders)])].sort();
    const expected = {
      "/console/": whole,
      "/console/regulator/vouchers": whole,
      "/console/sw.js": whole,
      "/console/assets/b-1.js": asset,
      "/console/assets/b-1.css": asset,
      "/console/assets/b-1.svg": whole,
      "/console/assets/workers/b-1.js": whole,
    };
    for (const [path, names] of Object.entries(expected))
      assert.deepEqual(namesOf(await answer(path)).sort(), names, path);
    const policyOf = async (path: string) => (await answer(path)).headers.get("content-security-policy");
    const policy =
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; " +
      "media-src 'self' blob:; font-src 'self'; connect-src 'self'; worker-src 'self' blob:; frame-src 'none'; " +
      "manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
    for (const path of ["/console/", "/console/sw.js", "/console/assets/workers/b-1.js"])
      assert.equal(await policyOf(path), policy, path);
    assert.equal(await policyOf("/console/assets/gone.js"), policy);
  } finally {
    server.close();
    server.closeAllConnections();
  }
});
