import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { testAdminKey } from "../../../test/support/core.ts";
import { type Body, CARBON, implementerDid, openPoolTest, type PoolTest, signAll } from "../../../test/support/pool.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { openApp } from "../../app.ts";
import type { OpenDeps } from "../../compose.ts";
import { createLog } from "../../platform/log.ts";

let postgres: TestPostgres;
let t: PoolTest;
let second: OpenDeps;
before(async () => {
  postgres = await startPostgres();
  const DATABASE_URL = await postgres.createDatabase();
  t = await openPoolTest({ DATABASE_URL });
  const config = t.world.config({ DATABASE_URL, ADMIN_API_KEY: testAdminKey, REQUESTS_PER_MINUTE: "100000" });
  second = await openApp(config, createLog(config));
});
after(async () => {
  await second?.close();
  await t?.close();
  await postgres?.stop();
});

const deadline = 4_000_000_000;
const inSecond = async (body: Body, headers: Record<string, string> = {}) => {
  const authorization = `Bearer ${testAdminKey}`;
  const request = { method: "POST", headers: { authorization, ...headers }, body: JSON.stringify(body) };
  const answer = await second.app.request("/v1/pool/swap", request);
  return { status: answer.status, body: (await answer.json()) as unknown };
};

test("twenty identical swaps at two processes are one, by their key or by their order", async () => {
  for (const headers of [{ "Idempotency-Key": "both" }, {}] as Record<string, string>[]) {
    const keyed = "Idempotency-Key" in headers;
    const body: Body = { side: "buy", implementerDid, amountIn: 10, minOut: 200, deadline: deadline + (keyed ? 1 : 2) };
    const asked = await t.swap(body);
    const fromSecond = await inSecond(body);
    assert.deepEqual(
      JSON.stringify((fromSecond.body as Body).typedData),
      JSON.stringify((asked.body as Body).typedData),
    );
    const signed = { ...body, signatures: await signAll(t.implementer, asked.body) };
    const before = await t.balance("carbon", t.implementer.address);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 === 0 ? t.swap(signed, headers) : inSecond(signed, headers))),
    );
    const made = answers.filter(({ status }) => status === 201);
    assert.equal(made.length, keyed ? 20 : 1, JSON.stringify(answers));
    assert.equal(new Set(made.map(({ body: swap }) => JSON.stringify(swap))).size, 1);
    assert.ok(answers.every(({ status }) => status === 201 || status === 409));
    assert.equal((await t.balance("carbon", t.implementer.address)) - before, 200n * CARBON);
  }
});
