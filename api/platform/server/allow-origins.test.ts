import assert from "node:assert/strict";
import { test } from "node:test";
import { Hono } from "hono";
import { openTestCore } from "../../../test/support/core.ts";
import type { AppEnv } from "../http/index.ts";
import { allowOrigins } from "./allow-origins.ts";

const originOf = (answer: Response) => answer.headers.get("access-control-allow-origin");
const exposedBy = (answer: Response) => answer.headers.get("access-control-expose-headers") ?? "";

test("sends the handler's own response, which is not copied to a stream", async () => {
  let made: Response | undefined;
  const app = new Hono<AppEnv>().use(allowOrigins()).get("/", (c) => {
    made = c.body("hello", 200, { ETag: '"1"' });
    return made;
  });
  const answer = await app.request("/");
  assert.equal(answer, made);
  assert.equal(await answer.text(), "hello");
  assert.equal(answer.headers.get("etag"), '"1"');
  assert.equal(originOf(answer), "*");
  assert.match(exposedBy(answer), /ETag/);
});

test("shows its headers to a handler that writes its response to the socket", async () => {
  let shown: Headers | undefined;
  const app = new Hono<AppEnv>().use(allowOrigins()).get("/", (c) => {
    shown = new Headers(c.res.headers);
    return c.text("");
  });
  await app.request("/");
  assert.equal(shown?.get("access-control-allow-origin"), "*");
});

test("answers a browser's question before a request, and marks errors and unknown paths for every origin", async () => {
  const core = await openTestCore();
  const asked = await core.app.request("/v1/keys", {
    method: "OPTIONS",
    headers: { origin: "https://example.org", "access-control-request-method": "PUT" },
  });
  assert.equal(asked.status, 204);
  assert.equal(originOf(asked), "*");
  assert.match(asked.headers.get("access-control-allow-headers") ?? "", /Idempotency-Key/);
  assert.match(asked.headers.get("access-control-allow-methods") ?? "", /PUT/);
  assert.equal(asked.headers.get("access-control-max-age"), "86400");
  for (const path of ["/health", "/v1/keys", "/nowhere"]) {
    const answer = await core.app.request(path);
    assert.equal(originOf(answer), "*", path);
    assert.match(exposedBy(answer), /X-Request-Id/, path);
    assert.ok(answer.headers.get("x-request-id"), path);
    await answer.text();
  }
  await core.close();
});
