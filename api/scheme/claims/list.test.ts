import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Indexer } from "../../../test/indexer/ponder-process.ts";
import { startSchemeIndex } from "../../../test/indexer/scheme-index.ts";
import { openTestScheme, type TestScheme } from "../../../test/support/scheme.ts";
import type { Actor } from "../../platform/http/request-context.ts";
import { disputeClaim, resolveDispute } from "./actions.ts";
import { listClaims } from "./list.ts";
import { type Claim, claimQuery, deliveryClaimRequest } from "./schemas.ts";
import { fileClaim, getClaim } from "./service.ts";

const admin: Actor = { keyId: "admin", role: "admin", scopes: [], dids: null };
let scheme: TestScheme;
let indexer: Indexer;
const claims: Claim[] = [];

const ctx = (actor: Actor = admin) => ({ actor });
const list = (query: Record<string, string> = {}, actor: Actor = admin) =>
  listClaims(scheme.deps, ctx(actor), claimQuery.parse(query));
const idsOf = (items: Claim[]) => items.map(({ id }) => id);

before(async () => {
  scheme = await openTestScheme();
  indexer = await startSchemeIndex(scheme);
  const held = await scheme.addPlan({ planId: "PLAN-held", reviewShare: 10_000 });
  for (const plan of [0, 0, held]) claims.push(await fileOne(plan));
  await disputeClaim(scheme.deps, ctx(), claims[1]?.id ?? "", "It never came.");
  await resolveDispute(scheme.deps, ctx({ ...admin, keyId: "another evaluator" }), claims[1]?.id ?? "", {
    reason: "Indeed.",
    upheld: true,
  });
});
after(async () => {
  await indexer.stop();
  await scheme.close();
});

async function fileOne(plan: number): Promise<Claim> {
  const { productId, supplierDid, householdDid } = scheme;
  const redemptionId = await scheme.redeem({ plan });
  const deliveredAt = new Date().toISOString();
  const subject = { redemptionId, productId, supplierDid, recipient: householdDid, deliveredAt };
  const type = "ProductDeliveryCredential";
  const proof = await scheme.issuer.signCredential({ type, subject });
  return fileClaim(
    scheme.deps,
    ctx(),
    deliveryClaimRequest.parse({ redemptionId, verifiableCredential: { type, proof } }),
  );
}

describe("the list of claims", () => {
  it("shows each claim as the chain does", async () => {
    const { items, nextCursor } = await list();
    assert.equal(nextCursor, null);
    assert.deepEqual(
      items.map(({ status }) => status),
      ["approved", "invalidated", "flagged"],
    );
    const single = await Promise.all(claims.map(({ id }) => getClaim(scheme.deps, ctx(), id)));
    assert.deepEqual(JSON.parse(JSON.stringify(items)), JSON.parse(JSON.stringify(single)));
  });

  it("goes page by page", async () => {
    const first = await list({ limit: "2" });
    const second = await list({ limit: "2", cursor: first.nextCursor ?? "" });
    assert.deepEqual([...idsOf(first.items), ...idsOf(second.items)], idsOf(claims));
    assert.equal(second.nextCursor, null);
  });

  it("finds by redemption, voucher, supplier and status", async () => {
    const [claim] = claims as [Claim];
    const { redemptionId, voucherId, supplierDid } = claim;
    const one: Record<string, string>[] = [{ redemptionId }, { voucherId }, { status: "approved" }];
    for (const query of one) {
      assert.deepEqual(idsOf((await list(query)).items), [claim.id]);
    }
    assert.equal((await list({ supplierDid })).items.length, 3);
    const [{ filedAt }] = (await list({ redemptionId: claim.redemptionId })).items as [Claim];
    const later = new Date(Date.parse(filedAt) + 1_000).toISOString();
    const found = idsOf((await list({ filedFrom: filedAt, filedBefore: later })).items);
    assert.ok(found.includes(claim.id), `${found}`);
    assert.ok(!idsOf((await list({ filedBefore: filedAt })).items).includes(claim.id));
    assert.ok(!idsOf((await list({ filedFrom: later })).items).includes(claim.id));
    const none: Record<string, string>[] = [
      { redemptionId: "REDM-0" },
      { supplierDid: "did:x:y" },
      { status: "lapsed" },
    ];
    for (const query of none) {
      assert.deepEqual((await list(query)).items, []);
    }
  });

  it("shows a key its own only", async () => {
    const { supplierDid, implementerDid } = scheme;
    const counts: [Actor, number][] = [
      [{ ...admin, role: "supplier", supplierDid }, 3],
      [{ ...admin, role: "supplier", supplierDid: "did:x:y" }, 0],
      [{ ...admin, role: "implementer", implementerDid }, 3],
      [{ ...admin, role: "implementer", implementerDid: "did:x:y" }, 0],
      [{ ...admin, role: "integrator", scopes: ["claims:write"], dids: [supplierDid] }, 3],
      [{ ...admin, role: "integrator", scopes: ["claims:write"], dids: ["did:x:y"] }, 0],
    ];
    for (const [actor, count] of counts) assert.equal((await list({}, actor)).items.length, count);
    const other: Actor = { ...admin, role: "supplier", supplierDid: "did:x:y" };
    await assert.rejects(list({ supplierDid }, other), { code: "FORBIDDEN" });
  });
});
