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
import type { KptClaim } from "./schemas.ts";
import { kptSteps } from "./steps.ts";

let world: TestWorld;
let server: KptServer;
const households = Array.from({ length: 40 }, (_, i) => `did:ixo:household/r${i}`);
let next = 0;
const freshHousehold = () => households[next++] ?? "";

before(async () => {
  world = await createTestWorld();
  server = await startKptServer(world);
  await registerPlan(server.call);
  const intervention = households.map((did) => did.replace("/r", "/i"));
  await holdCampaign(server.call, { campaignId: "KPT-1", reference: households, intervention });
});
after(async () => {
  await server.close();
  await world.close();
});

/** File a claim in a process that stops permanently at a step; then start the next process. */
async function stopAt(step: string, body: unknown, headers: Record<string, string> = {}): Promise<void> {
  const { promise: reached, resolve } = Promise.withResolvers<void>();
  server.deps.kpt.step = (at) => {
    if (at !== step) return;
    resolve();
    return new Promise(() => undefined);
  };
  void server.call("POST", "/claims", body, headers);
  await reached;
  await server.close();
  server = await startKptServer(world);
  await server.deps.kpt.tend();
}

const standing = async () => (await server.deps.campaigns.byId("KPT-1"))?.claims.reference ?? 0;
const isSigned = (step: string) => step === "signed" || step === "recorded";

for (const step of kptSteps) {
  test(`a filing stopped at "${step}" is ${isSigned(step) ? "finished" : "given up"} by the next start, once`, async () => {
    const body = referenceClaim({ householdId: freshHousehold() });
    const before = await standing();
    await stopAt(step, body);
    const rows = await server.deps.kpt.store.filing({});
    assert.deepEqual(rows, []);
    assert.equal(await standing(), before + (isSigned(step) ? 1 : 0));
    const again = await server.call("POST", "/claims", body);
    assert.equal(again.status, isSigned(step) ? 409 : 201, JSON.stringify(again.body));
    assert.equal(await standing(), before + 1);
    assert.equal((await server.deps.kpt.verifiedClaims(1)).length, before + 1);
  });

  test(`the same request with its Idempotency-Key, stopped at "${step}", gets 201 from the next start`, async () => {
    const body = referenceClaim({ householdId: freshHousehold() });
    const before = await standing();
    const key = { "idempotency-key": `stopped-at-${step}` };
    await stopAt(step, body, key);
    const claim = (await made(server.call("POST", "/claims", body, key))) as KptClaim;
    assert.equal(claim.status, "verified");
    assert.deepEqual((await server.call("POST", "/claims", body, key)).body, claim);
    assert.deepEqual((await server.call("GET", `/claims/${claim.id}`)).body, claim);
    assert.equal(await standing(), before + 1);
  });
}

test("a claim whose household is replaced on the way is refused by the rule, and leaves nothing behind", async () => {
  const household = (name: string) => [1, 2, 3].map((i) => `did:ixo:household/${name}${i}`);
  const frames = { campaignId: "REPLACED", reference: household("x"), intervention: household("y") };
  await holdCampaign(server.call, frames, { sampleSize: 1 });
  const row = await server.deps.campaigns.byId("REPLACED");
  assert.ok(row);
  const drawn = (await server.deps.campaigns.frameOf(row.campaign, "reference"))[0]?.did ?? "";
  server.deps.kpt.step = async (at) => {
    if (at !== "signed") return;
    const dropped = { group: "reference", householdId: drawn, reason: "moved", evidence: "https://x.example/door.jpg" };
    await made(server.call("POST", "/campaigns/REPLACED/replacements", dropped));
  };
  const body = referenceClaim({ householdId: drawn, campaignId: "REPLACED" });
  const answer = await server.call("POST", "/claims", body);
  server.deps.kpt.step = undefined;
  assert.equal(answer.status, 400, JSON.stringify(answer.body));
  assert.deepEqual(
    (answer.body as { details: { rule: string }[] }).details.map(({ rule }) => rule),
    ["random-selection-verified"],
  );
  assert.deepEqual(await server.deps.kpt.store.leftovers(), []);
  const hash = server.deps.registry.households.hashOf(drawn);
  assert.equal(await server.deps.kpt.store.measuredBy(hash, { startDay: 0, endDay: 50_000 }), null);
});
