import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import type { Indexer } from "../../test/indexer/ponder-process.ts";
import { startSchemeIndex } from "../../test/indexer/scheme-index.ts";
import { createIssuer } from "../../test/support/credentials.ts";
import { interruptResponse, sendInterrupted } from "../../test/support/interrupted.ts";
import { type MoneyPeer, startMoneyPeer } from "../../test/support/money-peer.ts";
import { settingsAt } from "../../test/support/payouts.ts";
import { type Answer, accountOf, type Caller, requireStatus } from "../../test/support/registry.ts";
import { createCouncil, seedPool } from "../../test/support/scheme.ts";
import { untilFound } from "../../test/support/until.ts";
import {
  implementerDid,
  openVoucherTest,
  productId,
  rulesOf,
  supplierDid,
  type VoucherTest,
} from "../../test/support/vouchers.ts";
import type { Payout } from "./orders/schemas.ts";
import type { CreatedPartner } from "./partners/schemas.ts";
import type { Reconciliation } from "./reconciliation/schemas.ts";

const otherSupplier = "did:ixo:supplier/own-wallet";
const number = "+260971234567";
const account = { supplierDid, number, holder: "Mary Banda" };
const day = { paidFrom: "2020-01-01T00:00:00Z", paidBefore: "2099-01-01T00:00:00Z" };

let t: VoucherTest;
let indexer: Indexer;
let peer: MoneyPeer;
let partner: CreatedPartner;
let supplier: Caller;
let regulator: Caller;
let issuer: Awaited<ReturnType<typeof createIssuer>>;

before(async () => {
  t = await openVoucherTest();
  await seedPool(t.world, createCouncil(t.world));
  indexer = await startSchemeIndex(t);
  peer = await startMoneyPeer();
  issuer = await createIssuer();
  const trusted = { did: issuer.did, credentialTypes: ["ProductDeliveryCredential"] };
  requireStatus(await t.admin("POST", "/issuers", trusted), 201);
  const other = { did: otherSupplier, account: accountOf(77), name: "Own wallet" };
  requireStatus(await t.admin("POST", "/suppliers", other), 201);
  requireStatus(await t.admin("POST", "/households", { did: t.household(11), region: "north" }), 201);
  supplier = await t.as("supplier", { supplierDid });
  regulator = await t.as("regulator");
  // Otherwise the chain's clock, which tests may have moved, would decide what is paid out.
  const api = settingsAt(peer.url, "mtn-momo");
  const order = { name: "MTN", account: accountOf(2), currency: "ZMW", payFrom: day.paidFrom, api };
  partner = requireStatus(await t.admin("POST", "/payouts/partners", order), 201).body as CreatedPartner;
});
after(async () => {
  await indexer?.stop("SIGKILL");
  await peer?.close();
  await t?.close();
});

let household = 0;

/** Redeem and claim; the pool pays 0.05 for each CARBON. Answers the payment's id once the chain cannot lose it. */
async function pay(amount: number, by = supplierDid): Promise<string> {
  household++;
  const recipientDid = t.household(household);
  const emissionCertificateId = await t.certify();
  const voucher = requireStatus(await t.issue({ recipientDid, emissionCertificateId, value: 100 }), 201);
  const { id: voucherId } = voucher.body as { id: string };
  const redeemed = requireStatus(await t.redeem({ voucherId, amount, supplierDid: by }), 201);
  const { redemptionId } = redeemed.body as { redemptionId: string };
  const type = "ProductDeliveryCredential";
  const deliveredAt = new Date().toISOString();
  const subject = { redemptionId, productId, supplierDid: by, recipient: recipientDid, deliveredAt };
  const proof = await issuer.signCredential({ type, subject });
  const claim = { redemptionId, verifiableCredential: { type, proof } };
  const filed = requireStatus(await t.admin("POST", "/claims", claim), 201).body as { settlement: { asset: string } };
  assert.equal(filed.settlement.asset, "stablecoin");
  await t.world.anvil.rpc("anvil_mine", ["0x28"]);
  return redemptionId.replace("REDM", "PAY");
}

