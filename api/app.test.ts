import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openTestCore, type TestCore, testAdminKey } from "../test/support/core.ts";
import { keyRoutes } from "./platform/keys/routes.ts";
import { createLog } from "./platform/log.ts";
import { mount } from "./platform/server/base-app.ts";

let core: TestCore;
before(async () => {
  core = await openTestCore();
  mount(core.app, keyRoutes(core.deps));
});
after(() => core.close());

const get = (path: string) => core.app.request(path);

test("is ready only while every check is, and says which is not", async () => {
  assert.equal((await get("/health")).status, 200);
  const ready = await get("/ready");
  assert.equal(ready.status, 200);
  core.deps.readiness.add("chain", async () => {
    throw new Error("cannot reach postgres://user:secret@host/db\nmore");
  });
  const notReady = await get("/ready");
  const report = (await notReady.json()) as { checks: Record<string, unknown> };
  assert.equal(notReady.status, 503);
  assert.deepEqual(report.checks.chain, { ready: false, reason: "cannot reach postgres://host/db" });
});

test("looks once for all who ask at the same time, and again after a second", async () => {
  let looked = 0;
  core.deps.readiness.add("counted", async () => ({ ready: ++looked > 0 }));
  await Promise.all(Array.from({ length: 50 }, () => get("/ready")));
  assert.equal(looked, 1);
  await sleep(1_100);
  await get("/ready");
  assert.equal(looked, 2);
});

test("reads and deletes, but stores nothing, while the disk has too little room", async () => {
  const full = await openTestCore({ MIN_FREE_BYTES: String(2 ** 50) });
  try {
    mount(full.app, keyRoutes(full.deps));
    const headers = { authorization: `Bearer ${testAdminKey}`, "content-type": "application/json" };
    const post = await full.app.request("/v1/keys", { method: "POST", headers, body: "{}" });
    const body = (await post.json()) as { details: { rule: string }[] };
    assert.deepEqual([post.status, body.details[0]?.rule, post.headers.get("retry-after")], [503, "disk-space", "30"]);
    assert.equal((await full.app.request("/v1/keys", { headers })).status, 200);
    assert.equal((await full.app.request("/v1/keys/none", { method: "DELETE", headers })).status, 404);
    const ready = (await (await full.app.request("/ready")).json()) as { checks: { disk: { readOnly: boolean } } };
    assert.equal(ready.checks.disk.readOnly, true);
  } finally {
    await full.close();
  }
});

test("counts requests by route template for Prometheus", async () => {
  await get("/v1/keys/one");
  await get("/v1/keys/two");
  const text = await (await get("/metrics")).text();
  assert.match(text, /http_requests_total\{[^}]*status="401"[^}]*\} \d+/);
  assert.doesNotMatch(text, /keys\/one/);
  assert.match(text, /process_cpu_seconds_total/);
});

test("serves the document and pages to browse it, all from here", async () => {
  const document = await (await get("/openapi.json")).json();
  assert.equal(document.openapi, "3.1.0");
  assert.equal(document.paths["/v1/keys"].post.operationId, "postKeys");
  assert.ok(
    document.paths["/v1/keys"].post.parameters.some(({ name }: { name: string }) => name === "Idempotency-Key"),
  );
  const html = await (await get("/docs")).text();
  for (const [, url] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
    assert.match(url ?? "", /^\/docs\//);
    assert.equal((await get(url ?? "")).status, 200, url);
  }
});

test("keeps secrets out of its log", () => {
  let written = "";
  const write = (line: string) => {
    written += line;
  };
  const log = createLog({ logLevel: "info" }, { write });
  const key = `hk_${"a".repeat(12)}_${"B".repeat(43)}`;
  log.info({ headers: { authorization: "Bearer other-secret" }, note: `failed for ${key}` }, `with ${key}`);
  assert.doesNotMatch(written, /other-secret|BBBB/);
});
