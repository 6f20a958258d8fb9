import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eq } from "drizzle-orm";
import {
  exampleClaim,
  holdCampaign,
  implementerDid,
  made,
  openKptTest,
  referenceClaim,
} from "../../../test/support/kpt.ts";
import { type Caller, type RegistryTest, rulesOf } from "../../../test/support/registry.ts";
import { decodeKptClaimId } from "../../../wire/src/ids.ts";
import { submitCall } from "../../platform/chain/submit.ts";
import { statusEntries } from "../credentials/tables.ts";
import { requireFiler } from "./access.ts";
import type { KptClaim } from "./schemas.ts";

let api: RegistryTest;
let implementer: Caller;
before(async () => {
  api = await openKptTest();
  implementer = await api.as("implementer", { implementerDid });
});
after(() => api.close());

/** Reference households of a separate campaign, all in its sample. */
async function households(name: string, count: number): Promise<string[]> {
  const dids = (group: string) => Array.from({ length: count }, (_, i) => `did:ixo:household/${name}-${group}${i}`);
  const frames = { campaignId: name, reference: dids("r"), intervention: dids("i") };
  await holdCampaign(api.admin, frames);
  return frames.reference;
}

const claimFor = (householdId: string | undefined, changes = {}) => referenceClaim({ householdId, ...changes });

test("the plan's implementer, a bound integrator with either scope, an evaluator and admin may file", async () => {
  const dids = [implementerDid];
  const kpt = await api.as("integrator", { scopes: ["kpt:write"], dids });
  const claims = await api.as("integrator", { scopes: ["claims:write"], dids });
  const callers = [implementer, kpt, claims, await api.as("evaluator"), api.admin];
  const sample = await households("MAY-FILE", callers.length);
  for (const [i, caller] of callers.entries()) {
    const { status, body } = await caller("POST", "/claims", claimFor(sample[i], { campaignId: "MAY-FILE" }));
    assert.equal(status, 201, JSON.stringify(body));
    const read = await caller("GET", `/claims/${(body as KptClaim).id}`);
    assert.deepEqual([read.status, read.body], [200, body]);
  }
});

test("a supplier may not file, whichever campaign it names", () => {
  const supplier = { keyId: "k", role: "supplier", supplierDid: "did:ixo:supplier/1", scopes: [], dids: null } as const;
  assert.throws(() => requireFiler({ ...supplier, scopes: [] }), { code: "FORBIDDEN" });
});

test("regulators and integrators without the scope may not file", async () => {
  const [household] = await households("MAY-NOT-FILE", 1);
  const regulator = await api.as("regulator");
  const scopeless = await api.as("integrator", { scopes: ["vouchers:read"], dids: [implementerDid] });
  for (const caller of [regulator, scopeless]) {
    for (const more of [{}, { campaignId: "MAY-NOT-FILE" }]) {
      const answer = await caller("POST", "/claims", claimFor(household, more));
      assert.equal(answer.status, 403, JSON.stringify(answer.body));
    }
  }
});

test("another implementer does not know the campaign, its sample or its claims", async () => {
  const [household] = await households("HIDDEN", 1);
  const { id } = await made(api.admin("POST", "/claims", claimFor(household)));
  const other = await api.as("implementer", { implementerDid: "did:ixo:implementer/other" });
  const unbound = await api.as("integrator", { scopes: ["kpt:write"], dids: ["did:ixo:implementer/other"] });
  for (const caller of [other, unbound]) {
    const later = { testPeriod: { startDate: "2024-02-10", endDate: "2024-02-13" } };
    const named = await caller("POST", "/claims", claimFor(household, { ...later, campaignId: "HIDDEN" }));
    assert.equal(named.status, 404);
    const unnamed = await caller("POST", "/claims", claimFor(household, later));
    assert.deepEqual([unnamed.status, rulesOf(unnamed)], [400, ["random-selection-verified"]]);
    assert.equal((await caller("GET", `/claims/${String(id)}`)).status, 404);
    assert.equal((await caller("GET", "/campaigns/HIDDEN/claims")).status, 404);
    assert.equal((await caller("POST", `/claims/${String(id)}/revoke`, { reason: "x" })).status, 403);
  }
});

