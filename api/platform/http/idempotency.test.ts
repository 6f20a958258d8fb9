import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createRoute, z } from "@hono/zod-openapi";
import { openTestCore, type TestCore, testAdminKey } from "../../../test/support/core.ts";
import { newWorkers } from "../../../test/support/workers.ts";
import { idempotencyRecords } from "../../tables.ts";
import { AppError } from "../errors.ts";
import { createIdempotency } from "../idempotency/service.ts";
import { mount } from "../server/base-app.ts";
import { integer } from "../values/numbers.ts";
import { everyKey } from "./callers.ts";
import { createRouter } from "./router.ts";

const order = createRoute({
  method: "post",
  callers: everyKey,
  path: "/orders/{id}",
  request: {
    params: z.strictObject({ id: z.string() }),
    body: {
      required: true,
      content: {
        "application/json": { schema: z.strictObject({ count: integer(1, 9), text: z.string().optional() }) },
      },
    },
  },
  responses: { 201: { description: "made" } },
});

let core: TestCore;
let nowMs = Date.now();
let runs: (string | undefined)[] = [];
let behave: () => Promise<void> = async () => {};
before(async () => {
  core = await openTestCore({}, { clock: { now: () => new Date(nowMs) } });
  const routes = createRouter().openapi(order, async (c) => {
    runs.push(c.get("idempotencyKey"));
    await behave();
    c.header("Location", "/v1/orders/1");
    return c.json({ run: runs.length }, 201);
  });
  mount(core.app, routes);
});
after(() => core.close());

function post(idempotencyKey: string | undefined, body = '{"count":1}', path = "/v1/orders/1") {
  const headers: Record<string, string> = { authorization: `Bearer ${testAdminKey}` };
  if (idempotencyKey !== undefined) headers["idempotency-key"] = idempotencyKey;
  return core.app.request(path, { method: "POST", body, headers });
}

async function codeOf(answer: Response) {
  return [answer.status, ((await answer.json()) as { code: string }).code];
}

test("gives the first answer again for the same request", async () => {
  runs = [];
  const first = await post("a", '{"count":1,"text":"x"}');
  const again = await post("a", '{ "text":"x", "count":1 }');
  assert.deepEqual([again.status, await again.text()], [first.status, await first.text()]);
  assert.equal(again.headers.get("location"), "/v1/orders/1");
  assert.equal(again.headers.get("idempotency-replayed"), "true");
  assert.ok(again.headers.has("x-request-id") && again.headers.has("ratelimit"));
  assert.equal(runs.length, 1);
});

test("refuses the same key for another body or another record", async () => {
  await post("b");
  assert.deepEqual(await codeOf(await post("b", '{"count":2}')), [409, "IDEMPOTENCY_CONFLICT"]);
  assert.deepEqual(await codeOf(await post("b", '{"count":1}', "/v1/orders/2")), [409, "IDEMPOTENCY_CONFLICT"]);
});

test("runs each request without a key, and refuses a malformed key", async () => {
  runs = [];
  await post(undefined);
  await post(undefined);
  assert.deepEqual(runs, [undefined, undefined]);
  assert.equal((await post("x".repeat(256))).status, 400);
});

test("lets a second call wait for the first", async () => {
  runs = [];
  behave = () => sleep(150);
  const [first, second] = await Promise.all([post("c"), post("c")]);
  behave = async () => {};
  assert.equal(runs.length, 1);
  assert.equal(await first.text(), await second.text());
});

test("does not keep a refusal: the same key may carry a corrected body", async () => {
  behave = async () => {
    throw new AppError("RULE_VIOLATION", "no");
  };
  assert.equal((await post("d")).status, 400);
  behave = async () => {};
  assert.equal((await post("d", '{"count":2}')).status, 201);
});

test("continues under the same record after a failure on our side", async () => {
  runs = [];
  behave = async () => {
    throw new Error("broken");
  };
  assert.equal((await post("e")).status, 500);
  behave = async () => {};
  assert.equal((await post("e")).status, 201);
  assert.equal(runs.length, 2);
  assert.equal(runs[0], runs[1]);
});

test("keeps the id of an interrupted write that is refused when it is continued: its first attempt may have been carried out", async () => {
  runs = [];
  behave = async () => {
    throw new Error("interrupted");
  };
  assert.equal((await post("i")).status, 500);
  behave = async () => {
    throw new AppError("FORBIDDEN", "The role was lost meanwhile.");
  };
  assert.equal((await post("i")).status, 403);
  behave = async () => {};
  assert.equal((await post("i")).status, 201);
  assert.deepEqual(new Set(runs).size, 1);
  assert.equal(runs.length, 3);
});

test("forgets an answer after 7 days", async () => {
  runs = [];
  await post("f");
  nowMs += 7 * 24 * 3600 * 1000 + 1;
  assert.equal((await post("f", '{"count":5}')).status, 201);
  nowMs += 7 * 24 * 3600 * 1000 + 1;
  await core.deps.idempotency.sweep();
  assert.equal((await core.deps.db.select().from(idempotencyRecords)).length, 0);
});

test("hands an interrupted write to the next start under the same id, and to nobody while its process lives", async () => {
  const { db, clock } = core.deps;
  const name = { keyId: "k", route: "POST /v1/x", idempotencyKey: "g" };
  const open = (exclusive: boolean) => createIdempotency({ db, clock, exclusive, waitMs: 150, workers: newWorkers() });
  const first = await open(false);
  const begun = await first.begin(name, "hash");
  const second = await open(false);
  await assert.rejects(second.begin(name, "hash"), { code: "IDEMPOTENCY_IN_PROGRESS" });
  await first.close();
  const restarted = await open(true);
  assert.deepEqual(await restarted.begin(name, "hash"), { ...begun, isContinued: true });
  for (const each of [second, restarted]) await each.close();
});