const payoutOf = async (id: string) => (await supplier("GET", `/payouts/${id}`)).body as Payout;
/** Wait until a payout has a status. Each look lets the partner ring, so that nothing waits for its turn. */
const until = (id: string, status: Payout["status"], waitsFor: Payout["waitsFor"] = null) =>
  untilFound(async () => {
    await ring(id);
    const { status: code, body } = await supplier("GET", `/payouts/${id}`);
    const payout = body as Payout;
    return code === 200 && payout.status === status && payout.waitsFor === waitsFor ? payout : undefined;
  });
const ring = (id: string, word = "SUCCESSFUL", url = partner.callbackUrl) =>
  t.app.request(new URL(url).pathname, {
    method: "PUT",
    body: JSON.stringify({ externalId: id, status: word, payee: { partyId: number } }),
  });
const setAccount = (by: Caller, more: object = {}) =>
  by("PUT", "/payouts/accounts", { ...account, partnerId: partner.id, ...more });
const compare = async (by = regulator) =>
  requireStatus(await by("GET", `/payouts/reconciliation?${new URLSearchParams(day)}`), 200).body as Reconciliation;

describe("a payout", () => {
  let first: string;

  it("waits for the supplier's mobile account, and then for a rate", async () => {
    first = await pay(10);
    const waiting = await until(first, "waiting", "account");
    assert.deepEqual([waiting.stablecoin, waiting.amount, waiting.attempts], [0.5, null, []]);
    const set = requireStatus(await setAccount(supplier), 200).body as { number: string; state: string };
    assert.deepEqual([set.number, set.state], ["•••567", "applies"]);
    await until(first, "waiting", "rate");
    assert.equal(peer.transfers.size, 0);
  });

  it("is what the chain paid at the recorded rate, rounded down, and shows each step", async () => {
    requireStatus(await t.admin("POST", "/payouts/rates", { currency: "ZMW", rate: 27.123457 }), 201);
    const paid = await until(first, "succeeded");
    // 0.5 × 27.123457 = 13.5617285
    assert.deepEqual([paid.amount, paid.currency, paid.rate, paid.remainder], [13.56, "ZMW", 27.123457, "0.0017285"]);
    const [step] = paid.attempts;
    assert.deepEqual([paid.attempts.length, step?.status, step?.account], [1, "succeeded", "•••567"]);
    assert.ok(step?.preparedAt && step.calledAt && step.endedAt && paid.endedAt);
    const { number: sent, amount } = [...peer.transfers.values()][0] ?? {};
    assert.deepEqual([sent, amount], ["260971234567", "13.56"]);
    const listed = (await t.admin("GET", "/payments")).body as {
      items: { id: string; amount: number; final: boolean }[];
    };
    assert.deepEqual(
      listed.items.map(({ id, amount: units, final }) => [id, units, final]),
      [[first, 0.5, true]],
    );
  });

  it("is not made for a payment to a supplier's account of another operator", async () => {
    const own = await pay(10, otherSupplier);
    const paid = await pay(20);
    await until(paid, "succeeded");
    assert.equal((await t.admin("GET", `/payouts/${own}`)).status, 404);
    assert.equal(peer.paidFor(own), 0);
  });

  it("goes to each supplier's own number when several share the operator's account", async () => {
    const neighbour = "did:ixo:supplier/neighbour";
    const shop = { did: neighbour, account: accountOf(2), name: "Neighbour" };
    requireStatus(await t.admin("POST", "/suppliers", shop), 201);
    const mobile = { supplierDid: neighbour, number: "+260970000009", holder: "John Phiri" };
    requireStatus(await setAccount(t.admin, mobile), 200);
    const id = await pay(10, neighbour);
    const paid = await untilFound(async () => {
      await ring(id);
      const { status, body } = await t.admin("GET", `/payouts/${id}`);
      return status === 200 && (body as Payout).status === "succeeded" ? (body as Payout) : undefined;
    });
    assert.equal(paid.supplierDid, neighbour);
    const sent = [...peer.transfers.values()].filter(({ paymentId }) => paymentId === id);
    assert.deepEqual(
      sent.map(({ number: to }) => to),
      ["260970000009"],
    );
    assert.equal((await supplier("GET", `/payouts/${id}`)).status, 404);
  });

  it("keeps its rate when a new one is recorded", async () => {
    peer.decision = "PENDING";
    const id = await pay(10);
    await until(id, "sent");
    requireStatus(await t.admin("POST", "/payouts/rates", { currency: "ZMW", rate: 30 }), 201);
    peer.decision = "SUCCESSFUL";
    const transfer = [...peer.transfers.values()].find(({ paymentId }) => paymentId === id);
    assert.ok(transfer);
    transfer.status = "SUCCESSFUL";
    const { rate, amount } = await until(id, "succeeded");
    assert.deepEqual([rate, amount], [27.123457, 13.56]);
  });
});

