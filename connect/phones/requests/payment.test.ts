import assert from "node:assert/strict";
import { after, afterEach, before, beforeEach, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import { householdDid, number, openPhoneTest, type PhoneTest, pin } from "../../../test/support/phones.ts";
import { requireStatus } from "../../../test/support/registry.ts";
import { untilFound } from "../../../test/support/until.ts";
import { productId, rulesOf, supplierDid } from "../../../test/support/vouchers.ts";
import type { CreatedGateway } from "../gateways/schemas.ts";
import type { PhoneRequest } from "./schemas.ts";

let t: PhoneTest;
let gateway: CreatedGateway;
let sessions = 0;

before(async () => {
  t = await openPhoneTest();
});
after(() => t?.close());
beforeEach(async () => {
  gateway = await t.makeGateway({ kind: "simulator" });
});
afterEach(async () => {
  // What a test left unanswered does not count in the next one.
  await t.deps.db.execute(sql`update phone_requests set status = 'refused' where status in ('waiting', 'cancelled')`);
  await t.deps.db.execute(sql`update phone_requests set created_at = created_at - interval '1 day'`);
  await t.endGateway(gateway);
});

function dial(url = gateway.ussdUrl, from = number, sessionId = `session-${++sessions}`) {
  return async (text = "") => {
    const answer = await t.call(url, { sessionId, phoneNumber: from, text });
    assert.equal(answer.status, 200);
    return await answer.text();
  };
}

async function messages(id = gateway.id): Promise<string[]> {
  const { body } = await t.admin("GET", `/phones/gateways/${id}/messages`);
  return (body as { items: { text: string }[] }).items.map(({ text }) => text);
}
const receiptsOf = async (redemptionId: string, id?: string) =>
  (await messages(id)).filter((text) => text.includes(`Receipt ${redemptionId}`));

const requestOf = async (requestId: string) =>
  (await t.sell("GET", `/phones/requests/${requestId}`)).body as PhoneRequest;
const balance = async () =>
  ((await t.admin("GET", `/vouchers/${t.voucherId}`)).body as { remainingBalance: number }).remainingBalance;
const untilStatus = (requestId: string, status: string) =>
  untilFound(async () => {
    const found = await requestOf(requestId);
    return found.status === status ? found : undefined;
  });

/** Let the database refuse to record how a payment ended, as if the process were killed before. */
const refuseRecords = async () => {
  // A sequence counts what a transaction takes back.
  await t.deps.db.execute(sql`create sequence if not exists refused_records`);
  await t.deps.db.execute(sql`create or replace function refuse_record() returns trigger language plpgsql as
    $$ begin if new.status = 'sent' then return new; end if; perform nextval('refused_records'); raise exception 'killed'; end $$`);
  await t.deps.db.execute(
    sql`create trigger killed before update on phone_requests for each row execute function refuse_record()`,
  );
};
const refusedRecords = async () => {
  const { rows } = await t.deps.db.execute<{ count: string }>(sql`select nextval('refused_records') as count`);
  return Number(rows[0]?.count);
};
const takeRecords = () => t.deps.db.execute(sql`drop trigger killed on phone_requests`);
/** Let the time come at which a begun payment is looked at. */
const letItBeDue = async () => {
  await t.deps.db.execute(sql`update phone_requests set settle_at = now() - interval '1 hour' where status = 'sent'`);
};

describe("a payment by phone", () => {
  it("that was made, and not recorded before a kill, is recorded by itself, with one receipt", async () => {
    const before = await balance();
    const { requestId } = await t.askFor(3);
    const step = dial();
    await step("2");
    await refuseRecords();
    assert.match(await step(`2*${pin}`), /^END This does not work now/);
    assert.equal(await balance(), before - 3);
    const other = dial();
    assert.equal(await other("2"), "END No purchase waits for you.");
    await takeRecords();
    await letItBeDue();
    const { redemptionId } = await untilStatus(requestId, "approved");
    assert.ok(redemptionId);
    await untilFound(async () => ((await receiptsOf(redemptionId)).length > 0 ? true : undefined));
    assert.equal((await receiptsOf(redemptionId)).length, 1);
    assert.equal(await balance(), before - 3);
  });

  it("that was interrupted before it was sent is not made: the request waits again, and no PIN was tried", async () => {
    const before = await balance();
    const { requestId } = await t.askFor(2);
    await t.deps.db.execute(sql`update phone_requests set status = 'sent', gateway_id = ${gateway.id},
      settle_at = now() - interval '1 hour' where request_id = ${requestId}`);
    // Another payment lets the worker look.
    const other = await t.askFor(1);
    const wakes = dial();
    await wakes("2");
    await wakes(`2*${pin}`);
    await untilStatus(other.requestId, "approved");
    await untilStatus(requestId, "waiting");
    assert.equal(await balance(), before - 1);
    const state = await t.admin("GET", `/households/${encodeURIComponent(householdDid)}/pin`);
    assert.equal((state.body as { triesLeft: number }).triesLeft, 5);
    const step = dial();
    await step("2");
    assert.match(await step(`2*${pin}`), /^END You agreed to 2 CARBON/);
    assert.equal(await balance(), before - 3);
  });

  it("is made once, also when its gateway was replaced before its end was recorded", async () => {
    const before = await balance();
    const { requestId } = await t.askFor(4);
    const step = dial();
    await step("2");
    await refuseRecords();
    await step(`2*${pin}`);
    await t.endGateway(gateway);
    gateway = await t.makeGateway({ kind: "simulator" });
    const again = dial();
    await again("2");
    await again(`2*${pin}`);
    assert.equal(await balance(), before - 4);
    await takeRecords();
    await letItBeDue();
    await untilStatus(requestId, "approved");
    assert.equal(await balance(), before - 4);
  });

  it("cannot be refused by another session once its PIN was typed", async () => {
    const before = await balance();
    const { requestId } = await t.askFor(5);
    const [pays, refuses] = [dial(), dial()];
    await pays("2");
    await refuses("2");
    const { anvil } = t.world;
    await anvil.pauseMining();
    const paying = pays(`2*${pin}`);
    await anvil.untilPending(1);
    const answer = await refuses("2*0");
    await anvil.resumeMining();
    assert.match(await paying, /^END You agreed to 5 CARBON/);
    assert.doesNotMatch(answer, /refused/);
    assert.equal((await requestOf(requestId)).status, "approved");
    assert.equal(await balance(), before - 5);
  });
});

describe("a supplier that cancels its request", () => {
  // With separate keys: a key may ask ten households a minute.
  const askWithNewKey = async (amount: number) => {
    const sell = await t.as("supplier", { supplierDid });
    const order = { voucherId: t.voucherId, supplierDid, productId, amount };
    return requireStatus(await sell("POST", "/phones/requests", order), 201).body as PhoneRequest;
  };
  const cancel = (requestId: string) => t.sell("POST", `/phones/requests/${requestId}/cancel`);
  const statusOf = async (requestId: string) =>
    (requireStatus(await cancel(requestId), 200).body as PhoneRequest).status;

  it("ends it: the household can no longer approve it, also in a session that shows it, and a repeat changes nothing", async () => {
    const before = await balance();
    const { requestId } = await askWithNewKey(2);
    const open = dial();
    await open("2");
    assert.equal(await statusOf(requestId), "cancelled");
    assert.equal(await statusOf(requestId), "cancelled");
    assert.equal(await open(`2*${pin}`), "END No purchase waits for you.");
    assert.equal(await dial()("2"), "END No purchase waits for you.");
    assert.equal((await requestOf(requestId)).status, "cancelled");
    assert.equal(await balance(), before);
  });

  it("gets the payment that the household made meanwhile, and the answer that it gave", async () => {
    const { requestId } = await askWithNewKey(1);
    const pays = dial();
    await pays("2");
    await pays(`2*${pin}`);
    const paid = requireStatus(await cancel(requestId), 200).body as PhoneRequest;
    assert.deepEqual([paid.status, typeof paid.redemptionId], ["approved", "string"]);
    const refused = await askWithNewKey(1);
    const refuses = dial();
    await refuses("2");
    await refuses("2*0");
    assert.equal(await statusOf(refused.requestId), "refused");
  });

  it("does not end a payment that has begun", async () => {
    const before = await balance();
    const { requestId } = await askWithNewKey(3);
    const pays = dial();
    await pays("2");
    const { anvil } = t.world;
    await anvil.pauseMining();
    const paying = pays(`2*${pin}`);
    await anvil.untilPending(1);
    assert.equal(await statusOf(requestId), "sent");
    await anvil.resumeMining();
    assert.match(await paying, /^END You agreed to 3 CARBON/);
    assert.equal(await statusOf(requestId), "approved");
    assert.equal(await balance(), before - 3);
  });

  it("is answered for another supplier's request as for an unknown one", async () => {
    const { requestId } = await askWithNewKey(1);
    const stranger = await t.as("integrator", { scopes: ["vouchers:redeem"], dids: ["did:ixo:supplier/other"] });
    const answers = await Promise.all(
      [requestId, "01KQ5X7Z8M2B4C6D8E0F1G2H3J"].map(async (id) => {
        const { status, body } = await stranger("POST", `/phones/requests/${id}/cancel`);
        return [status, (body as { message: string }).message.replace(id, "…")];
      }),
    );
    assert.equal(answers[0]?.[0], 404);
    assert.deepEqual(answers[0], answers[1]);
    assert.equal((await requestOf(requestId)).status, "waiting");
  });

  it("sends the household no more SMS than before", async () => {
    for (let asked = 0; asked < 5; asked++) {
      const { requestId } = await askWithNewKey(1);
      assert.equal(await statusOf(requestId), "cancelled");
    }
    const order = { voucherId: t.voucherId, supplierDid, productId, amount: 1 };
    const next = await (await t.as("supplier", { supplierDid }))("POST", "/phones/requests", order);
    assert.deepEqual([next.status, rulesOf(next)], [400, ["few-open-requests"]]);
  });
});

describe("an order for a household", () => {
  const order = (changes: object = {}) => ({ voucherId: t.voucherId, supplierDid, productId, amount: 1, ...changes });

  it("that is repeated with its Idempotency-Key is one request and one SMS", async () => {
    const headers = { "idempotency-key": "order-1" };
    const answers = [];
    for (const _ of [1, 2])
      answers.push(requireStatus(await t.sell("POST", "/phones/requests", order(), headers), 201));
    assert.deepEqual(answers[0]?.body, answers[1]?.body);
    await untilFound(async () => ((await messages()).length > 0 ? true : undefined));
    assert.equal((await messages()).filter((text) => text.includes("asks you for 1 CARBON")).length, 1);
  });

  it("is refused for a supplier that is not registered, and tells nothing of the voucher", async () => {
    const nobody = "did:ixo:supplier/nobody";
    const stranger = await t.as("integrator", { scopes: ["vouchers:redeem"], dids: [nobody] });
    const answers = await Promise.all(
      [t.voucherId, "VCHR-0000000000000"].map((voucherId) =>
        stranger("POST", "/phones/requests", order({ supplierDid: nobody, voucherId, amount: 1_000_000 })),
      ),
    );
    for (const answer of answers) assert.deepEqual([answer.status, rulesOf(answer)], [403, ["supplier-authorised"]]);
  });

  it("names an unknown product, and is refused while five of its supplier wait for the household", async () => {
    // With a key that has not asked yet: a key may ask ten households a minute.
    const sell = await t.as("supplier", { supplierDid });
    for (let asked = 0; asked < 5; asked++) requireStatus(await sell("POST", "/phones/requests", order()), 201);
    const next = await sell("POST", "/phones/requests", order({ productId: "PROD-NONE" }));
    assert.deepEqual([next.status, rulesOf(next)], [400, ["few-open-requests", "product-known"]]);
  });

  it("is refused when a supplier, or all together, asked too often within a day, and what was paid does not count", async () => {
    // With a key that has not asked yet: a key may ask ten households a minute.
    const sell = await t.as("supplier", { supplierDid });
    const changeAll = (change: string) =>
      t.deps.db.execute(sql`update phone_requests set ${sql.raw(change)} where created_at > now() - interval '1 day'`);
    for (let asked = 0; asked < 6; asked++) {
      requireStatus(await sell("POST", "/phones/requests", order()), 201);
      await changeAll(asked % 2 === 0 ? "status = 'refused'" : "status = 'cancelled', expires_at = now()");
    }
    const seventh = await sell("POST", "/phones/requests", order());
    assert.deepEqual([seventh.status, rulesOf(seventh)], [400, ["few-requests-a-day"]]);
    await changeAll("supplier_did = 'did:ixo:supplier/another'");
    for (let asked = 0; asked < 6; asked++) {
      const stored = sql`insert into phone_requests select (jsonb_populate_record(r, jsonb_build_object('request_id', ${`more-${asked}`}::text, 'supplier_did', 'did:ixo:supplier/third', 'order_key', null))).* from phone_requests r where created_at > now() - interval '1 day' limit 1`;
      await t.deps.db.execute(stored);
    }
    const ofAll = await sell("POST", "/phones/requests", order());
    assert.deepEqual([ofAll.status, rulesOf(ofAll)], [400, ["few-requests-a-day"]]);
    await changeAll("status = 'approved'");
    requireStatus(await sell("POST", "/phones/requests", order()), 201);
  });

  it("is refused beyond five also when more come together", async () => {
    const sell = await t.as("supplier", { supplierDid });
    const answers = await Promise.all([1, 2, 3, 4, 5, 6, 7, 8].map(() => sell("POST", "/phones/requests", order())));
    assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 201, 201, 201, 201, 400, 400, 400]);
    for (const answer of answers) if (answer.status === 400) assert.deepEqual(rulesOf(answer), ["few-open-requests"]);
  });
});

