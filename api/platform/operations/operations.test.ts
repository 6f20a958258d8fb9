import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { openTestCore, type TestCore, testAdminKey } from "../../../test/support/core.ts";
import { newWorkers } from "../../../test/support/workers.ts";
import { AppError } from "../errors.ts";
import type { Actor, RequestContext } from "../http/request-context.ts";
import { mount } from "../server/base-app.ts";
import { operationRoutes } from "./routes.ts";
import { createOperations, type OperationJob, type Operations } from "./runner.ts";
import type { Operation } from "./schemas.ts";
import { findStarted, readOperation, startOperation } from "./service.ts";

let core: TestCore;
before(async () => {
  core = await openTestCore();
  mount(core.app, operationRoutes(core.deps));
});
after(() => core.close());

const admin: Actor = { keyId: "admin", role: "admin", scopes: [], dids: null };
const ctx: RequestContext = { actor: admin };
const depsOf = (operations: Operations) => ({ clock: core.deps.clock, operations });

/** Start another server with the shared database. */
async function newServer(exclusive = false) {
  const { db, clock, log } = core.deps;
  return createOperations({ db, clock, log, exclusive, workers: newWorkers({ log }) });
}

async function settled(id: string): Promise<Operation> {
  for (let i = 0; i < 2_400; i++) {
    const operation = await readOperation(depsOf(core.deps.operations), ctx, id);
    if (!["queued", "running"].includes(operation.status)) return operation;
    await sleep(25);
  }
  throw new Error("The operation did not end.");
}

const answerAll = async (job: OperationJob) => {
  for (let rows = await job.nextRows(3); rows.length > 0; rows = await job.nextRows(3)) {
    await job.finishRows(
      rows.map(({ index, input }) => ({ index, status: input === 4 ? "failed" : "succeeded", answer: { got: input } })),
    );
  }
  return { all: "answered" };
};

async function get(path: string, key = testAdminKey) {
  const answer = await core.app.request(path, { headers: { authorization: `Bearer ${key}` } });
  return { status: answer.status, body: await answer.json() };
}

test("works through its rows and reports each answer", async () => {
  const server = await newServer();
  server.define("rows", answerAll);
  server.start();
  const { operationId, url } = await startOperation(depsOf(server), ctx, {
    type: "rows",
    input: {},
    rows: [1, 2, 3, 4, 5],
  });
  const done = await settled(operationId);
  assert.deepEqual(
    [done.status, done.progress, done.result],
    ["partial", { done: 5, total: 5, failed: 1 }, { all: "answered" }],
  );
  assert.equal((await get(url)).status, 200);
  const failed = await get(`${url}/rows?status=failed`);
  assert.deepEqual(failed.body, {
    items: [{ index: 3, status: "failed", input: 4, answer: { got: 4 } }],
    nextCursor: null,
  });
  const first = await get(`${url}/rows?limit=2`);
  const second = await get(`${url}/rows?limit=2&cursor=${first.body.nextCursor}`);
  assert.deepEqual(
    second.body.items.map(({ index }: { index: number }) => index),
    [2, 3],
  );
  await server.close();
});

test("continues from the unanswered rows when the process was cut off", async () => {
  const cut = await newServer();
  const worked: unknown[] = [];
  let hang: () => void = () => {};
  const hanging = new Promise<void>((resolve) => {
    hang = resolve;
  });
  cut.define("cut", async (job) => {
    const rows = await job.nextRows(2);
    worked.push(...rows.map(({ input }) => input));
    await job.finishRows(rows.map(({ index }) => ({ index, status: "succeeded", answer: null })));
    hang();
    // As after a kill: it neither ends nor fails, and its lease is not renewed.
    await new Promise(() => {});
  });
  cut.start();
  const { operationId } = await startOperation(depsOf(cut), ctx, {
    type: "cut",
    input: {},
    rows: ["a", "b", "c"],
  });
  await hanging;
  const next = await newServer(true);
  next.define("cut", async (job) => {
    const rows = await job.nextRows(10);
    worked.push(...rows.map(({ input }) => input));
    await job.finishRows(rows.map(({ index }) => ({ index, status: "succeeded", answer: null })));
  });
  next.start();
  assert.equal((await settled(operationId)).status, "succeeded");
  assert.deepEqual(worked, ["a", "b", "c"]);
  await next.close();
});

