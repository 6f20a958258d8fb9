import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Indexer } from "../../../test/indexer/ponder-process.ts";
import { startSchemeIndex } from "../../../test/indexer/scheme-index.ts";
import { openTestScheme, type TestScheme } from "../../../test/support/scheme.ts";
import { toMicro } from "../../../wire/src/exact.ts";
import type { Actor } from "../../platform/http/request-context.ts";
import { listClaims } from "../claims/list.ts";
import { claimQuery, deliveryClaimRequest } from "../claims/schemas.ts";
import { fileClaim } from "../claims/service.ts";
import { listRedemptions } from "../vouchers/lists.ts";
import { redemptionListQuery } from "../vouchers/schemas.ts";
import { readOverview } from "./service.ts";

const admin: Actor = { keyId: "admin", role: "admin", scopes: [], dids: null };
let scheme: TestScheme;
let indexer: Indexer;
let supplier: Actor;

before(async () => {
  scheme = await openTestScheme();
  indexer = await startSchemeIndex(scheme);
  supplier = { keyId: "till", role: "supplier", supplierDid: scheme.supplierDid, scopes: [], dids: null };
  const held = await scheme.addPlan({ planId: "PLAN-held", reviewShare: 10_000 });
  for (const plan of [0, 0, held]) await claim(await scheme.redeem({ plan, amount: 12_345_678n }));
  await scheme.redeem({ amount: 7_000_001n });
});
after(async () => {
  await indexer.stop();
  await scheme.close();
});

async function claim(redemptionId: string): Promise<void> {
  const { productId, supplierDid, householdDid } = scheme;
  const subject = {
    redemptionId,
    productId,
    supplierDid,
    recipient: householdDid,
    deliveredAt: new Date().toISOString(),
  };
  const type = "ProductDeliveryCredential";
  const proof = await scheme.issuer.signCredential({ type, subject });
  const body = deliveryClaimRequest.parse({ redemptionId, verifiableCredential: { type, proof } });
  await fileClaim(scheme.deps, { actor: admin }, body);
}

/** The figures as JSON: exact decimals are text. */
const read = async (actor: Actor, query = {}) =>
  JSON.parse(JSON.stringify(await readOverview(scheme.deps, { actor }, query)));

describe("a supplier's overview", () => {
  it("is the exact sum of its redemptions, claims and payments", async () => {
    const { supplier: shown } = await read(supplier);
    const redemptions = (await listRedemptions(scheme.deps, { actor: supplier }, redemptionListQuery.parse({}))).items;
    const claims = (await listClaims(scheme.deps, { actor: supplier }, claimQuery.parse({}))).items;
    const plain = (value: unknown) => toMicro(JSON.parse(JSON.stringify(value)));
    const sum = (values: unknown[]) => values.reduce((total: bigint, value) => total + plain(value), 0n);
    const inState = (...states: string[]) => redemptions.filter(({ status }) => states.includes(status));
    const part = (list: typeof redemptions) => [list.length, sum(list.map(({ amount }) => amount))];
    const paid = claims.flatMap(({ settlement }) => (settlement === null ? [] : [settlement]));
    const paidIn = (asset: string) => sum(paid.filter((each) => each.asset === asset).map(({ amount }) => amount));
    assert.ok(paid.length === 2 && inState("under_review").length === 1 && inState("pending_delivery").length === 1);
    assert.deepEqual([shown.today.count, plain(shown.today.carbon)], part(redemptions));
    assert.deepEqual([shown.toClaim.count, plain(shown.toClaim.carbon)], part(inState("pending_delivery")));
    assert.equal(shown.toClaim.nextDeadline, inState("pending_delivery")[0]?.claimDeadline);
    assert.deepEqual([shown.inReview.count, plain(shown.inReview.carbon)], part(inState("under_review", "disputed")));
    assert.equal(shown.paid.count, paid.length);
    const amounts = [shown.paid.stablecoin, shown.paid.carbon, shown.today.paidInStablecoin, shown.today.paidInCarbon];
    const [stablecoin, carbon] = [paidIn("stablecoin"), paidIn("CARBON")];
    assert.deepEqual(amounts.map(plain), [stablecoin, carbon, stablecoin, carbon]);
    assert.ok(stablecoin + carbon > 0n);
  });

  it("counts the day from the caller's midnight", async () => {
    const tomorrow = new Date((Number(await scheme.deps.chain.now()) + 86_400) * 1_000).toISOString();
    const { supplier: shown, since } = await read(supplier, { since: tomorrow });
    assert.deepEqual([shown.today.count, shown.today.carbon, shown.today.paidInStablecoin], [0, 0, 0]);
    assert.equal(Date.parse(since), Math.ceil(Date.parse(tomorrow) / 1_000) * 1_000);
    assert.equal(shown.paid.count, 2);
  });

  it("is empty for another supplier and absent for other roles", async () => {
    const other = "did:x:supplier-without-sales";
    await scheme.addSupplier(other);
    const { supplier: shown, findings } = await read({ ...supplier, supplierDid: other });
    assert.deepEqual(
      [shown.today.count, shown.toClaim, shown.paid.count],
      [0, { count: 0, carbon: 0, nextDeadline: null }, 0],
    );
    assert.equal(findings, null);
    for (const role of ["admin", "regulator", "implementer", "integrator"] as const)
      assert.equal((await read({ ...admin, role })).supplier, null);
  });
});
