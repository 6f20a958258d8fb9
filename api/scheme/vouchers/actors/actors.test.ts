import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { eq } from "drizzle-orm";
import { type Caller, requireStatus } from "../../../../test/support/registry.ts";
import { untilFound } from "../../../../test/support/until.ts";
import { implementerDid, openVoucherTest, supplierDid, type VoucherTest } from "../../../../test/support/vouchers.ts";
import { chainTransactions } from "../../../platform/chain/index.ts";
import type { RequestContext } from "../../../platform/http/index.ts";
import { redeemVoucher } from "../redemptions/redeem.ts";
import type { RedemptionRecord } from "../schemas.ts";
import { redemptionOrders } from "./tables.ts";

type Figure = { channel: string; consent: string; count: number };

let t: VoucherTest;
let voucherId: string;

before(async () => {
  t = await openVoucherTest();
  const emissionCertificateId = await t.certify();
  const issued = await t.issue({ recipientDid: t.household(1), emissionCertificateId, value: 100 });
  voucherId = (requireStatus(issued, 201).body as { id: string }).id;
});
after(() => t?.close());

const order = { supplierDid, productId: "PROD-789", amount: 1 };
const redeem = async (call: Caller, headers: Record<string, string> = {}): Promise<string> => {
  const answer = await call("POST", "/vouchers/redeem", { voucherId, ...order }, headers);
  return (requireStatus(answer, 201).body as { redemptionId: string }).redemptionId;
};
const readBy = async (call: Caller, redemptionId: string) =>
  (requireStatus(await call("GET", `/redemptions/${redemptionId}`), 200).body as RedemptionRecord).actedBy;

/** Redeem as an actor that a request cannot name. */
async function redeemAs(actor: Partial<RequestContext["actor"]>): Promise<string> {
  const ctx: RequestContext = {
    actor: { keyId: "k", role: "integrator", scopes: ["vouchers:redeem"], dids: null, ...actor },
  };
  const input = { voucherId, ...order, amount: 1_000_000n, householdAuthorization: undefined };
  return (await redeemVoucher(t.deps, ctx, input)).redemptionId;
}