describe("a callback", () => {
  it("is only a doorbell: repeated, early, forged or false, the partner's status decides", async () => {
    peer.decision = "PENDING";
    const id = await pay(10);
    const { attempts } = await until(id, "sent");
    for (let i = 0; i < 3; i++) assert.equal((await ring(id)).status, 204);
    const asked = peer.asked.length;
    await untilFound(() => (peer.asked.length > asked ? true : undefined));
    assert.equal((await payoutOf(id)).status, "sent");
    assert.equal((await ring("PAY-000000000000000000000")).status, 204);
    assert.equal((await ring(id, "FAILED", `${partner.callbackUrl.slice(0, -1)}_`)).status, 403);
    const transfer = peer.transfers.get(attempts[0]?.reference ?? "");
    assert.ok(transfer);
    transfer.status = "SUCCESSFUL";
    const ended = await until(id, "succeeded");
    await ring(id, "FAILED");
    assert.deepEqual(await payoutOf(id), ended);
    peer.decision = "SUCCESSFUL";
  });
});

describe("a failed payout", () => {
  it("is tried again by an admin only, with a new reference, once", async () => {
    peer.decision = "FAILED";
    const id = await pay(10);
    const failed = await until(id, "failed");
    assert.equal(failed.attempts[0]?.reason, "PAYEE_LIMIT_REACHED for …");
    assert.equal((await supplier("POST", `/payouts/${id}/attempts`)).status, 403);
    peer.decision = "SUCCESSFUL";
    const both = await Promise.all([1, 2].map(() => t.admin("POST", `/payouts/${id}/attempts`)));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 409]);
    const paid = await until(id, "succeeded");
    assert.deepEqual(
      paid.attempts.map(({ number: order, status }) => [order, status]),
      [
        [1, "failed"],
        [2, "succeeded"],
      ],
    );
    assert.notEqual(paid.attempts[0]?.reference, paid.attempts[1]?.reference);
    assert.equal(peer.paidFor(id), 1);
    const again = await t.admin("POST", `/payouts/${id}/attempts`);
    assert.deepEqual([again.status, rulesOf(again)], [409, ["payout-failed"]]);
  });

  it("is tried again once by a request that was killed before its answer and repeated", async () => {
    peer.decision = "FAILED";
    const id = await pay(10);
    await until(id, "failed");
    peer.decision = "SUCCESSFUL";
    const headers = { "idempotency-key": id };
    const retry = async () => requireStatus(await t.admin("POST", `/payouts/${id}/attempts`, undefined, headers), 200);
    await retry();
    await interruptResponse(t, id);
    await retry();
    assert.equal((await until(id, "succeeded")).attempts.length, 2);
  });

  it("is not tried again when the partner says now that it paid, or does not say", async () => {
    peer.decision = "FAILED";
    const id = await pay(10);
    const { attempts } = await until(id, "failed");
    peer.decision = "SUCCESSFUL";
    peer.isSilent = true;
    assert.equal((await t.admin("POST", `/payouts/${id}/attempts`)).status, 502);
    peer.isSilent = false;
    const transfer = peer.transfers.get(attempts[0]?.reference ?? "");
    assert.ok(transfer);
    transfer.status = "SUCCESSFUL";
    assert.equal((await t.admin("POST", `/payouts/${id}/attempts`)).status, 409);
    assert.equal((await payoutOf(id)).status, "succeeded");
    assert.equal(peer.paidFor(id), 1);
  });
});

