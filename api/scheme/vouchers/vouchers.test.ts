import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parseEventLogs } from "viem";
import { vouchersAbi } from "../../../deployments/abi/vouchers.ts";
import {
  attributes,
  openVoucherTest,
  productId,
  rulesOf,
  supplierDid,
  type VoucherTest,
} from "../../../test/support/vouchers.ts";
import type { Actor } from "../../platform/http/request-context.ts";
import { redeemVoucher } from "./redemptions/redeem.ts";

type Body = Record<string, unknown>;
let t: VoucherTest;
before(async () => {
  t = await openVoucherTest();
});
after(() => t.close());

async function issued(value = 100): Promise<Body> {
  const emissionCertificateId = await t.certify(undefined, { verifiedReduction: value });
  const answer = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value });
  assert.equal(answer.status, 201, JSON.stringify(answer.body));
  return answer.body as Body;
}

/** Issue all allocations of a new certificate as a batch, in the order of the households. */
async function issuedBatch(amounts: number[]): Promise<Body[]> {
  const emissionCertificateId = await t.certify(amounts);
  const started = await t.admin("POST", "/vouchers/issue-batch", { emissionCertificateId, attributes });
  assert.equal(started.status, 202, JSON.stringify(started.body));
  const { operationId } = started.body as { operationId: string };
  await finished(operationId);
  const count = await t.deps.chain.read("vouchers", "batchCount", []);
  const { encodeVoucherId, voucherIdOf } = await import("../../../wire/src/ids.ts");
  return await Promise.all(
    amounts.map(async (_, i) => {
      const answer = await t.admin("GET", `/vouchers/${encodeVoucherId(voucherIdOf(count, i))}`);
      return answer.body as Body;
    }),
  );
}

async function finished(operationId: string): Promise<Body> {
  for (let i = 0; i < 200; i++) {
    const { body } = await t.admin("GET", `/operations/${operationId}`);
    const { status } = body as { status: string };
    if (!["queued", "running"].includes(status)) {
      assert.equal(status, "succeeded", JSON.stringify(body));
      return body as Body;
    }
    await sleep(50);
  }
  throw new Error("The operation did not end.");
}

