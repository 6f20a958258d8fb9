import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type Indexer, startIndexerOn } from "../../../test/indexer/ponder-process.ts";
import { addPool } from "../../../test/support/pool.ts";
import {
  attributes,
  implementerDid,
  openVoucherTest,
  supplierDid,
  type VoucherTest,
} from "../../../test/support/vouchers.ts";
import { cardCode, cardQrText } from "../../../wire/src/card-code.ts";
import type { Actor, RequestContext } from "../../platform/http/request-context.ts";
import { IndexerClient } from "../../platform/indexer/client.ts";
import { readHistory } from "./history.ts";
import { listRedemptions, listVouchers } from "./lists.ts";

type Body = Record<string, unknown>;
type Page = { items: Body[]; nextCursor: string | null };

let t: VoucherTest;
let indexer: Indexer;
let folder: string;
before(async () => {
  t = await openVoucherTest();
  folder = await mkdtemp(join(tmpdir(), "hearth-lists-"));
  // Each block costs the indexer some hundredths of a second of processor time.
  await t.world.anvil.resumeMining(0.2);
  indexer = await startIndexerOn(t.world as never, folder);
  const { chain, log } = t.deps;
  const options = { url: indexer.url, token: "a token of the tests", log, lastWritten: () => chain.outbox.lastBlock };
  t.deps.indexer = new IndexerClient(options);
});
after(async () => {
  await indexer?.stop("SIGKILL");
  await t.close();
  await rm(folder, { recursive: true, force: true });
});

async function list(path: string): Promise<Page> {
  const answer = await t.admin("GET", path);
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
  return answer.body as Page;
}

const contextOf = (actor: Partial<Actor>): RequestContext => ({
  actor: { keyId: "k", role: "admin", scopes: [], dids: null, ...actor },
});