describe("a supplier's mobile account", () => {
  it("changes after a day once money was sent, and a newer change drops the one that waits", async () => {
    const later = requireStatus(await setAccount(supplier, { number: "+260971230001" }), 200).body as { state: string };
    assert.equal(later.state, "waits");
    requireStatus(await setAccount(t.admin, { number: "+260971230002" }), 200);
    const path = `/payouts/accounts?supplierDid=${encodeURIComponent(supplierDid)}`;
    const { items } = (await supplier("GET", path)).body as {
      items: { number: string; state: string; setByRole: string }[];
    };
    assert.deepEqual(
      items.map(({ number: shown, state, setByRole }) => [shown, state, setByRole]),
      [
        ["•••002", "waits", "admin"],
        ["•••001", "dropped", "supplier"],
        ["•••567", "applies", "supplier"],
      ],
    );
    const told = await Promise.all(
      t.deps.rooms.map((room) => room.notices?.({ role: "supplier", supplierDid }, new Date(0)) ?? []),
    );
    const changes = told.flat().filter(({ type }) => type === "payout.account_changed");
    assert.deepEqual(
      changes.map(({ subject }) => subject),
      [supplierDid, supplierDid],
    );
    const id = await pay(10);
    assert.equal((await until(id, "succeeded")).attempts[0]?.account, "•••567");
    await t.deps.db.execute(
      sql`update payout_accounts set applies_at = now() where dropped_at is null and applies_at > now()`,
    );
    const next = await pay(10);
    assert.equal((await until(next, "succeeded")).attempts[0]?.account, "•••002");
  });

  it("that is set again does not take the wait away from the next change", async () => {
    requireStatus(await setAccount(supplier, { number: "+260971230002" }), 200);
    await t.deps.db.execute(
      sql`update payout_accounts set applies_at = now() where dropped_at is null and applies_at > now()`,
    );
    const thief = requireStatus(await setAccount(supplier, { number: "+260971230666" }), 200).body as { state: string };
    assert.equal(thief.state, "waits");
  });

  it("names every broken rule, and belongs to the supplier", async () => {
    const statusOf = ({ status }: Answer) => status;
    assert.equal(statusOf(await setAccount(supplier, { supplierDid: otherSupplier })), 403);
    assert.equal(statusOf(await setAccount(t.admin, { supplierDid: "did:ixo:supplier/none" })), 404);
    const wrong = await setAccount(supplier, { partnerId: "none" });
    assert.deepEqual([wrong.status, rulesOf(wrong)], [400, ["partner-open"]]);
    assert.equal(statusOf(await setAccount(supplier, { number: "0971234567", holder: "" })), 400);
    assert.equal(statusOf(await setAccount(await t.as("implementer", { implementerDid }))), 403);
  });
});

