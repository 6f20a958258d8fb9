import assert from "node:assert/strict";
import { it } from "node:test";
import { eq } from "ponder";
import * as schema from "../../indexer/ponder.schema.ts";
import { itmoActionSubtypes, itmoBlockStatuses, wordAt } from "../../indexer/schema/itmo-words.ts";
import { codeText } from "../../wire/src/code-text.ts";
import {
  encodeClaimId,
  encodeConversionId,
  encodeItmoBlockId,
  encodePaymentId,
  encodeRedemptionId,
  encodeVoucherId,
} from "../../wire/src/ids.ts";
import { itmoBlockIdOf } from "../../wire/src/itmo-ids.ts";
import { type ItmoStory, isHolder, keeperOf } from "./itmo-story.ts";
import type { Indexer } from "./ponder-process.ts";
import type { World } from "./world.ts";

export type ItmoContext = {
  world: World;
  live: Indexer;
  itmos: ItmoStory;
  get(path: string): Promise<{ status: number; body: Record<string, unknown> }>;
};

type End = { type: string; id: string };
type ItmoTrace = {
  type: string;
  convention: string;
  certificates: { certificateId: string }[];
  vouchers: { voucherId: string; redemptions: { redemptionId: string; claim: { id: string } | null }[] }[];
  swaps: { id: string; side: string; carbonAmount: number; transactionHash: string }[];
  conversions: { id: string; status: string }[];
  itmoBlocks: { uniqueId: string; status: string; actions: { action: string }[] }[];
  lots: { amount: number; certificateId: string; redemptionId: string | null }[];
  carbon: { held: { account: string; amount: number }[] };
  links: { from: End; to: End; relation: string; transactionHash: string }[];
  history: { event: string }[];
  shownInPart: string[];
  nextCursor: string | null;
};

