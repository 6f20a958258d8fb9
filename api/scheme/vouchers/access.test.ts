import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import {
  attributes,
  implementerDid,
  openVoucherTest,
  productId,
  supplierDid,
  type VoucherTest,
} from "../../../test/support/vouchers.ts";
import type { Actor, RequestContext } from "../../platform/http/request-context.ts";
import { issueVoucher } from "./issue.ts";
import { cancelVoucher, suspendVoucher } from "./lifecycle.ts";
import { getVoucher } from "./read.ts";
import { flagRedemption, reverseRedemption } from "./redemptions/lifecycle.ts";
import { redeemVoucher } from "./redemptions/redeem.ts";
import { getRedemption } from "./redemptions/redemptions.ts";

type Body = Record<string, unknown>;
let t: VoucherTest;
let voucherId: string;
let redemptionId: string;
before(async () => {
  t = await openVoucherTest({ TX_WAIT_MS: "2000" });
  const emissionCertificateId = await t.certify();
  const issued = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value: 100 });
  voucherId = (issued.body as { id: string }).id;
  const redeemed = await t.redeem({ voucherId, amount: 1 });
  redemptionId = (redeemed.body as { redemptionId: string }).redemptionId;
});
after(() => t.close());

const as = (actor: Partial<Actor>): RequestContext => ({
  actor: { keyId: "k", role: "admin", scopes: [], dids: null, ...actor },
});
const implementer = (did = implementerDid) => as({ role: "implementer", implementerDid: did });
const supplier = (did = supplierDid) => as({ role: "supplier", supplierDid: did });
const integrator = (scopes: string[], dids: string[] | null = null) => as({ role: "integrator", scopes, dids });
const order = () => ({
  voucherId,
  supplierDid,
  productId,
  amount: 1_000_000n,
  householdAuthorization: undefined,
});

describe("who may see vouchers and redemptions", () => {
  it("shows suppliers a voucher by its id, but not whose it is", async () => {
    const { recipientDid, ...seen } = await getVoucher(t.deps, supplier(), voucherId);
    assert.equal(recipientDid, undefined);
    assert.equal(seen.status, "active");
    const redeemed = await redeemVoucher(t.deps, supplier(), order());
    assert.equal(redeemed.voucher.recipientDid, undefined);
  });

  it("shows implementers only what belongs to their certificates", async () => {
    assert.equal((await getVoucher(t.deps, implementer(), voucherId)).recipientDid, t.household(1));
    await assert.rejects(getVoucher(t.deps, implementer("did:x:other"), voucherId), { code: "NOT_FOUND" });
    await assert.rejects(getRedemption(t.deps, implementer("did:x:other"), redemptionId), { code: "NOT_FOUND" });
    assert.equal((await getRedemption(t.deps, implementer(), redemptionId)).supplierDid, supplierDid);
  });

  it("shows suppliers their own redemptions only", async () => {
    assert.equal((await getRedemption(t.deps, supplier(), redemptionId)).redemptionId, redemptionId);
    await assert.rejects(getRedemption(t.deps, supplier("did:x:other"), redemptionId), { code: "NOT_FOUND" });
  });

  it("shows integrators what their scopes and DIDs cover", async () => {
    await assert.rejects(getVoucher(t.deps, integrator([]), voucherId), { code: "NOT_FOUND" });
    assert.equal((await getVoucher(t.deps, integrator(["vouchers:read"]), voucherId)).id, voucherId);
    assert.equal((await getVoucher(t.deps, integrator(["vouchers:read"], [t.household(1)]), voucherId)).id, voucherId);
    const stranger = integrator(["vouchers:read"], ["did:x:other"]);
    await assert.rejects(getVoucher(t.deps, stranger, voucherId), { code: "NOT_FOUND" });
    await assert.rejects(getRedemption(t.deps, stranger, redemptionId), { code: "NOT_FOUND" });
    const seller = integrator(["vouchers:redeem"], [supplierDid]);
    assert.equal((await getRedemption(t.deps, seller, redemptionId)).redemptionId, redemptionId);
  });
});