describe("an SMS that waits", () => {
  it("is not sent to a phone that was removed or sent STOP", async () => {
    await t.endGateway(gateway);
    gateway = await t.makeGateway({ kind: "kannel", username: "u", password: "p", url: "http://127.0.0.1:9" });
    // With a key that has not asked yet: a key may ask ten households a minute.
    const sell = await t.as("supplier", { supplierDid });
    const order = { voucherId: t.voucherId, supplierDid, productId, amount: 1 };
    const ask = async () => requireStatus(await sell("POST", "/phones/requests", order), 201);
    const waiting = async () => {
      const { rows } = await t.deps.db.execute(sql`select id from phone_messages where status = 'waiting'`);
      return rows.length;
    };
    await ask();
    assert.equal(await waiting(), 1);
    await t.call(gateway.smsUrl, { id: "1", from: number, text: "STOP" });
    // Only the answer to STOP.
    assert.equal(await waiting(), 1);
    await t.call(gateway.smsUrl, { id: "2", from: number, text: "START" });
    await ask();
    requireStatus(await t.admin("POST", "/phones/removals", { householdDid, number }), 200);
    assert.equal(await waiting(), 0);
    requireStatus(await t.admin("POST", "/phones", { householdDid, number, language: "en" }), 201);
  });
});