describe("who sees payouts", () => {
  it("is the supplier, the regulator and admins; another's id is like an unknown one", async () => {
    const { items } = (await regulator("GET", "/payouts?limit=2")).body as { items: Payout[] };
    assert.equal(items.length, 2);
    const [{ id } = { id: "" }] = items;
    const stranger = await t.as("supplier", { supplierDid: otherSupplier });
    const [theirs, none] = await Promise.all([id, "PAY-0"].map((each) => stranger("GET", `/payouts/${each}`)));
    assert.deepEqual([theirs?.status, none?.status], [404, 404]);
    assert.deepEqual(((await stranger("GET", "/payouts")).body as { items: unknown[] }).items, []);
    const named = `supplierDid=${encodeURIComponent(supplierDid)}`;
    assert.equal((await stranger("GET", `/payouts?${named}`)).status, 403);
    assert.equal((await stranger("GET", `/payouts/accounts?${named}`)).status, 403);
    assert.equal((await stranger("GET", `/payments?${named}`)).status, 403);
    assert.deepEqual(((await stranger("GET", "/payouts/partners")).body as { items: unknown[] }).items.length, 1);
    for (const role of ["implementer", "evaluator"]) {
      const call = await t.as(role, role === "implementer" ? { implementerDid } : {});
      assert.equal((await call("GET", "/payouts")).status, 403);
    }
    for (const [method, path] of [
      ["POST", "/payouts/partners"],
      ["POST", "/payouts/rates"],
      ["DELETE", `/payouts/partners/${partner.id}`],
      ["GET", `/payouts/reconciliation?${new URLSearchParams(day)}`],
    ] as const) {
      assert.equal((await supplier(method, path, method === "GET" ? undefined : {})).status, 403, path);
    }
  });

  it("goes page by page, newest first, and by status", async () => {
    const all = ((await regulator("GET", "/payouts")).body as { items: Payout[] }).items.map(({ id }) => id);
    const ids: string[] = [];
    for (let cursor: string | null = ""; cursor !== null; ) {
      const page = await regulator("GET", `/payouts?limit=3${cursor === "" ? "" : `&cursor=${cursor}`}`);
      const { items, nextCursor } = page.body as { items: Payout[]; nextCursor: string | null };
      ids.push(...items.map(({ id }) => id));
      cursor = nextCursor;
    }
    assert.ok(all.length > 5);
    assert.deepEqual(ids, all);
    assert.deepEqual(((await regulator("GET", "/payouts?status=failed")).body as { items: unknown[] }).items, []);
  });
});

describe("the reconciliation", () => {
  it("agrees, with totals", async () => {
    const { payments, paidOnChain, orders, differences, asked } = await compare();
    assert.deepEqual(differences, []);
    assert.deepEqual([orders.length, orders[0]?.status, orders[0]?.count], [1, "succeeded", payments]);
    assert.equal(orders[0]?.stablecoin, paidOnChain);
    assert.ok(asked > payments);
  });

  it("names what differs at the chain, the orders and the partner", async () => {
    const { items } = (await regulator("GET", "/payouts?status=succeeded")).body as { items: Payout[] };
    const [wrongAmount, unknown, changed, missing, second] = items as [Payout, Payout, Payout, Payout, Payout];
    const referenceOf = (payout: Payout) => payout.attempts.at(-1)?.reference ?? "";
    const transfer = peer.transfers.get(referenceOf(wrongAmount));
    assert.ok(transfer);
    const paid = transfer.amount;
    for (const [amount, found] of [
      ["99.00", "99 ZMW"],
      [`0${paid}.00`, undefined],
      [`-${paid}`, `-${paid} ZMW`],
      [`${paid},00`, `"${paid},00" ZMW`],
      [`${paid}.0000001`, `"${paid}.0000001" ZMW`],
      ["９９", '"９９" ZMW'],
      ["9".repeat(400), `"${"9".repeat(40)}" ZMW`],
      ["NaN", '"NaN" ZMW'],
    ] as const) {
      transfer.amount = amount;
      // A key may compare six times a minute.
      const { differences } = await compare(await t.as("regulator"));
      assert.deepEqual(
        differences.map(({ kind, found: said }) => [kind, said]),
        found === undefined ? [] : [["partner-amount-differs", found]],
        amount,
      );
    }
    transfer.amount = "99.00";
    peer.transfers.delete(referenceOf(unknown));
    const { db } = t.deps;
    await db.execute(sql`update payout_orders set stablecoin = 1 where payment_id = ${changed.id}`);
    await db.execute(sql`delete from payout_attempts where payment_id = ${missing.id}`);
    await db.execute(sql`delete from payout_orders where payment_id = ${missing.id}`);
    const reversed = peer.transfers.get(referenceOf(second));
    assert.ok(reversed);
    reversed.status = "FAILED";
    const { differences } = await compare();
    assert.deepEqual(differences.map(({ paymentId, kind }) => `${kind} ${paymentId}`).sort(), [
      `partner-amount-differs ${wrongAmount.id}`,
      `partner-does-not-know ${unknown.id}`,
      `partner-status-differs ${second.id}`,
      `payment-differs ${changed.id}`,
      `payment-without-order ${missing.id}`,
    ]);
    const silent = peer.asked.length;
    peer.isSilent = true;
    const offline = await compare();
    peer.isSilent = false;
    assert.ok(peer.asked.length > silent);
    assert.ok(offline.differences.some(({ kind }) => kind === "partner-not-reached"));
  });
});