describe("who may act on vouchers and redemptions", () => {
  it("lets a supplier redeem only for itself, and otherwise only admin and integrators with the scope", async () => {
    for (const ctx of [
      supplier("did:x:other"),
      implementer(),
      as({ role: "regulator" }),
      as({ role: "evaluator" }),
      integrator(["vouchers:read"]),
      integrator(["vouchers:redeem"], ["did:x:other"]),
    ]) {
      await assert.rejects(redeemVoucher(t.deps, ctx, order()), { code: "FORBIDDEN" }, ctx.actor.role);
    }
    assert.equal(
      (await redeemVoucher(t.deps, integrator(["vouchers:redeem"], [supplierDid]), order())).supplierDid,
      supplierDid,
    );
  });

  it("lets an implementer issue and cancel only against its own certificates", async () => {
    const emissionCertificateId = await t.certify();
    const input = { recipientDid: t.household(2), emissionCertificateId, value: 100_000_000n, attributes };
    await assert.rejects(issueVoucher(t.deps, implementer("did:x:other"), input), { code: "FORBIDDEN" });
    await assert.rejects(issueVoucher(t.deps, supplier(), input), { code: "FORBIDDEN" });
    const { id } = await issueVoucher(t.deps, implementer(), input);
    await assert.rejects(cancelVoucher(t.deps, as({ role: "regulator" }), { voucherId: id, reason: "x" }), {
      code: "FORBIDDEN",
    });
    assert.equal((await cancelVoucher(t.deps, implementer(), { voucherId: id, reason: "x" })).status, "cancelled");
  });

  it("lets regulators and evaluators suspend, and only evaluators flag", async () => {
    await assert.rejects(suspendVoucher(t.deps, implementer(), { voucherId, reason: "x" }), { code: "FORBIDDEN" });
    for (const role of ["regulator", "evaluator"] as const) {
      const emissionCertificateId = await t.certify();
      const issued = await t.issue({ recipientDid: t.household(3), emissionCertificateId, value: 100 });
      const { id } = issued.body as { id: string };
      assert.equal((await suspendVoucher(t.deps, as({ role }), { voucherId: id, reason: "x" })).status, "suspended");
    }
    await assert.rejects(flagRedemption(t.deps, as({ role: "regulator" }), { redemptionId, reason: "x" }), {
      code: "FORBIDDEN",
    });
    assert.equal(
      (await flagRedemption(t.deps, as({ role: "evaluator" }), { redemptionId, reason: "x" })).flagged,
      true,
    );
  });

  it("lets a supplier reverse its own redemption", async () => {
    await assert.rejects(reverseRedemption(t.deps, implementer(), { redemptionId, reason: "x" }), {
      code: "FORBIDDEN",
    });
    assert.equal((await reverseRedemption(t.deps, supplier(), { redemptionId, reason: "x" })).status, "reversed");
  });
});

describe("a chain that is slow", () => {
  it("leads to 202 with an operation that has the result, and a repeat under the same key finds it", async () => {
    await t.world.anvil.pauseMining();
    const body = { voucherId, supplierDid, productId, amount: 2 };
    const headers = { "idempotency-key": "slow-chain-1" };
    const answer = await t.admin("POST", "/vouchers/redeem", body, headers);
    await t.world.anvil.resumeMining();
    assert.equal(answer.status, 202, JSON.stringify(answer.body));
    const { operationId, url, status, transactionHash } = answer.body as Body;
    assert.deepEqual([status, url], ["submitted", `/v1/operations/${operationId}`]);
    assert.equal(answer.headers.get("location"), url);
    let operation: Body = {};
    for (let i = 0; i < 100 && operation.status !== "succeeded"; i++) {
      await sleep(100);
      operation = (await t.admin("GET", `/operations/${operationId}`)).body as Body;
    }
    assert.equal(operation.status, "succeeded", JSON.stringify(operation));
    const result = operation.result as Body;
    assert.equal(result.transactionHash, transactionHash);
    const redemption = (await t.admin("GET", `/redemptions/${result.redemptionId}`)).body as Body;
    assert.deepEqual([redemption.amount, redemption.transactionHash], [2, transactionHash]);
    const repeat = await t.admin("POST", "/vouchers/redeem", body, headers);
    assert.deepEqual([repeat.status, repeat.body], [202, answer.body]);
  });
});