describe("a refusal", () => {
  it("says in the household's language why nothing was paid", async () => {
    // With a key that has not asked yet: a key may ask ten households a minute.
    const sell = await t.as("supplier", { supplierDid });
    const order = { voucherId: t.voucherId, supplierDid, productId, amount: 1 };
    requireStatus(await sell("POST", "/phones/requests", order), 201);
    const reason = { reason: "a check" };
    requireStatus(await t.admin("POST", `/vouchers/${t.voucherId}/suspend`, reason), 200);
    for (const [choice, answer] of [
      ["2", "END Rien n'a été payé : ce bon ne peut plus servir."],
      ["3", "END Nada foi pago: este vale ja nao pode ser usado."],
      ["4", "END Hakuna kilicholipwa: vocha hii haiwezi kutumika tena."],
      ["1", "END Nothing was paid: this voucher can no longer be used."],
    ] as const) {
      await dial()(`5*${choice}`);
      const step = dial();
      await step("2");
      assert.equal(await step(`2*${pin}`), answer);
    }
    requireStatus(await t.admin("POST", `/vouchers/${t.voucherId}/reactivate`, reason), 200);
  });
});

describe("a call that cannot be answered", () => {
  const stranger = "+260970000123";
  const said = {
    en: {
      unknown: "END This number is not registered. Ask your field team.",
      incomplete: "END The network sent an incomplete call. Dial again.",
      tooMany: "END Too many calls. Try again in a minute.",
    },
    sw: {
      unknown: "END Namba hii haijasajiliwa. Uliza timu yako.",
      incomplete: "END Mtandao umetuma simu isiyokamilika. Piga tena.",
      tooMany: "END Simu ni nyingi mno. Jaribu tena baada ya dakika moja.",
    },
  };

  it("is answered in the gateway's language for a phone that is not registered, with 200", async () => {
    await t.endGateway(gateway);
    gateway = await t.makeGateway({ kind: "simulator" }, { language: "sw" });
    assert.equal(gateway.language, "sw");
    assert.equal(await dial(gateway.ussdUrl, stranger)(), said.sw.unknown);
    for (const fields of [
      { phoneNumber: stranger, text: "" },
      { phoneNumber: stranger, sessionId: "s".repeat(201), text: "" },
      { phoneNumber: stranger, sessionId: "s", text: "1".repeat(201) },
      { text: "1" },
      {},
    ]) {
      const answer = await t.call(gateway.ussdUrl, fields as Record<string, string>);
      assert.deepEqual([answer.status, await answer.text()], [200, said.sw.incomplete]);
    }
  });

  it("is answered in the household's language for a registered phone, also beyond the limit and after an error", async () => {
    await t.endGateway(gateway);
    gateway = await t.makeGateway({ kind: "simulator" }, { language: "sw" });
    const answer = await t.call(gateway.ussdUrl, { phoneNumber: number, text: "1" });
    assert.deepEqual([answer.status, await answer.text()], [200, said.en.incomplete]);
    await t.deps.db.execute(sql`alter table ussd_steps rename to ussd_steps_away`);
    assert.equal(await dial()(), "END This does not work now. Try again later.");
    assert.equal(await dial(gateway.ussdUrl, stranger)(), said.sw.unknown);
    await t.deps.db.execute(sql`alter table ussd_steps_away rename to ussd_steps`);
    const answers = await Promise.all(Array.from({ length: 130 }, () => dial(gateway.ussdUrl, stranger)()));
    assert.ok(answers.includes(said.sw.tooMany));
    const registered = "+260970000124";
    requireStatus(await t.admin("POST", "/phones", { householdDid, number: registered, language: "en" }), 201);
    const own = await Promise.all(Array.from({ length: 130 }, () => dial(gateway.ussdUrl, registered)("9")));
    assert.ok(own.includes(said.en.tooMany));
    requireStatus(await t.admin("POST", "/phones/removals", { householdDid, number: registered }), 200);
  });
});

// The last one: afterwards the chain's time is past the voucher's last day.
describe("a payment", () => {
  it("that the ledger refused before a kill ends with one SMS to the household", async () => {
    const before = await balance();
    const { requestId } = await t.askFor(6);
    const step = dial();
    await step("2");
    const { anvil } = t.world;
    await anvil.pauseMining();
    await refuseRecords();
    assert.equal(await step(`2*${pin}`), "END You agreed. An SMS follows when it is done.");
    let asked = await refusedRecords();
    await anvil.rpc("evm_increaseTime", [80 * 365 * 86_400]);
    await anvil.resumeMining();
    await untilFound(async () => ((await refusedRecords()) > ++asked ? true : undefined));
    await takeRecords();
    await letItBeDue();
    await untilStatus(requestId, "waiting");
    const notices = async () => (await messages()).filter((text) => text.endsWith("did not work. Nothing was paid."));
    await untilFound(async () => ((await notices()).length > 0 ? true : undefined));
    assert.match((await notices()).join(), /^Your purchase of .+ for 6 CARBON did not work/);
    assert.equal(await balance(), before);
  });
});