test("a claim's mistyped id is recognised by its check symbol", async () => {
  const answer = await api.admin("GET", "/claims/KPT-00000000000000000000Q");
  assert.equal(answer.status, 404);
  assert.match((answer.body as { message: string }).message, /mistyped/);
});

test("a revoked claim is revoked on chain and in its status list, and its days are free", async () => {
  const [household] = await households("REVOKED", 1);
  const filed = (await made(implementer("POST", "/claims", claimFor(household)))) as KptClaim;
  assert.equal((await implementer("POST", `/claims/${filed.id}/revoke`, { reason: "wrong-scale" })).status, 403);
  const evaluator = await api.as("evaluator");
  assert.equal((await evaluator("POST", `/claims/${filed.id}/revoke`, { reason: "é" })).status, 400);
  const key = { "idempotency-key": "revoke-1" };
  const revoked = await evaluator("POST", `/claims/${filed.id}/revoke`, { reason: "wrong-scale" }, key);
  assert.deepEqual([revoked.status, revoked.body], [200, { ...filed, status: "revoked", reason: "wrong-scale" }]);
  const decoded = decodeKptClaimId(filed.id);
  assert.ok(decoded.ok);
  assert.equal((await api.deps.chain.read("campaigns", "recordOf", [decoded.id]))[1], true);
  const ofClaim = eq(statusEntries.statusOf, filed.id);
  const [entry] = await api.deps.db.select().from(statusEntries).where(ofClaim);
  assert.ok(entry?.revokedAt);
  const again = await evaluator("POST", `/claims/${filed.id}/revoke`, { reason: "wrong-scale" });
  assert.deepEqual([again.status, rulesOf(again)], [409, ["claim-not-revoked"]]);
  const row = await api.deps.campaigns.byId("REVOKED");
  assert.deepEqual(await api.deps.kpt.verifiedClaims(row?.campaign ?? 0), []);
  const second = (await made(implementer("POST", "/claims", claimFor(household)))) as KptClaim;
  assert.notEqual(second.id, filed.id);
});

test("a claim that was revoked on chain without the API is revoked here, and frees its days", async () => {
  const [first, second] = await households("REVOKED-ELSEWHERE", 2);
  const revokeOnChain = async (id: string) => {
    const decoded = decodeKptClaimId(id);
    assert.ok(decoded.ok);
    const call = {
      contract: "campaigns",
      functionName: "revoke",
      args: [decoded.id, "fraud"],
      purpose: "test",
    } as const;
    await submitCall(api.deps, {}, { sender: "evaluator", ...call });
  };
  const a = (await made(implementer("POST", "/claims", claimFor(first)))) as KptClaim;
  await revokeOnChain(a.id);
  const read = (await made(implementer("GET", `/claims/${a.id}`))) as KptClaim;
  assert.deepEqual([read.status, read.reason], ["revoked", "fraud"]);
  const b = (await made(implementer("POST", "/claims", claimFor(second)))) as KptClaim;
  await revokeOnChain(b.id);
  assert.equal((await implementer("POST", "/claims", claimFor(second))).status, 201);
});

test("a claim of a closed campaign conflicts with its state", async () => {
  const [household, other] = await households("CLOSED", 2);
  await made(api.admin("POST", "/claims", claimFor(household)));
  await made(api.admin("POST", "/claims", exampleClaim({ householdId: "did:ixo:household/CLOSED-i0" })));
  const groups = { reference: [other], intervention: ["did:ixo:household/CLOSED-i1"] };
  for (const [group, dids] of Object.entries(groups)) {
    for (const householdId of dids) {
      await made(api.admin("POST", "/campaigns/CLOSED/missing", { group, householdId, reason: "absent" }));
    }
  }
  const row = await api.deps.campaigns.byId("CLOSED");
  const args = [row?.campaign ?? 0, `0x${"11".repeat(32)}`] as const;
  await submitCall(
    api.deps,
    {},
    { sender: "operator", contract: "campaigns", functionName: "close", args, purpose: "test" },
  );
  const named = await api.admin("POST", "/claims", claimFor(other, { campaignId: "CLOSED" }));
  assert.deepEqual([named.status, rulesOf(named)], [409, ["campaign-open"]]);
  const unnamed = await api.admin("POST", "/claims", claimFor(other));
  assert.deepEqual([unnamed.status, rulesOf(unnamed)], [400, ["random-selection-verified"]]);
});
