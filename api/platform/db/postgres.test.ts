import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { sql } from "drizzle-orm";
import { openTestCore, type TestCore } from "../../../test/support/core.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import type { Actor, RequestContext } from "../http/request-context.ts";
import { keyRoutes } from "../keys/routes.ts";
import { createApiKey, revokeApiKey } from "../keys/service.ts";
import { readOperation, startOperation } from "../operations/service.ts";
import { mount } from "../server/base-app.ts";
import { isDatabaseUnavailable } from "./database-unavailable.ts";

let postgres: TestPostgres;
let a: TestCore;
let b: TestCore;
before(async () => {
  postgres = await startPostgres();
  const env = { DATABASE_URL: await postgres.createDatabase() };
  // In parallel: both find an empty database and run the migrations.
  [a, b] = await Promise.all([openTestCore(env), openTestCore(env)]);
  for (const { app, deps } of [a, b]) mount(app, keyRoutes(deps));
});
after(async () => {
  await Promise.all([a?.close(), b?.close()]);
  await postgres.stop();
});

const actor: Actor = { keyId: "admin", role: "admin", scopes: [], dids: null };
const ctx: RequestContext = { actor };
const call = ({ app }: TestCore, key: string) =>
  app.request("/v1/keys", { headers: { authorization: `Bearer ${key}` } });

test("accepts a key at both servers, and refuses it within a second after its revocation", async () => {
  const { id, key } = await createApiKey(a.deps, ctx, { role: "admin", name: "x" });
  assert.deepEqual([(await call(a, key)).status, (await call(b, key)).status], [200, 200]);
  await revokeApiKey(a.deps, ctx, id);
  assert.equal((await call(a, key)).status, 401);
  await sleep(1_000);
  assert.equal((await call(b, key)).status, 401);
});

test("counts a key's requests over both servers", async () => {
  const { key } = await createApiKey(a.deps, ctx, {
    role: "admin",
    name: "x",
    requestsPerMinute: 4,
  });
  const statuses: number[] = [];
  for (const server of [a, b, a, b, a, b]) statuses.push((await call(server, key)).status);
  assert.deepEqual(statuses, [200, 200, 200, 200, 429, 429]);
});

test("accepts a proof once, at either server", async () => {
  const id = randomUUID();
  const expiresAt = new Date(Date.now() + 60_000);
  const taken = await Promise.all([a, b, a, b].map(({ deps }) => deps.keys.proofs.use(id, expiresAt)));
  assert.equal(taken.filter(Boolean).length, 1);
});

test("counts every error of a transaction whose connection ended as unavailable, also that of its rollback", async () => {
  const errors: unknown[] = [];
  const work = a.deps.db.transaction(async (tx) => {
    const { rows } = await tx.execute<{ pid: number }>("select pg_backend_pid() as pid");
    await b.deps.db.execute(sql`select pg_terminate_backend(${rows[0]?.pid})`);
    for (let i = 0; i < 3; i++) await tx.execute("select 1").catch((error: unknown) => errors.push(error));
    throw errors.at(-1);
  });
  await work.catch((error: unknown) => errors.push(error));
  assert.equal(errors.length, 4);
  for (const error of errors) assert.ok(isDatabaseUnavailable(error), inspect(error));
});

test("runs a write once when both servers get it at the same time", async () => {
  const name = { keyId: "k", route: "POST /v1/x", idempotencyKey: "one" };
  let runs = 0;
  const answers = await Promise.all(
    [a, b, a, b].map(async ({ deps }) => {
      const decision = await deps.idempotency.begin(name, "hash");
      if ("replay" in decision) return decision.replay.body;
      runs++;
      await sleep(300);
      await deps.idempotency.finish(decision.run, { status: 201, headers: {}, body: `answer ${runs}` });
      return `answer ${runs}`;
    }),
  );
  assert.equal(runs, 1);
  assert.deepEqual(new Set(answers), new Set(["answer 1"]));
});

test("runs each operation in one of the servers, rows and all", async () => {
  const ran: string[] = [];
  for (const { deps } of [a, b]) {
    deps.operations.define("shared", async (job) => {
      ran.push(job.id);
      const rows = await job.nextRows(10);
      await job.finishRows(rows.map(({ index, input }) => ({ index, status: "succeeded", answer: input })));
    });
    deps.operations.start();
  }
  const started = await Promise.all(
    Array.from({ length: 8 }, (_, index) =>
      startOperation((index % 2 === 0 ? a : b).deps, ctx, {
        type: "shared",
        input: {},
        rows: [index, null, "x"],
      }),
    ),
  );
  for (const { operationId } of started) {
    let operation = await readOperation(b.deps, ctx, operationId);
    for (let i = 0; i < 2_400 && operation.status !== "succeeded"; i++) {
      await sleep(25);
      operation = await readOperation(b.deps, ctx, operationId);
    }
    assert.deepEqual(operation.progress, { done: 3, total: 3, failed: 0 });
  }
  assert.deepEqual([...ran].sort(), started.map(({ operationId }) => operationId).sort());
});
