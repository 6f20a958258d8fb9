import assert from "node:assert/strict";
import { afterEach, before, beforeEach, describe, it } from "node:test";
import type { ChainState } from "../../../indexer/reports/chain-state.ts";
import { rangeOf } from "../../../indexer/reports/reconciliation/day.ts";
import { readItems } from "../../../indexer/reports/reconciliation/items.ts";
import { reconcilePool } from "../../../indexer/reports/reconciliation/pool.ts";
import { type Party, suppliersOf, totalsOf } from "../../../indexer/reports/reconciliation/totals.ts";
import { type ReportDatabase, shareReportDatabase } from "./database.ts";
import { addresses, insertScene, tonne } from "./scene.ts";

const supplier: Party = { role: "supplier", index: 1, account: "0x00000000000000000000000000000000000000AA" };
const implementer: Party = { role: "implementer", index: 1, account: "0x00000000000000000000000000000000000000bb" };
const whole = { opening: 2n, closing: 40n };

/** A chain that holds what the scene's supplier has after its payment and its deposit. */
const chainAt = (block: bigint): ChainState => ({
  block,
  addresses,
  read: async (calls) => ({
    answers: calls.map(({ contract, view }) => {
      if (contract !== "carbon" || view !== "balanceOf") return 0n;
      return block < 5n ? 0n : block < 20n ? 40n * tonne : 30n * tonne;
    }),
  }),
});