describe("POST /v1/vouchers/issue", () => {
  it("returns the voucher of the requirements and the transaction", async () => {
    const emissionCertificateId = await t.certify();
    const answer = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value: 100 });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { id, transactionHash, ...rest } = answer.body as Body;
    assert.match(String(id), /^VCHR-[0-9A-Z]{13}[0-9A-Z*~$=]$/);
    assert.match(String(transactionHash), /^0x[0-9a-f]{64}$/);
    assert.deepEqual(rest, {
      status: "active",
      recipientDid: t.household(1),
      emissionCertificateId,
      value: 100,
      remainingBalance: 100,
      attributes,
    });
  });

  it("accepts exactly the household's allocation and refuses anything else", async () => {
    const emissionCertificateId = await t.certify([10.5, 20.25]);
    const wrong = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value: 20.25 });
    assert.equal(wrong.status, 400);
    assert.deepEqual(rulesOf(wrong), ["value-matches-reduction"]);
    const none = await t.issue({ recipientDid: t.household(9), emissionCertificateId, value: 1 });
    assert.deepEqual(rulesOf(none), ["value-matches-reduction"]);
    const right = await t.issue({ recipientDid: t.household(2), emissionCertificateId, value: 20.25 });
    assert.equal(right.status, 201, JSON.stringify(right.body));
    const again = await t.issue({ recipientDid: t.household(2), emissionCertificateId, value: 20.25 });
    assert.equal(again.status, 409);
    assert.deepEqual(rulesOf(again), ["issued-once"]);
  });

  it("names every broken rule in one response", async () => {
    const answer = await t.issue({
      recipientDid: "did:ixo:household/unknown",
      emissionCertificateId: "CERT-unknown",
      value: 5,
      attributes: { batchId: "B", issuanceDate: "2024-03-15", expiryDate: "2024-03-14" },
    });
    assert.equal(answer.status, 400);
    assert.deepEqual(rulesOf(answer), ["certificate-exists", "dates-ordered", "recipient-registered"]);
  });

  it("refuses a certificate that is not valid", async () => {
    const emissionCertificateId = await t.certify();
    await t.admin("PATCH", `/certificates/${emissionCertificateId}`, { status: "suspended", reason: "review" });
    const answer = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value: 100 });
    assert.equal(answer.status, 400);
    assert.deepEqual(rulesOf(answer), ["certificate-valid"]);
  });

  it("issues a voucher with dates in the past, with a warning", async () => {
    const emissionCertificateId = await t.certify();
    const past = { ...attributes, expiryDate: "2024-12-31" };
    const answer = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value: 100, attributes: past });
    assert.equal(answer.status, 201);
    const body = answer.body as Body & { warnings: { rule: string }[] };
    assert.equal(body.status, "expired");
    assert.equal(body.warnings[0]?.rule, "not-already-expired");
    const redeemed = await t.redeem({ voucherId: body.id, amount: 1 });
    assert.equal(redeemed.status, 400);
    assert.deepEqual(rulesOf(redeemed), ["voucher-not-expired"]);
  });

  it("corrects dates in the past: cancels the voucher and reissues it from today on", async () => {
    const emissionCertificateId = await t.certify();
    const past = { ...attributes, expiryDate: "2024-12-31" };
    const answer = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value: 100, attributes: past });
    const { id } = answer.body as Body;
    const cancelled = await t.admin("POST", `/vouchers/${id}/cancel`, { reason: "wrong dates" });
    assert.equal(cancelled.status, 200, JSON.stringify(cancelled.body));
    const short = await t.admin("POST", `/vouchers/${id}/reissue`, { attributes: past });
    assert.deepEqual(rulesOf(short), ["reissue-not-shorter"]);
    const reissued = await t.admin("POST", `/vouchers/${id}/reissue`, { reason: "wrong dates" });
    assert.equal(reissued.status, 201, JSON.stringify(reissued.body));
    const redeemed = await t.redeem({ voucherId: (reissued.body as Body).id, amount: 1 });
    assert.equal(redeemed.status, 201, JSON.stringify(redeemed.body));
  });

  it("does not sweep an expired voucher while its certificate is suspended", async () => {
    const emissionCertificateId = await t.certify();
    const past = { ...attributes, expiryDate: "2024-12-31" };
    const answer = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value: 100, attributes: past });
    await t.admin("PATCH", `/certificates/${emissionCertificateId}`, { status: "suspended", reason: "review" });
    const swept = await t.admin("POST", `/vouchers/${(answer.body as Body).id}/sweep`);
    assert.equal(swept.status, 409);
    const { message } = swept.body as { message: string };
    assert.match(message, /may not be swept while its certificate is suspended/);
  });

  it("issues one voucher to callers that race for it", async () => {
    const emissionCertificateId = await t.certify();
    const body = { recipientDid: t.household(1), emissionCertificateId, value: 100 };
    const answers = await Promise.all([t.issue(body), t.issue(body), t.issue(body)]);
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
  });
});

describe("POST /v1/vouchers/issue-batch", () => {
  it("issues every allocation once, skipping what was issued alone", async () => {
    const emissionCertificateId = await t.certify([1, 2, 3]);
    await t.issue({ recipientDid: t.household(2), emissionCertificateId, value: 2 });
    const started = await t.admin("POST", "/vouchers/issue-batch", { emissionCertificateId, attributes });
    assert.equal(started.status, 202);
    const operation = await finished((started.body as { operationId: string }).operationId);
    assert.deepEqual(operation.result, { issuedNow: 2, total: 3 });
    const certificate = await t.admin("GET", `/certificates/${emissionCertificateId}`);
    assert.equal((certificate.body as Body).issued, 6);
    const again = await t.admin("POST", "/vouchers/issue-batch", { emissionCertificateId, attributes });
    assert.equal(again.status, 409);
  });

  it("gives each household its voucher, readable before first use", async () => {
    const vouchers = await issuedBatch([4, 5.5, 6]);
    assert.deepEqual(
      vouchers.map(({ recipientDid, value }) => [recipientDid, value]),
      [
        [t.household(1), 4],
        [t.household(2), 5.5],
        [t.household(3), 6],
      ],
    );
    const proof = (await t.admin("GET", `/vouchers/${vouchers[1]?.id}/proof`)).body as Body;
    assert.equal(proof.opened, false);
    assert.equal((proof.proof as unknown[]).length, 2);
  });
});