describe("a closed partner", () => {
  it("gets no new payouts", async () => {
    requireStatus(await t.admin("DELETE", `/payouts/partners/${partner.id}`), 200);
    const refused = await setAccount(supplier);
    assert.deepEqual([refused.status, rulesOf(refused)], [400, ["partner-open"]]);
  });
});

describe("what is stored", () => {
  it("holds no number, name or secret that can be read, also in the audit", async () => {
    const { db } = t.deps;
    for (const table of ["payout_accounts", "payout_attempts", "payout_partners", "payout_orders", "audit_entries"]) {
      const { rows } = await db.execute(sql.raw(`select to_jsonb(t)::text from ${table} t`));
      assert.ok(rows.length > 0, table);
      const kept = JSON.stringify(rows);
      for (const secret of [
        "9712345",
        "Mary",
        "api-key-of-the-test",
        "subscription-key",
        new URL(partner.callbackUrl).pathname.slice(13),
      ])
        assert.ok(!kept.includes(secret), `${table}: ${secret}`);
    }
  });
});

describe("a setting of payouts", () => {
  it("is made once when the process was killed before its answer", async () => {
    const count = async (path: string) => {
      const { items } = requireStatus(await t.admin("GET", path), 200).body as { items: unknown[] };
      return items.length;
    };
    const paths = [
      "/payouts/partners",
      "/payouts/rates?currency=ZMW",
      `/payouts/accounts?supplierDid=${encodeURIComponent(otherSupplier)}`,
      "/keys?limit=500",
    ];
    const before = await Promise.all(paths.map(count));
    const api = settingsAt(peer.url, "mtn-momo");
    const order = { name: "Second", account: accountOf(3), currency: "ZMW", payFrom: day.paidFrom, api };
    const made = (await sendInterrupted(
      t,
      (headers) => t.admin("POST", "/payouts/partners", order, headers),
      201,
    )) as CreatedPartner;
    const rate = { currency: "ZMW", rate: 31 };
    await sendInterrupted(t, (headers) => t.admin("POST", "/payouts/rates", rate, headers), 201);
    const mobile = { ...account, supplierDid: otherSupplier, partnerId: made.id };
    await sendInterrupted(t, (headers) => t.admin("PUT", "/payouts/accounts", mobile, headers), 200);
    assert.deepEqual(
      await Promise.all(paths.map(count)),
      before.map((each) => each + 1),
    );
  });

  it("is refused with an address to which no path can be added", async () => {
    for (const kind of ["mtn-momo", "airtel-money"] as const) {
      const api = settingsAt("https://u:p@money.example/?a=1#b", kind);
      const order = { name: "Third", account: accountOf(4), currency: "ZMW", payFrom: day.paidFrom, api };
      const answer = await t.admin("POST", "/payouts/partners", order);
      const wanted = ["url-without-fragment", "url-without-query", "url-without-user"];
      assert.deepEqual([answer.status, rulesOf(answer)], [400, wanted], kind);
    }
  });
});