describe("who acts for a household", () => {
  it("is stored with the redemption: the channel for all who see it, the key for auditors and for itself", async () => {
    const till = await t.as("supplier", { supplierDid });
    const redemptionId = await redeem(till);
    const whole = await readBy(t.admin, redemptionId);
    assert.partialDeepStrictEqual(whole, { channel: "till", role: "supplier" });
    assert.match(whole?.caller ?? "", /^[a-z0-9]{12}$/);
    assert.deepEqual(await readBy(till, redemptionId), whole);
    assert.deepEqual(await readBy(await t.as("regulator"), redemptionId), whole);
    for (const reader of [await t.as("supplier", { supplierDid }), await t.as("implementer", { implementerDid })]) {
      assert.deepEqual(await readBy(reader, redemptionId), { ...whole, caller: null });
    }
  });

  it("is the adapter that made the key, the oracle's agent, or what the role says", async () => {
    const channels = {
      collector: await redeemAs({ adapter: "odk" }),
      phone: await redeemAs({ adapter: "phones" }),
      agent: await redeemAs({ adapter: "oracle", role: "supplier", supplierDid, scopes: [] }),
      program: await redeem(await t.as("integrator", { scopes: ["vouchers:redeem"] })),
      staff: await redeem(t.admin),
    };
    for (const [channel, redemptionId] of Object.entries(channels)) {
      assert.equal((await readBy(t.admin, redemptionId))?.channel, channel);
    }
  });

  it("cannot be claimed in a request", async () => {
    const body = { role: "integrator", name: "Till", scopes: ["vouchers:redeem"], adapter: "phones" };
    assert.equal((await t.admin("POST", "/keys", body)).status, 400);
    const claimed = await t.admin("POST", "/vouchers/redeem", { voucherId, ...order, actedBy: { channel: "phone" } });
    assert.equal(claimed.status, 400);
  });

  it("is counted once for a repeated request, by channel and consent, for the regulator alone", async () => {
    const headers = { "idempotency-key": "acted-once" };
    const redemptionId = await redeem(t.admin, headers);
    assert.equal(await redeem(t.admin, headers), redemptionId);
    const { items } = requireStatus(await (await t.as("regulator"))("GET", "/redemption-actors"), 200).body as {
      items: Figure[];
    };
    assert.deepEqual(
      items.map(({ channel, consent, count }) => [channel, consent, count]),
      [
        ["agent", "none", 1],
        ["collector", "none", 1],
        ["phone", "none", 1],
        ["program", "none", 1],
        ["staff", "none", 2],
        ["till", "none", 1],
      ],
    );
    assert.equal((await (await t.as("supplier", { supplierDid }))("GET", "/redemption-actors")).status, 403);
  });

  it("is stored when the caller does not wait for the block, and when the process ends before it", async () => {
    const till = await t.as("supplier", { supplierDid });
    const { anvil } = t.world;
    const { options } = t.deps.chain.outbox;
    const { txWaitMs } = options;
    options.txWaitMs = 100;
    await anvil.pauseMining();
    const headers = { "idempotency-key": "acted-later" };
    const answers = await Promise.all([
      till("POST", "/vouchers/redeem", { voucherId, ...order }, headers),
      till("POST", "/vouchers/redeem", { voucherId, ...order, amount: 2 }),
    ]);
    options.txWaitMs = txWaitMs;
    await anvil.resumeMining();
    const ids = await Promise.all(
      answers.map((answer) => {
        const { operationId } = requireStatus(answer, 202).body as { operationId: string };
        return untilFound(async () => {
          const { body } = await till("GET", `/operations/${operationId}`);
          return (body as { result?: { redemptionId?: string } }).result?.redemptionId;
        });
      }),
    );
    assert.equal(new Set(ids).size, 2);
    const figures = async () =>
      (requireStatus(await (await t.as("regulator"))("GET", "/redemption-actors"), 200).body as { items: Figure[] })
        .items;
    assert.equal((await figures()).find(({ channel }) => channel === "till")?.count, 3);
    for (const id of ids)
      assert.partialDeepStrictEqual(await readBy(t.admin, id), { channel: "till", role: "supplier" });
    assert.equal((await t.deps.db.select().from(redemptionOrders)).length, 0);
  });

  it("is not stored for orders of a transaction that the chain never had", async () => {
    const [row] = await t.deps.db
      .select()
      .from(chainTransactions)
      .where(eq(chainTransactions.purpose, "voucher.redeem"));
    assert.ok(row);
    const { id: _, ...copy } = { ...row, hash: "0xfailed", nonce: 1_000_000, status: "failed" as const };
    const [failed] = await t.deps.db.insert(chainTransactions).values(copy).returning();
    const acting = { channel: "till", role: "supplier", caller: "k", at: new Date() } as const;
    await t.deps.db.insert(redemptionOrders).values({ ...acting, transactionId: failed?.id ?? 0, position: 0 });
    await (await t.as("regulator"))("GET", "/redemption-actors");
    assert.equal((await t.deps.db.select().from(redemptionOrders)).length, 0);
  });

  it("is stored with each change of a card", async () => {
    const implementer = await t.as("implementer", { implementerDid });
    const made = requireStatus(await implementer("POST", "/card-batches", { count: 1, language: "en" }), 201).body;
    const { batchId } = made as { batchId: string };
    const listed = requireStatus(await implementer("GET", `/cards?batchId=${batchId}`), 200).body;
    const [{ cardId } = { cardId: "" }] = (listed as { items: { cardId: string }[] }).items;
    requireStatus(await t.admin("POST", `/cards/${cardId}/link`, { householdDid: t.household(1) }), 200);
    requireStatus(await implementer("POST", `/cards/${cardId}/activate`, {}), 200);
    const { changes } = requireStatus(await t.admin("GET", `/cards/${cardId}`), 200).body as {
      changes: { status: string; channel: string | null }[];
    };
    assert.deepEqual(
      changes.map(({ status, channel }) => [status, channel]),
      [
        ["linked", "staff"],
        ["active", "field-team"],
      ],
    );
  });
});