describe("the reconciliation of a day", () => {
  let database: ReportDatabase;
  before(async () => {
    database = await shareReportDatabase();
    await insertScene(database);
    const e = { timestamp: 1n, transactionHash: "0x1", supplierIndex: 1, redemptionId: 2n } as const;
    const event = (n: number, name: string, data: Record<string, unknown>) => ({
      ...e,
      sequence: (BigInt(n) << 24n) | 1n,
      event: name,
      blockNumber: BigInt(n),
      logIndex: 1,
      data: JSON.stringify(data) as unknown as Record<string, unknown>,
    });
    await database.insert(
      "eventLog",
      event(6, "ClaimDisputed", { reason: "not delivered" }),
      event(7, "DisputeResolved", { upheld: true, reason: "right" }),
      { ...event(8, "SupplierDebtChanged", { debt: `${40n * tonne}` }), redemptionId: null },
      { ...event(10, "SupplierDebtWaived", { amount: "9", reason: "wrong shop" }), redemptionId: null },
      {
        ...event(9, "ReserveReceived", { token: addresses.stablecoin.toUpperCase().replace("X", "x"), amount: "500" }),
        supplierIndex: null,
      },
    );
    const swapped = {
      transactionHash: "0x2",
      price: 20_000n,
      fee: 0,
      feeAmount: 0n,
      swappedAt: 1n,
      account: "0x3",
    } as const;
    const sale = {
      sequence: 12n << 24n,
      publicId: "SWAP-1",
      side: "sell",
      supplierIndex: 1,
      blockNumber: 12n,
    } as const;
    const bought = {
      sequence: 13n << 24n,
      publicId: "SWAP-2",
      side: "buy",
      implementerIndex: 1,
      blockNumber: 13n,
    } as const;
    await database.insert(
      "swap",
      { ...swapped, ...sale, carbonAmount: 7n, stablecoinAmount: 3n },
      { ...swapped, ...bought, carbonAmount: 5n, stablecoinAmount: 4n },
    );
  });
  beforeEach(() => database.run("begin"));
  afterEach(() => database.run("rollback"));

  it("tells what happened to a supplier in chain order, each with its transaction and receipt, page by page", async () => {
    const items = await readItems(database.ask, supplier, rangeOf(whole), { after: -1n, limit: 50 });
    assert.deepEqual(
      items.map(({ type }) => type),
      ["redemption", "claim", "payment", "dispute", "resolution", "debt", "waiver", "sale"],
    );
    assert.ok(items.every(({ transactionHash }) => transactionHash.startsWith("0x")));
    const [redemption, claim, payment, dispute, resolution, , waiver, sale] = items;
    assert.deepEqual([waiver?.carbon, waiver?.detail], [9n, "wrong shop"]);
    assert.deepEqual(
      [redemption?.receipt, claim?.receipt, sale?.receipt],
      ["/v1/receipts/REDM-1", "/v1/receipts/CLM-1", "/v1/receipts/SWAP-1"],
    );
    assert.match(payment?.receipt ?? "", /^\/v1\/receipts\/PAY-/);
    assert.equal(payment?.detail, "paid in CARBON");
    assert.deepEqual([dispute?.detail, resolution?.detail], ["not delivered", "upheld: right"]);
    const later = await readItems(database.ask, supplier, rangeOf(whole), { after: dispute?.sequence ?? 0n, limit: 2 });
    assert.deepEqual(
      later.map(({ type }) => type),
      ["resolution", "debt"],
    );
  });

  it("begins and ends with the day's own blocks", async () => {
    const day = { opening: 5n, closing: 7n };
    const items = await readItems(database.ask, supplier, rangeOf(day), { after: -1n, limit: 50 });
    assert.deepEqual(
      items.map(({ type }) => type),
      ["dispute", "resolution"],
    );
  });

  it("sums up the day, and gives the balances before and after it by both ways", async () => {
    const { moved, stood } = await totalsOf(database.ask, chainAt, supplier, whole);
    const { redemptions, redeemed, carbonSettled, paidInCarbon, disputes, disputesUpheld, carbonSold } = moved;
    assert.deepEqual(
      { redemptions, redeemed, carbonSettled, paidInCarbon, disputes, disputesUpheld, carbonSold },
      {
        redemptions: 1n,
        redeemed: 40n * tonne,
        carbonSettled: 40n * tonne,
        paidInCarbon: 40n * tonne,
        disputes: 1n,
        disputesUpheld: 1n,
        carbonSold: 7n,
      },
    );
    assert.deepEqual(stood.carbonBalance?.opening, { byEvents: 0n, byChain: 0n, agree: true });
    assert.deepEqual(stood.carbonBalance?.closing, { byEvents: 30n * tonne, byChain: 30n * tonne, agree: true });
    assert.deepEqual(stood.debt?.closing, { byEvents: 40n * tonne, byChain: 0n, agree: false });
    assert.equal(stood.stablecoinBalance?.closing.byEvents, null);
    assert.match(stood.stablecoinBalance?.closing.reason ?? "", /not indexed/);
  });

  it("carries what stands open from day to day: opening, redeemed, settled and refunded give the closing", async () => {
    for (let block = 2n; block < 10n; block += 1n) {
      const { moved, stood } = await totalsOf(database.ask, chainAt, supplier, { opening: block, closing: block + 1n });
      const { redeemed = 0n, carbonSettled = 0n, refunded = 0n } = moved;
      const [opening, closing] = [stood.openRedemptions?.opening.byEvents, stood.openRedemptions?.closing.byEvents];
      assert.equal((opening ?? 0n) + redeemed - carbonSettled - refunded, closing, `block ${block}`);
    }
  });

  it("says why the chain's state is missing instead of agreeing", async () => {
    const pruned = (block: bigint): ChainState => ({
      ...chainAt(block),
      read: async () => ({ answers: null, reason: "the state is pruned" }),
    });
    const { stood } = await totalsOf(database.ask, pruned, supplier, whole);
    assert.deepEqual(stood.debt?.opening, { byEvents: 0n, byChain: null, agree: null, reason: "the state is pruned" });
    const first = await totalsOf(database.ask, chainAt, supplier, { opening: null, closing: 40n });
    assert.match(first.stood.debt?.opening.reason ?? "", /begins later/);
  });

  it("tells an implementer's purchases and conversions, with the proof of what was minted", async () => {
    const items = await readItems(database.ask, implementer, rangeOf(whole), { after: -1n, limit: 50 });
    assert.deepEqual(
      items.map(({ type }) => type),
      ["purchase", "conversion-requested", "conversion-finalised"],
    );
    assert.match(items.at(-1)?.receipt ?? "", /^\/v1\/itmo\/ITMO-.*\/proof$/);
    assert.equal(items.at(-1)?.detail, "ZMB01 1 to 10");
    const { moved, stood } = await totalsOf(database.ask, chainAt, implementer, { opening: 19n, closing: 25n });
    assert.deepEqual([moved.conversionsRequested, moved.conversionsFinalised], [10n * tonne, 0n]);
    assert.deepEqual([stood.inConversion?.opening.byEvents, stood.inConversion?.closing.byEvents], [0n, 10n * tonne]);
  });

  it("tells an implementer's debts for revoked certificates, each change with its reason, both ways", async () => {
    const change = (n: number, kind: string, debt: bigint, replacement: bigint, certificateIndex: number | null) => ({
      sequence: BigInt(n) << 24n,
      implementerIndex: 1,
      kind: kind as "burn",
      certificateIndex,
      debt,
      replacement,
      changedAt: 1n,
      transactionHash: "0x4" as const,
    });
    await database.insert(
      "implementerDebt",
      change(26, "revocation", 100n, 0n, 1),
      change(27, "burn", 60n, 0n, 1),
      change(28, "claim", 60n, 10n, 1),
      change(29, "repayment", 0n, 10n, null),
      change(30, "replacement", 0n, 0n, null),
    );
    await database.insert("eventLog", {
      sequence: 29n << 24n,
      event: "DebtRepaid",
      implementerIndex: 1,
      blockNumber: 29n,
      logIndex: 0,
      timestamp: 1n,
      transactionHash: "0x4",
      data: JSON.stringify({ amount: "60" }) as unknown as Record<string, unknown>,
    });
    const day = { opening: 25n, closing: 28n };
    const whole = rangeOf({ ...day, closing: 40n });
    const all = await readItems(database.ask, implementer, whole, { after: -1n, limit: 50 });
    const items = all.filter(({ type }) => type === "debt" || type === "replacement");
    const [first] = await database.ask(`select certificate_id from certificate where "index" = 1`);
    assert.deepEqual(
      items.map(({ type, id, carbon, detail }) => [type, id, carbon, detail]),
      [
        ["debt", first?.certificate_id, 100n, "revocation"],
        ["debt", first?.certificate_id, 60n, "burn"],
        ["replacement", first?.certificate_id, 10n, "claim"],
        ["debt", null, 0n, "repayment"],
        ["replacement", null, 0n, "replacement"],
      ],
    );
    const { stood } = await totalsOf(database.ask, chainAt, implementer, day);
    assert.deepEqual(stood.debt?.opening, { byEvents: 0n, byChain: 0n, agree: true });
    assert.deepEqual(stood.debt?.closing, { byEvents: 60n, byChain: 0n, agree: false });
    assert.deepEqual(stood.replacement?.closing, { byEvents: 10n, byChain: 0n, agree: false });
    const { moved } = await totalsOf(database.ask, chainAt, implementer, { opening: 28n, closing: 40n });
    assert.deepEqual([moved.debtRepaid, moved.carbonReplaced], [60n, 0n]);
  });

  it("tells what the invalidation buffer holds of an implementer's conversions, cancelled and gave back", async () => {
    await database.insert("bufferHold", {
      conversionIndex: 1,
      firstId: 8n,
      lastId: 10n,
      quantity: 3n,
      held: 0n,
      cancelled: 1n,
      released: 2n,
      heldUntil: 1_893_456_000n,
      sequence: 31n << 24n,
      heldAt: 1n,
      transactionHash: "0x5",
    });
    const change = { conversionIndex: 1, changedAt: 1n, transactionHash: "0x6" } as const;
    await database.insert(
      "bufferChange",
      {
        ...change,
        sequence: 32n << 24n,
        kind: "cancellation",
        certificateIndex: 1,
        firstId: 8n,
        lastId: 8n,
        quantity: 1n,
      },
      {
        ...change,
        sequence: 33n << 24n,
        kind: "release",
        certificateIndex: null,
        firstId: 9n,
        lastId: 10n,
        quantity: 2n,
      },
    );
    const day = { opening: 30n, closing: 32n };
    const all = await readItems(database.ask, implementer, rangeOf({ ...day, closing: 40n }), {
      after: -1n,
      limit: 50,
    });
    const [conversion] = await database.ask(`select public_id from itmo_conversion where "index" = 1`);
    assert.deepEqual(
      all.map(({ type, id, carbon, detail }) => [type, id, carbon, detail]),
      [
        ["units-buffered", conversion?.public_id, 3n * tonne, "ZMB01 8 to 10"],
        ["units-cancelled", conversion?.public_id, tonne, "ZMB01 8 to 8"],
        ["units-released", conversion?.public_id, 2n * tonne, "ZMB01 9 to 10"],
      ],
    );
    const { moved, stood } = await totalsOf(database.ask, chainAt, implementer, day);
    assert.deepEqual([moved.unitsBuffered, moved.unitsCancelled, moved.unitsReleased], [3n * tonne, tonne, 0n]);
    assert.deepEqual([stood.inBuffer?.opening.byEvents, stood.inBuffer?.closing.byEvents], [0n, 2n * tonne]);
  });

  it("lists the suppliers for whom something happened, and reconciles the pool", async () => {
    assert.deepEqual(await suppliersOf(database.ask, whole, { after: -1n, limit: 10 }), [1]);
    assert.deepEqual(await suppliersOf(database.ask, { opening: 30n, closing: 40n }, { after: -1n, limit: 10 }), []);
    const { moved, stood } = await reconcilePool(database.ask, chainAt, whole);
    assert.deepEqual(moved, {
      carbonIn: 7n,
      carbonOut: 5n,
      stablecoinIn: 4n,
      stablecoinOut: 3n,
      carbonTreasury: 0n,
      stablecoinTreasury: 500n,
    });
    assert.deepEqual(stood.stablecoinReserve?.closing, { byEvents: 501n, byChain: 0n, agree: false });
  });
});