describe("POST /v1/vouchers/redeem", () => {
  it("returns the redemption and the voucher after it", async () => {
    const voucher = await issued();
    const answer = await t.redeem({ voucherId: voucher.id, amount: 30.5 });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    const { redemptionId, redeemedAt, claimDeadline, transactionHash, ...rest } = answer.body as Body;
    assert.match(String(redemptionId), /^REDM-/);
    assert.match(String(transactionHash), /^0x/);
    assert.equal(Date.parse(String(claimDeadline)) - Date.parse(String(redeemedAt)), 336 * 3_600_000);
    const { transactionHash: _, ...before } = voucher;
    assert.deepEqual(rest, {
      voucherId: voucher.id,
      supplierDid,
      productId,
      amount: 30.5,
      consent: "none",
      status: "pending_delivery",
      remainingBalance: 69.5,
      voucher: { ...before, remainingBalance: 69.5 },
    });
    const read = await t.admin("GET", `/redemptions/${redemptionId}`);
    const { remainingBalance, voucher: __, ...record } = answer.body as Body;
    const actedBy = { channel: "staff", role: "admin", caller: "admin" };
    assert.deepEqual(read.body, { ...record, actedBy, flagged: false });
    assert.equal(remainingBalance, 69.5);
  });

  it("opens a voucher of a batch on first use", async () => {
    const [, second] = await issuedBatch([7, 8, 9]);
    const first = await t.redeem({ voucherId: second?.id, amount: 3 });
    assert.equal(first.status, 201, JSON.stringify(first.body));
    const later = await t.redeem({ voucherId: second?.id, amount: 5 });
    assert.equal((later.body as Body).remainingBalance, 0);
    assert.equal(((await t.admin("GET", `/vouchers/${second?.id}`)).body as Body).status, "exhausted");
    const over = await t.redeem({ voucherId: second?.id, amount: 1 });
    assert.equal(over.status, 400);
    assert.deepEqual(rulesOf(over), ["amount-within-balance", "voucher-active"]);
  });

  it("never spends more than the balance, however many ask together", async () => {
    const voucher = await issued(100);
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => t.redeem({ voucherId: voucher.id, amount: 10 })),
    );
    assert.equal(answers.filter(({ status }) => status === 201).length, 10);
    assert.equal(answers.filter(({ status }) => status === 400).length, 15);
    const ids = answers.filter(({ status }) => status === 201).map(({ body }) => (body as Body).redemptionId);
    assert.equal(new Set(ids).size, 10);
    assert.equal(((await t.admin("GET", `/vouchers/${voucher.id}`)).body as Body).remainingBalance, 0);
  });

  it("checks the voucher (404) before the supplier (403) before all rules", async () => {
    const voucher = await issued();
    const mistyped = `${String(voucher.id).slice(0, -1)}${String(voucher.id).endsWith("0") ? "1" : "0"}`;
    const missing = await t.redeem({ voucherId: mistyped, amount: 1, supplierDid: "did:x:unknown" });
    assert.equal(missing.status, 404);
    assert.match((missing.body as { message: string }).message, /mistyped/);
    const stranger = await t.redeem({ voucherId: voucher.id, amount: 1000, supplierDid: "did:x:unknown" });
    assert.equal(stranger.status, 403);
    const all = await t.redeem({ voucherId: voucher.id, amount: 1000, productId: "PROD-unknown" });
    assert.equal(all.status, 400);
    assert.deepEqual(rulesOf(all), ["amount-within-balance", "product-approved"]);
  });

  it("refuses a suspended supplier with 403", async () => {
    const voucher = await issued();
    const path = `/suppliers/${encodeURIComponent(supplierDid)}`;
    assert.equal((await t.admin("PATCH", path, { status: "suspended", reason: "audit" })).status, 200);
    const answer = await t.redeem({ voucherId: voucher.id, amount: 1 });
    await t.admin("PATCH", path, { status: "authorised", reason: "done" });
    assert.equal(answer.status, 403);
    assert.deepEqual(rulesOf(answer), ["supplier-authorised"]);
  });

  it("redeems once for one Idempotency-Key", async () => {
    const voucher = await issued();
    const body = { voucherId: voucher.id, amount: 10, supplierDid, productId };
    const headers = { "idempotency-key": randomUUID() };
    const first = await t.admin("POST", "/vouchers/redeem", body, headers);
    const second = await t.admin("POST", "/vouchers/redeem", body, headers);
    assert.deepEqual(second.body, first.body);
    assert.equal(((await t.admin("GET", `/vouchers/${voucher.id}`)).body as Body).remainingBalance, 90);
  });

  it("finds an interrupted attempt's redemption instead of making a second one", async () => {
    const voucher = await issued();
    const actor: Actor = { keyId: "k", role: "admin", scopes: [], dids: null };
    const ctx = { actor, idempotencyKey: randomUUID() };
    const voucherId = String(voucher.id);
    const input = { voucherId, supplierDid, productId, amount: 5_000_000n, householdAuthorization: undefined };
    const [first, other] = await Promise.all([
      redeemVoucher(t.deps, ctx, input),
      redeemVoucher(t.deps, { ...ctx, idempotencyKey: randomUUID() }, input),
    ]);
    // Simulates a new process that receives the same request after the first process was killed.
    const again = await redeemVoucher(t.deps, ctx, input);
    assert.equal(JSON.stringify(again), JSON.stringify(first));
    assert.notEqual(other.redemptionId, first.redemptionId);
    assert.equal(((await t.admin("GET", `/vouchers/${voucherId}`)).body as Body).remainingBalance, 90);
  });

  it("names the fields that are not well formed", async () => {
    const answer = await t.redeem({ voucherId: "", amount: "10", extra: 1 });
    assert.equal(answer.status, 400);
    const paths = (answer.body as { details: { path: string }[] }).details.map(({ path }) => path).sort();
    assert.deepEqual(paths, ["amount", "extra", "voucherId"]);
  });
});