describe("lists from the index", () => {
  it("show what was written a moment ago, as the chain shows it", async () => {
    const emissionCertificateId = await t.certify();
    const issued = await t.issue({ recipientDid: t.household(3), emissionCertificateId, value: 100 });
    const { transactionHash: _, ...voucher } = issued.body as Body;
    const byHousehold = await list(`/vouchers?recipientDid=${encodeURIComponent(t.household(3))}`);
    assert.deepEqual(byHousehold.items, [voucher]);
    await t.redeem({ voucherId: voucher.id, amount: 100 });
    const exhausted = await list(`/vouchers?status=exhausted&emissionCertificateId=${emissionCertificateId}`);
    assert.deepEqual(exhausted.items, [{ ...voucher, status: "exhausted", remainingBalance: 0 }]);
    assert.deepEqual((await list(`/vouchers?status=active&emissionCertificateId=${emissionCertificateId}`)).items, []);
    assert.deepEqual((await list("/vouchers?recipientDid=did%3Ax%3Anobody")).items, []);
  });

  it("take a voucher whose last day is over for expired, and for no active one", async () => {
    const emissionCertificateId = await t.certify();
    const past = { ...attributes, issuanceDate: "2024-01-01", expiryDate: "2024-12-31" };
    const recipientDid = t.household(5);
    const issued = await t.issue({ recipientDid, emissionCertificateId, value: 100, attributes: past });
    const { id } = issued.body as Body;
    const listed = async (status: string) => {
      const { items } = await list(`/vouchers?status=${status}&emissionCertificateId=${emissionCertificateId}`);
      return items.map((item) => [item.id, item.status]);
    };
    assert.deepEqual(await listed("expired"), [[id, "expired"]]);
    assert.deepEqual(await listed("active"), []);
  });

  it("give every voucher of a batch, a page at a time", async () => {
    const emissionCertificateId = await t.certify([1, 2, 3, 4, 5]);
    const batchId = "BATCH-PAGES";
    const body = { emissionCertificateId, attributes: { ...attributes, batchId } };
    await t.admin("POST", "/vouchers/issue-batch", body);
    const values: unknown[] = [];
    for (let i = 0; i < 100 && values.length < 5; i++) {
      values.length = 0;
      let path = `/vouchers?batchId=${batchId}&limit=2`;
      for (
        let cursor: string | null = "";
        cursor !== null;
        path = `/vouchers?batchId=${batchId}&limit=2&cursor=${cursor}`
      ) {
        const page = await list(path);
        values.push(...page.items.map(({ value }) => value));
        cursor = page.nextCursor;
        if (cursor === null) break;
        path = `/vouchers?batchId=${batchId}&limit=2&cursor=${cursor}`;
      }
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    assert.deepEqual(values, [1, 2, 3, 4, 5]);
  });

  it("give a supplier the vouchers of a household's card, without the household, while the card is active", async () => {
    const order = { implementerDid, count: 2, language: "en" };
    const { batchId } = (await t.admin("POST", "/card-batches", order)).body as Body;
    const cards = (await t.admin("GET", `/cards?batchId=${batchId}`)).body as Page;
    const [mine, unlinked] = cards.items.map(({ cardId }) => String(cardId)) as [string, string];
    const householdDid = t.household(6);
    assert.equal((await t.admin("POST", `/cards/${mine}/link`, { householdDid })).status, 200);
    const emissionCertificateId = await t.certify();
    const { id } = (await t.issue({ recipientDid: householdDid, emissionCertificateId, value: 100 })).body as Body;
    const sell = await t.as("supplier", { supplierDid });
    const lookUp = (code: string, call = sell) => call("POST", "/cards/lookup", { code });
    assert.deepEqual((await lookUp(cardCode(mine))).body, {
      cardId: mine,
      status: "linked",
      offlineLimit: 100,
      vouchers: [],
    });
    assert.equal((await t.admin("POST", `/cards/${mine}/activate`)).status, 200);
    const vouchers = [{ id, remainingBalance: 100, expiryDate: attributes.expiryDate }];
    for (const code of [cardCode(mine), cardQrText(mine)]) {
      assert.deepEqual((await lookUp(code)).body, { cardId: mine, status: "active", offlineLimit: 100, vouchers });
    }
    assert.deepEqual((await lookUp(cardCode(mine), t.admin)).body, {
      cardId: mine,
      status: "active",
      householdDid,
      offlineLimit: 100,
      vouchers,
    });
    const stranger = await t.as("implementer", { implementerDid: "did:ixo:implementer/other" });
    const answers = await Promise.all([lookUp("1"), lookUp(cardCode(unlinked)), lookUp(cardCode(mine), stranger)]);
    const messages = answers.map(({ status, body }) => `${status} ${(body as Body).message}`);
    assert.deepEqual(new Set(messages), new Set(["404 This code belongs to no household's card."]));
    const guesses = await Promise.all(Array.from({ length: 130 }, () => lookUp("1")));
    assert.deepEqual([...new Set(guesses.map(({ status }) => status))].sort(), [404, 429]);
  });

  it("give redemptions by voucher, supplier and status", async () => {
    const emissionCertificateId = await t.certify();
    const { id } = (await t.issue({ recipientDid: t.household(4), emissionCertificateId, value: 100 })).body as Body;
    const first = (await t.redeem({ voucherId: id, amount: 1.5 })).body as Body;
    const second = (await t.redeem({ voucherId: id, amount: 2 })).body as Body;
    await t.admin("POST", `/redemptions/${second.redemptionId}/reverse`, { reason: "returned" });
    const all = await list(`/redemptions?voucherId=${id}&supplierDid=${encodeURIComponent(supplierDid)}`);
    assert.deepEqual(
      all.items.map(({ redemptionId, status, amount }) => [redemptionId, status, amount]),
      [
        [first.redemptionId, "pending_delivery", 1.5],
        [second.redemptionId, "reversed", 2],
      ],
    );
    assert.deepEqual(all.items[0], (await t.admin("GET", `/redemptions/${first.redemptionId}`)).body);
    assert.equal((await list(`/redemptions?voucherId=${id}&status=reversed`)).items.length, 1);
    const moment = String(all.items[0]?.redeemedAt);
    const later = new Date(Date.parse(moment) + 1_000).toISOString();
    const countOf = async (period: string) => (await list(`/redemptions?voucherId=${id}&${period}`)).items.length;
    assert.ok((await countOf(`redeemedFrom=${moment}&redeemedBefore=${later}`)) >= 1);
    assert.equal(await countOf(`redeemedBefore=${moment}`), 0);
    const inLusaka = encodeURIComponent(new Date(Date.parse(moment) + 7_200_000).toISOString().replace("Z", "+02:00"));
    assert.equal(await countOf(`redeemedFrom=${inLusaka}`), 2);
    assert.equal((await t.admin("GET", "/redemptions?redeemedFrom=2026-03-15")).status, 400);
    const history = await list(`/vouchers/${id}/history`);
    assert.deepEqual(
      history.items.map(({ event }) => event),
      ["VoucherIssued", "VoucherRedeemed", "VoucherRedeemed", "RedemptionReversed", "RedemptionRefunded"],
    );
    assert.equal(history.items[1]?.transactionHash, first.transactionHash);
    assert.equal(((history.items[1]?.data ?? {}) as Body).amount, 1.5);
  });

  it("hold only what the key may see", async () => {
    const query = { limit: 50 };
    const own = await listVouchers(t.deps, contextOf({ role: "implementer", implementerDid }), query);
    assert.ok(own.items.length > 0);
    const other = await listVouchers(t.deps, contextOf({ role: "implementer", implementerDid: "did:x:other" }), query);
    assert.deepEqual(other.items, []);
    await assert.rejects(listVouchers(t.deps, contextOf({ role: "supplier", supplierDid }), query), {
      code: "FORBIDDEN",
    });
    const sold = await listRedemptions(t.deps, contextOf({ role: "supplier", supplierDid }), query);
    assert.ok(sold.items.length > 0);
    const stranger = contextOf({ role: "supplier", supplierDid: "did:x:other" });
    assert.deepEqual((await listRedemptions(t.deps, stranger, query)).items, []);
    await assert.rejects(listRedemptions(t.deps, stranger, { ...query, supplierDid }), { code: "FORBIDDEN" });
    const bound = contextOf({ role: "integrator", scopes: ["vouchers:read"], dids: [t.household(4)] });
    assert.equal((await listVouchers(t.deps, bound, query)).items.length, 2);
    const voucherId = String(sold.items[0]?.voucherId);
    const history = await readHistory(t.deps, stranger, voucherId, query);
    assert.ok(history.items.every(({ event }) => event !== "VoucherRedeemed"));
  });

  it("give swaps of the pool by side and party, each as the chain shows it", async () => {
    const pool = await addPool(t);
    const deadline = 4_000_000_000;
    const bought = (n: number) => ({ side: "buy", implementerDid, amountIn: n, minOut: 0, deadline });
    const made = [
      await pool.swapSigned(pool.implementer, bought(1)),
      await pool.swapSigned(pool.supplier, { side: "sell", supplierDid, amountIn: 10, minOut: 0, deadline }),
      await pool.swapSigned(pool.implementer, bought(2)),
    ].map(({ body }) => body as Body);
    const first = await list("/pool/swaps?limit=2");
    const rest = await list(`/pool/swaps?limit=2&cursor=${first.nextCursor}`);
    assert.deepEqual([...first.items, ...rest.items], made);
    assert.equal(rest.nextCursor, null);
    for (const swap of made) assert.deepEqual((await t.admin("GET", `/pool/swaps/${swap.id}`)).body, swap);
    const of = async (query: string) => (await list(`/pool/swaps?${query}`)).items;
    assert.deepEqual(await of("side=sell"), [made[1]]);
    assert.deepEqual(await of(`implementerDid=${encodeURIComponent(implementerDid)}`), [made[0], made[2]]);
    assert.deepEqual(await of(`supplierDid=${encodeURIComponent(supplierDid)}`), [made[1]]);
    assert.deepEqual(await of("supplierDid=did%3Ax%3Anobody"), []);
    assert.equal((await t.admin("GET", "/pool/swaps/SWAP-0000000000000U")).status, 404);
  });

  it("refuse a cursor that is not theirs", async () => {
    const cursor = Buffer.from(JSON.stringify(["1; drop table voucher"])).toString("base64url");
    assert.equal((await t.admin("GET", `/vouchers?cursor=${cursor}`)).status, 400);
    assert.equal((await t.admin("GET", "/redemptions?cursor=nonsense")).status, 400);
  });
});
