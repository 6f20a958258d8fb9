import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import {
  holdCampaign,
  type KptServer,
  made,
  referenceClaim,
  registerPlan,
  startKptServer,
} from "../../../test/support/kpt.ts";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import type { KptClaim } from "./schemas.ts";

let postgres: TestPostgres;
let world: TestWorld;
let servers: [KptServer, KptServer];
/** How far the second server's clock is ahead. */
let aheadMs = 0;
const households = Array.from({ length: 10 }, (_, i) => `did:ixo:household/r${i}`);

before(async () => {
  [postgres, world] = await Promise.all([startPostgres(), createTestWorld()]);
  const url = await postgres.createDatabase();
  const first = await startKptServer(world, { DATABASE_URL: url }, { clock: { now: () => new Date() } });
  servers = [
    first,
    await startKptServer(world, { DATABASE_URL: url }, { clock: { now: () => new Date(Date.now() + aheadMs) } }),
  ];
  await registerPlan(first.call);
  const intervention = households.map((did) => did.replace("/r", "/i"));
  await holdCampaign(first.call, { campaignId: "KPT-1", reference: households, intervention });
});
after(async () => {
  for (const server of servers) await server.close();
  await world.close();
  await postgres.stop();
});

const standing = async (server: KptServer) => (await server.deps.campaigns.byId("KPT-1"))?.claims.reference ?? 0;

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

test("concurrent claims of other households at both servers are all verified, and either server reads them", async () => {
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
