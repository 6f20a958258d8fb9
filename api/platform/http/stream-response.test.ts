import assert from "node:assert/strict";
import { test } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { Hono } from "hono";
import type { Log } from "../log.ts";
import { streamResponse } from "./stream-response.ts";

test("logs no failure when a client leaves while a chunk is being read", async () => {
  const failures: unknown[] = [];
  const log = { error: (entry: unknown) => failures.push(entry) } as unknown as Log;
  const waiting = Promise.withResolvers<void>();
  async function* source() {
    yield Buffer.from("first");
    await waiting.promise;
  }
  const app = new Hono<{ Variables: { requestId: string } }>();
  app.get("/", (c) => streamResponse(c, source(), { status: 200, headers: {}, log }));
  const reader = (await app.request("/")).body?.getReader();
  assert.equal(Buffer.from((await reader?.read())?.value ?? []).toString(), "first");
  const second = reader?.read();
  // The stream asks for the second chunk.
  await nextTurn();
  const left = reader?.cancel();
  waiting.resolve();
  await Promise.all([second, left]);
  await nextTurn();
  assert.deepEqual(failures, []);
});