describe("lifecycle of vouchers and redemptions", () => {
  /** The ledger's events in the transaction that a response names. */
  const eventsOf = async ({ transactionHash }: Body) => {
    const { logs } = await t.deps.chain.client.getTransactionReceipt({ hash: transactionHash as `0x${string}` });
    return parseEventLogs({ abi: vouchersAbi, logs }).map(({ eventName }) => eventName);
  };

  it("opens nothing when the change is refused", async () => {
    const [voucher] = await issuedBatch([13, 14]);
    const refused = await t.admin("POST", `/vouchers/${voucher?.id}/reactivate`, { reason: "never suspended" });
    assert.equal(refused.status, 409, JSON.stringify(refused.body));
    const { body } = await t.admin("GET", `/vouchers/${voucher?.id}/proof`);
    assert.equal((body as Body).opened, false);
  });

  it("suspends and reactivates, opening a voucher of a batch by itself", async () => {
    const [voucher] = await issuedBatch([11, 12]);
    const suspended = await t.admin("POST", `/vouchers/${voucher?.id}/suspend`, { reason: "complaint" });
    assert.equal(suspended.status, 200, JSON.stringify(suspended.body));
    assert.equal((suspended.body as Body).status, "suspended");
    assert.deepEqual(await eventsOf(suspended.body as Body), ["VoucherOpened", "VoucherSuspended"]);
    assert.deepEqual(rulesOf(await t.redeem({ voucherId: voucher?.id, amount: 1 })), ["voucher-active"]);
    const again = await t.admin("POST", `/vouchers/${voucher?.id}/suspend`, { reason: "complaint" });
    assert.equal(again.status, 409);
    const back = await t.admin("POST", `/vouchers/${voucher?.id}/reactivate`, { reason: "settled" });
    assert.equal((back.body as Body).status, "active");
    assert.equal((await t.redeem({ voucherId: voucher?.id, amount: 1 })).status, 201);
  });

  it("cancels, and reissues exactly the rest once", async () => {
    const voucher = await issued(100);
    await t.redeem({ voucherId: voucher.id, amount: 40 });
    const cancelled = await t.admin("POST", `/vouchers/${voucher.id}/cancel`, { reason: "moved away" });
    assert.equal(cancelled.status, 200, JSON.stringify(cancelled.body));
    assert.equal((cancelled.body as Body).status, "cancelled");
    assert.equal((cancelled.body as Body).remainingBalance, 0);
    const reissued = await t.admin("POST", `/vouchers/${voucher.id}/reissue`, { reason: "new address" });
    assert.equal(reissued.status, 201, JSON.stringify(reissued.body));
    const { id, value, replaces, recipientDid, expiryDate } = reissued.body as Body;
    assert.deepEqual([value, replaces, recipientDid], [60, voucher.id, t.household(1)]);
    assert.ok(String(expiryDate) > "2099-12-31", "the block of the reissue is later than the block that was read");
    assert.equal((await t.admin("POST", `/vouchers/${voucher.id}/reissue`, {})).status, 409);
    assert.equal(((await t.admin("GET", `/vouchers/${id}`)).body as Body).replaces, voucher.id);
  });

  it("gives a reversed redemption's amount back to the voucher, once", async () => {
    const voucher = await issued(100);
    const { redemptionId } = (await t.redeem({ voucherId: voucher.id, amount: 100 })).body as Body;
    const reversed = await t.admin("POST", `/redemptions/${redemptionId}/reverse`, { reason: "out of stock" });
    assert.equal(reversed.status, 200, JSON.stringify(reversed.body));
    assert.equal((reversed.body as Body).status, "reversed");
    assert.equal((reversed.body as Body).refundedTo, "voucher");
    const read = (await t.admin("GET", `/vouchers/${voucher.id}`)).body as Body;
    assert.deepEqual([read.status, read.remainingBalance], ["active", 100]);
    assert.equal((await t.admin("POST", `/redemptions/${redemptionId}/reverse`, { reason: "again" })).status, 409);
  });

  it("flags a redemption for review", async () => {
    const voucher = await issued(100);
    const { redemptionId } = (await t.redeem({ voucherId: voucher.id, amount: 1 })).body as Body;
    const flagged = await t.admin("POST", `/redemptions/${redemptionId}/flag`, { reason: "odd" });
    assert.equal(flagged.status, 200, JSON.stringify(flagged.body));
    assert.equal((flagged.body as Body).flagged, true);
  });

  it("refuses to sweep what has not expired, and to lapse what is in time", async () => {
    const voucher = await issued(100);
    const { redemptionId } = (await t.redeem({ voucherId: voucher.id, amount: 1 })).body as Body;
    assert.equal((await t.admin("POST", `/vouchers/${voucher.id}/sweep`)).status, 409);
    assert.equal((await t.admin("POST", `/redemptions/${redemptionId}/lapse`)).status, 409);
    assert.equal((await t.admin("GET", "/redemptions/REDM-nonsense")).status, 404);
  });

  it("draws a QR code as SVG and PNG", async () => {
    const voucher = await issued(100);
    const { drawQrCode } = await import("./qr.ts");
    const ctx = { actor: { keyId: "a", role: "admin", scopes: [], dids: null } } as const;
    const svg = await drawQrCode(t.deps, { ...ctx, actor: { ...ctx.actor, scopes: [] } }, String(voucher.id), "svg");
    assert.match(new TextDecoder().decode(svg.body), /^<svg/);
    const png = await drawQrCode(t.deps, { ...ctx, actor: { ...ctx.actor, scopes: [] } }, String(voucher.id), "png");
    assert.equal(Buffer.from(png.body).subarray(1, 4).toString(), "PNG");
  });
});

describe("as time passes", () => {
  it("lapses an unclaimed redemption after its deadline, and sweeps an expired voucher", async () => {
    const voucher = await issued(100);
    const [unused] = await issuedBatch([3, 4]);
    const { redemptionId } = (await t.redeem({ voucherId: voucher.id, amount: 25 })).body as Body;
    await t.travel(337 * 3600);
    const lapsed = await t.admin("POST", `/redemptions/${redemptionId}/lapse`);
    assert.equal(lapsed.status, 200, JSON.stringify(lapsed.body));
    assert.deepEqual([(lapsed.body as Body).status, (lapsed.body as Body).refundedTo], ["lapsed", "voucher"]);
    await t.travel(80 * 366 * 86_400);
    assert.equal(((await t.admin("GET", `/vouchers/${voucher.id}`)).body as Body).status, "expired");
    for (const id of [voucher.id, unused?.id]) {
      const swept = await t.admin("POST", `/vouchers/${id}/sweep`);
      assert.equal(swept.status, 200, JSON.stringify(swept.body));
      assert.deepEqual([(swept.body as Body).status, (swept.body as Body).remainingBalance], ["expired", 0]);
    }
  });
});
