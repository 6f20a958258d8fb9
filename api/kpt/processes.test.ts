import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestWorld, type TestWorld } from "../../test/support/chain.ts";
import { startPostgres, type TestPostgres } from "../../test/support/postgres.ts";
import { createApp } from "../app.ts";
import { type Deps, openDeps } from "../deps.ts";
import { createLog } from "../log.ts";
import type { Caller } from "../registry/testing.ts";
import { testAdminKey } from "../testing.ts";
import type { KptClaim } from "./schemas.ts";
import { holdCampaign, made, referenceClaim, registerPlan } from "./testing.ts";

type Server = { deps: Deps; call: Caller; close: () => Promise<void> };

let postgres: TestPostgres;
let world: TestWorld;
let servers: [Server, Server];
/** How far the second server's clock is ahead. */
let aheadMs = 0;
const households = Array.from({ length: 10 }, (_, i) => `did:ixo:household/r${i}`);

async function start(databaseUrl: string, clock: { now: () => Date }): Promise<Server> {
  const env = { ADMIN_API_KEY: testAdminKey, REQUESTS_PER_MINUTE: "100000", DATABASE_URL: databaseUrl };
  const config = world.config(env);
  const { deps, close } = await openDeps(config, createLog(config), { clock });
  const app = createApp(deps);
  const call: Caller = async (method, path, body, headers = {}) => {
    const init = { method, headers: { authorization: `Bearer ${testAdminKey}`, ...headers } };
    const answer = await app.request(`/v1${path}`, body === undefined ? init : { ...init, body: JSON.stringify(body) });
    return { status: answer.status, headers: answer.headers, body: await answer.json() };
  };
  return { deps, call, close };
}

before(async () => {
  [postgres, world] = await Promise.all([startPostgres(), createTestWorld()]);
  const url = await postgres.createDatabase();
  const first = await start(url, { now: () => new Date() });
  servers = [first, await start(url, { now: () => new Date(Date.now() + aheadMs) })];
  await registerPlan(first.call);
  const intervention = households.map((did) => did.replace("/r", "/i"));
  await holdCampaign(first.call, { campaignId: "KPT-1", reference: households, intervention });
});
after(async () => {
  for (const server of servers) await server.close();
  await world.close();
  await postgres.stop();
});

const standing = async (server: Server) => (await server.deps.campaigns.byId("KPT-1"))?.claims.reference ?? 0;

test("of twenty conflicting claims at two servers of one database exactly one is verified", async () => {
  const answers = await Promise.all(
    Array.from({ length: 20 }, (_, i) => {
      const fuelMeasurements = { total: 4 + i, dailyLogs: [1, 1, 1, 1 + i] };
      return servers[i % 2 === 0 ? 0 : 1].call(
        "POST",
        "/claims",
        referenceClaim({ householdId: households[0], fuelMeasurements }),
      );
    }),
  );
  const statuses = answers.map(({ status }) => status).sort();
  assert.deepEqual(
    statuses,
    [201, ...Array.from({ length: 19 }, () => 409)],
    JSON.stringify(answers.map(({ body }) => body)),
  );
  assert.equal(await standing(servers[1]), 1);
});

test("claims of other households at both servers at once are all verified and read at either", async () => {
  const before = await standing(servers[0]);
  const claims = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((i) =>
      made(servers[i % 2 === 0 ? 0 : 1].call("POST", "/claims", referenceClaim({ householdId: households[i] }))),
    ),
  );
  assert.equal(await standing(servers[0]), before + claims.length);
  for (const claim of claims) {
    for (const { call } of servers) assert.deepEqual((await call("GET", `/claims/${String(claim.id)}`)).body, claim);
  }
});

test("a claim whose server is gone is finished by the other after two minutes, and not before", async () => {
  const [gone, other] = servers;
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  gone.deps.kpt.step = (at) => {
    if (at !== "signed") return;
    resolve();
    return new Promise(() => undefined);
  };
  const body = referenceClaim({ householdId: households[7] });
  void gone.call("POST", "/claims", body);
  await reached;
  await other.deps.kpt.tend();
  const [left] = await other.deps.kpt.store.filing({});
  assert.equal((await other.call("GET", `/claims/${left?.id}`)).status, 404);
  aheadMs = 180_000;
  await other.deps.kpt.tend();
  const claim = (await made(other.call("GET", `/claims/${left?.id}`))) as KptClaim;
  assert.equal(claim.status, "verified");
  assert.equal((await other.call("POST", "/claims", body)).status, 409);
  gone.deps.kpt.step = undefined;
});