test("lets one of two servers run an operation, and refuses late writes of the one that lost it", async () => {
  const ran: string[] = [];
  const servers = [await newServer(), await newServer()];
  for (const [index, server] of servers.entries()) {
    server.define("race", async (job) => {
      ran.push(`${job.id} ${index}`);
      await sleep(20);
    });
  }
  const started = await Promise.all(
    Array.from({ length: 6 }, () =>
      startOperation(depsOf(servers[0] as Operations), ctx, {
        type: "race",
        input: {},
      }),
    ),
  );
  for (const server of servers) server.start();
  for (const { operationId } of started) assert.equal((await settled(operationId)).status, "succeeded");
  assert.equal(new Set(ran.map((line) => line.split(" ")[0])).size, 6);
  assert.equal(ran.length, 6);
  const [loser, winner] = servers as [Operations, Operations];
  const { operationId } = started[0] as { operationId: string };
  await assert.rejects(loser.store.finishRows(`${operationId}x`, [], new Date()), { name: "LeaseLostError" });
  await loser.close();
  await winner.close();
});

test("tries again after a failure on our side, and ends immediately when the request was wrong", async () => {
  const server = await newServer();
  let attempts = 0;
  server.define("flaky", async () => {
    if (++attempts === 1) throw new Error("not this time");
    return { attempts };
  });
  server.define("wrong", async () => {
    throw new AppError("RULE_VIOLATION", "No.", { details: [{ rule: "never", message: "Never." }] });
  });
  server.start();
  const flaky = await startOperation(depsOf(server), ctx, { type: "flaky", input: {} });
  const wrong = await startOperation(depsOf(server), ctx, { type: "wrong", input: {} });
  assert.deepEqual((await settled(wrong.operationId)).error?.code, "RULE_VIOLATION");
  assert.deepEqual((await settled(flaky.operationId)).result, { attempts: 2 });
  await server.close();
});

test("hands its work back when it stops", async () => {
  const server = await newServer();
  server.define(
    "slow",
    (job) => new Promise((_, reject) => job.signal.addEventListener("abort", () => reject(job.signal.reason))),
  );
  server.start();
  const { operationId } = await startOperation(depsOf(server), ctx, { type: "slow", input: {} });
  await sleep(100);
  await server.close();
  assert.equal((await readOperation(depsOf(server), ctx, operationId)).status, "queued");
  const next = await newServer();
  next.define("slow", async () => "done");
  next.start();
  assert.equal((await settled(operationId)).result, "done");
  await next.close();
});

test("starts one operation for one Idempotency-Key, however often it is asked", async () => {
  const repeated = { ...ctx, idempotencyKey: "5f0c" };
  const first = await startOperation(depsOf(core.deps.operations), repeated, { type: "none", input: {}, rows: [1] });
  assert.deepEqual(
    await startOperation(depsOf(core.deps.operations), repeated, { type: "none", input: {}, rows: [1] }),
    first,
  );
  assert.equal((await get(`${first.url}/rows`)).body.items.length, 1);
});

test("hides an operation from keys of other participants", async () => {
  const own: Actor = { keyId: "a", role: "implementer", implementerDid: "did:x:a", scopes: [], dids: null };
  const deps = depsOf(core.deps.operations);
  const { operationId } = await startOperation(deps, { actor: own }, { type: "none", input: {} });
  assert.equal((await readOperation(deps, { actor: own }, operationId)).id, operationId);
  const other = { ...own, keyId: "b", implementerDid: "did:x:b" };
  await assert.rejects(readOperation(deps, { actor: other }, operationId), { code: "NOT_FOUND" });
});

test("keeps 20 000 rows with their operation", async () => {
  const rows = Array.from({ length: 20_000 }, (_, index) => ({ did: `did:x:${index}` }));
  const { operationId } = await startOperation(depsOf(core.deps.operations), ctx, {
    type: "none",
    input: {},
    rows,
  });
  const [last] = await core.deps.operations.store.listRows(operationId, 1, 19_998, undefined);
  assert.deepEqual(last?.input, { did: "did:x:19999" });
});

test("counts rows that arrive one after another, and keeps nothing when one of them fails", async () => {
  async function* rows(failAt: number) {
    for (let index = 0; index < 2_500; index += 1) {
      if (index === failAt) throw new AppError("INVALID_INPUT", "The file breaks off.");
      yield { index };
    }
  }
  const deps = depsOf(core.deps.operations);
  const repeated = { ...ctx, idempotencyKey: "71aa" };
  await assert.rejects(startOperation(deps, repeated, { type: "none", input: {}, rows: rows(2_000) }), {
    message: "The file breaks off.",
  });
  assert.equal(await findStarted(deps, repeated, "none"), undefined);
  const { operationId } = await startOperation(deps, repeated, { type: "none", input: {}, rows: rows(-1) });
  assert.equal((await readOperation(deps, ctx, operationId)).progress.total, 2_500);
});