/** What the index must know of the story's conversions; `context` is asked when a test runs. */
export function itmoCases(context: () => ItmoContext): void {
  const traceOf = async (id: string, query = "") => {
    const { status, body } = await context().get(`/reports/trace/${encodeURIComponent(id)}${query}`);
    assert.equal(status, 200, JSON.stringify(body));
    return body as unknown as ItmoTrace;
  };

  it("has every account's CARBON as the token has it, and all that there is", async () => {
    const { live, world } = context();
    const balances = new Map<string, bigint>();
    for (const { account, received, sent } of await live.client.db.select().from(schema.carbonAccount)) {
      if (!isHolder(account)) continue;
      const keeper = keeperOf(account, world);
      balances.set(keeper, (balances.get(keeper) ?? 0n) + received - sent);
    }
    assert.ok(balances.size > 5);
    for (const [account, balance] of balances) {
      assert.equal(balance, await world.read("carbon", "balanceOf", [account]), account);
    }
    const all = [...balances.values()].reduce((sum, balance) => sum + balance, 0n);
    assert.equal(all, await world.read("carbon", "totalSupply", []));
  });

  it("knows what happened to the CARBON of every certificate", async () => {
    const { live } = context();
    const lots = await live.client.db.select().from(schema.itmoLot);
    const conversions = await live.client.db.select().from(schema.itmoConversion);
    for (const { index, amount, status } of conversions) {
      const own = lots.filter(({ conversionIndex }) => conversionIndex === index);
      assert.equal(
        own.reduce((sum, lot) => sum + lot.amount, 0n),
        status === "finalised" ? amount : 0n,
      );
    }
    assert.ok(lots.every(({ certificateIndex, releaseSequence }) => certificateIndex !== null && releaseSequence));
    const moves = await live.client.db.select().from(schema.carbonMove);
    const sumOf = (kind: string, index: number) =>
      moves
        .filter((move) => move.kind === kind && move.certificateIndex === index)
        .reduce((sum, move) => sum + move.amount, 0n);
    for (const row of await live.client.db.select().from(schema.certificate)) {
      const converted = lots.filter(({ certificateIndex }) => certificateIndex === row.index);
      assert.ok(converted.reduce((sum, lot) => sum + lot.amount, 0n) <= sumOf("release", row.index));
      assert.ok(sumOf("release", row.index) <= row.issued);
    }
    const releases = moves.filter(({ kind }) => kind === "release");
    assert.ok(releases.every(({ certificateIndex, voucherId }) => certificateIndex !== null && voucherId !== null));
    assert.ok(moves.every(({ kind, certificateIndex }) => kind !== "return" || certificateIndex !== null));
  });

  it("has every block of ITMOs as the contract has it, and who held it until when", async () => {
    const { live, world } = context();
    const blocks = await live.client.db.select().from(schema.itmoBlock);
    assert.deepEqual(blocks.map(({ uniqueId, status }) => `${uniqueId} ${status}`).sort(), [
      "CA0001-ZMB01-ZMB-1-1-2023 cancelled",
      "CA0001-ZMB01-ZMB-101-101-2023 used-for-ndc",
      "CA0001-ZMB01-ZMB-102-102-2023 held",
      "CA0001-ZMB01-ZMB-2-2-2023 omge",
      "CA0001-ZMB01-ZMB-3-3-2023 share-of-proceeds",
    ]);
    for (const row of blocks) {
      const chain = (await world.read("itmo", "blockOf", [row.id])) as Record<string, bigint | number | `0x${string}`>;
      const { lastId, vintage, authorizationIndex } = row;
      assert.deepEqual(
        [lastId, vintage, authorizationIndex, wordAt(itmoBlockStatuses, Number(chain.status))],
        [chain.lastId, chain.vintage, chain.authorization, row.status],
      );
      assert.equal(row.party ?? "", codeText(chain.party as `0x${string}`));
      assert.equal(row.firstTransfer, wordAt(itmoActionSubtypes, Number(chain.firstTransfer)));
    }
    const holdings = await live.client.db.select().from(schema.itmoHolding);
    const told = holdings
      .map((row) => `${row.firstId} ${row.party} ${row.heldUntil === null ? "still" : "over"}`)
      .sort();
    assert.deepEqual(told, ["1 ZMB over", "101 CHE over", "101 ZMB over", "102 ZMB still", "2 ZMB over", "3 ZMB over"]);
    const [authorization] = await live.client.db.select().from(schema.itmoAuthorization);
    const chain = (await world.read("itmo", "authorizationOf", [1])) as Record<string, unknown>;
    const { quantity, committed, issued, version } = authorization ?? {};
    assert.deepEqual(
      { quantity, committed, issued, version },
      { quantity: chain.quantity, committed: chain.committed, issued: chain.issued, version: chain.version },
    );
  });

  it("traces every serial back to the redemptions of its CARBON, and forward to its end", async () => {
    const { world, itmos } = context();
    const [first, second] = itmos.redemptions.map(encodeRedemptionId);
    const used = await traceOf("ZMB01-101");
    assert.deepEqual([used.type, used.convention], ["itmo-block", "fifo"]);
    assert.deepEqual(
      used.lots.map((lot) => [lot.amount, lot.certificateId, lot.redemptionId]),
      // The third conversion was final first, so it has what was released first of its certificate.
      [[1_000, "CERT-LPG-1", first]],
    );
    const redeemed = used.vouchers.flatMap(({ redemptions }) => redemptions);
    assert.deepEqual(redeemed.map(({ redemptionId, claim }) => [redemptionId, claim?.id]).sort(), [
      [first, encodeClaimId(itmos.redemptions[0])],
    ]);
    assert.deepEqual(
      used.itmoBlocks.map(({ uniqueId, status, actions }) => [uniqueId, status, actions.map(({ action }) => action)]),
      [["CA0001-ZMB01-ZMB-101-101-2023", "used-for-ndc", ["First transfer", "Use"]]],
    );
    const steps = used.links.map(({ from, relation, to }) => `${from.type} ${relation} ${to.type}`);
    for (const step of [
      "certificate issued voucher",
      "voucher redeemed redemption",
      "redemption claimed claim",
      "redemption sold swap",
      "redemption release account",
      "account sold swap",
      "pool bought swap",
      "swap purchase account",
      "account deposit conversion",
      "conversion minted itmo-block",
      "itmo-block First transfer to another Party action",
      "itmo-block Use action",
    ])
      assert.ok(steps.includes(step), `${step} is not among ${[...new Set(steps)].join(", ")}`);
    for (const hash of new Set(used.links.map(({ transactionHash }) => transactionHash))) {
      const receipt = await world.anvil.rpc("eth_getTransactionReceipt", [hash]);
      assert.equal((receipt as { status: string }).status, "0x1");
    }
    const cut = await traceOf("CA0001-ZMB01-ZMB-1-3-2023");
    assert.deepEqual([cut.type, cut.itmoBlocks.length], ["itmo-serial", 3]);
    assert.equal(
      cut.lots.reduce((sum, lot) => sum + lot.amount, 0),
      3_000,
    );
    assert.deepEqual(
      [first, second].filter((id) => cut.lots.some(({ redemptionId }) => redemptionId === id)),
      [first, second],
    );
    const block = await traceOf(encodeItmoBlockId(itmoBlockIdOf(1, 3n)));
    assert.deepEqual(
      [block.type, block.itmoBlocks[0]?.status, block.lots.map(({ amount }) => amount)],
      ["itmo-block", "share-of-proceeds", [1_000]],
    );
    assert.deepEqual(
      block.history.map(({ event }) => event),
      ["ItmoAction"],
    );
  });

  it("pages through the lots of a conversion", async () => {
    const amounts: number[] = [];
    let cursor: string | null = "";
    for (let pages = 0; cursor !== null && pages < 20; pages += 1) {
      const page: ItmoTrace = await traceOf(encodeConversionId(1n), `?limit=3${cursor && `&cursor=${cursor}`}`);
      amounts.push(...page.lots.map(({ amount }) => amount));
      assert.ok(page.lots.length <= 3);
      cursor = page.nextCursor;
    }
    assert.deepEqual(amounts, [50, 50, 50, 50, 50, 50, 1_200, 1_500]);
  });

  it("traces a redemption, its claim, voucher and certificate forward to the ITMOs from its CARBON", async () => {
    const { itmos } = context();
    const [first, second] = itmos.redemptions;
    for (const id of [
      encodeRedemptionId(first),
      encodeClaimId(first),
      encodePaymentId(first),
      encodeVoucherId(first >> 32n),
      "CERT-LPG-1",
    ]) {
      const trace = await traceOf(id);
      assert.deepEqual(
        // The second was reverted: only coins went through it.
        trace.conversions.filter(({ status }) => status === "finalised").map((row) => row.id),
        [1n, 3n].map(encodeConversionId),
        id,
      );
      const ends = trace.itmoBlocks.map(({ status }) => status);
      assert.ok(ends.includes("used-for-ndc") && ends.includes("held"), id);
      assert.deepEqual(new Set(trace.swaps.map(({ side }) => side)), new Set(["sell", "buy"]), id);
    }
    const claim = await traceOf(encodeClaimId(second));
    const fed = claim.lots.reduce((sum, lot) => sum + lot.amount, 0);
    assert.equal(fed, 1_500);
  });

  it("traces swaps both ways, also when the pool's CARBON came from an account", async () => {
    const { live, itmos } = context();
    const swaps = await live.client.db.select().from(schema.swap);
    const bought = swaps.findLast(({ side }) => side === "buy");
    const purchase = await traceOf(bought?.publicId ?? "");
    assert.deepEqual(
      purchase.conversions.map(({ status }) => status),
      ["finalised", "reverted", "finalised"],
    );
    assert.ok(purchase.certificates.length >= 3);
    const sold = swaps.find(({ side, claimId }) => side === "sell" && claimId === null);
    const sale = await traceOf(sold?.publicId ?? "");
    assert.deepEqual(
      sale.certificates.map(({ certificateId }) => certificateId),
      ["CERT-LPG-2"],
    );
    const paid = swaps.find(({ claimId }) => claimId === itmos.redemptions[0]);
    const payment = await traceOf(paid?.publicId ?? "");
    assert.deepEqual(
      payment.vouchers.flatMap(({ redemptions }) => redemptions).map(({ redemptionId }) => redemptionId),
      [encodeRedemptionId(itmos.redemptions[0])],
    );
  });

  it("traces a reverted conversion back to its CARBON, and a transaction to all that it did", async () => {
    const { live } = context();
    const reverted = await traceOf(encodeConversionId(2n));
    assert.deepEqual([reverted.conversions[0]?.status, reverted.itmoBlocks.length], ["reverted", 0]);
    assert.ok(reverted.certificates.length > 0);
    const [row] = await live.client.db.select().from(schema.itmoConversion).where(eq(schema.itmoConversion.index, 1));
    const finalised = await traceOf(row?.endTransactionHash ?? "");
    const told = finalised.history.map(({ event }) => event);
    assert.deepEqual([finalised.type, told[0], told[1]], ["transaction", "ConversionFinalised", "BlockMinted"]);
    assert.deepEqual(
      finalised.conversions.map((each) => each.id),
      [encodeConversionId(1n)],
    );
  });

  it("answers what is none of its ids with 404", async () => {
    const { get } = context();
    const none = [
      "ZMB01-99",
      "CHE01-1",
      "CA0002-ZMB01-ZMB-1-3-2023",
      "CA0001-ZMB01-ZMB-1-9-2023",
      `0x${"0".repeat(64)}`,
    ];
    for (const id of [
      ...none,
      encodeConversionId(9n),
      encodeConversionId(2n ** 32n - 1n),
      "SWAP-ZZZ",
      "ZMB01-18446744073709551616",
    ]) {
      assert.equal((await get(`/reports/trace/${id}`)).status, 404, id);
    }
  });
}
