import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text as readText } from "node:stream/consumers";
import { after, before, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { IndexerClient } from "../../api/platform/indexer/client.ts";
import { type Indexer, startIndexerOn } from "../../test/indexer/ponder-process.ts";
import { sendInterrupted } from "../../test/support/interrupted.ts";
import type { Answer, Caller } from "../../test/support/registry.ts";
import { requireStatus } from "../../test/support/registry.ts";
import { untilFound } from "../../test/support/until.ts";
import {
  implementerDid,
  openVoucherTest,
  productId,
  rulesOf,
  supplierDid,
  type VoucherTest,
} from "../../test/support/vouchers.ts";
import type { CreatedGateway } from "./gateways/schemas.ts";
import { septetsOf } from "./gsm.ts";
import type { PhoneRequest } from "./requests/schemas.ts";

const number = "+260971234567";
const pin = "735914";

let t: VoucherTest;
let indexer: Indexer;
let folder: string;
let gateway: CreatedGateway;
let standIn: { server: Server; url: string; sent: URLSearchParams[]; isDown: boolean };
let sell: Caller;
let voucherId: string;
let cardId: string;
const householdDid = "did:ixo:household/1";

before(async () => {
  t = await openVoucherTest();
  folder = await mkdtemp(join(tmpdir(), "hearth-phones-"));
  indexer = await startIndexerOn(t.world as never, folder);
  const { chain, log } = t.deps;
  t.deps.indexer = new IndexerClient({
    url: indexer.url,
    token: undefined,
    log,
    lastWritten: () => chain.outbox.lastBlock,
  });
  standIn = await startStandIn();
  gateway = await makeGateway({ kind: "africas-talking", username: "hearth", apiKey: "secret-of-the-gateway" });
  sell = await t.as("supplier", { supplierDid });
  const emissionCertificateId = await t.certify();
  const issued = await t.issue({ recipientDid: householdDid, emissionCertificateId, value: 100 });
  voucherId = (requireStatus(issued, 201).body as { id: string }).id;
  const order = { implementerDid, count: 1, language: "en" };
  const batch = requireStatus(await t.admin("POST", "/card-batches", order), 201).body as { batchId: string };
  const cards = (await t.admin("GET", `/cards?batchId=${batch.batchId}`)).body as { items: { cardId: string }[] };
  cardId = cards.items[0]?.cardId ?? "";
  requireStatus(await t.admin("POST", `/cards/${cardId}/link`, { householdDid }), 200);
  requireStatus(await t.admin("PUT", `/households/${encodeURIComponent(householdDid)}/pin`, { pin }), 200);
  requireStatus(await t.admin("POST", "/phones", { householdDid, number, language: "en" }), 201);
});
after(async () => {
  await indexer?.stop("SIGKILL");
  standIn?.server.closeAllConnections();
  standIn?.server.close();
  await t?.close();
  await rm(folder, { recursive: true, force: true });
});

/** A stand-in of Africa's Talking: it takes each SMS, or answers 503 while it is down. */
async function startStandIn(): Promise<typeof standIn> {
  const sent: URLSearchParams[] = [];
  const server = createServer(async (request, response) => {
    const body = await readText(request);
    if (standIn.isDown) return void response.writeHead(503).end();
    sent.push(new URLSearchParams(body));
    const recipient = { statusCode: 101, messageId: `ATXid_${sent.length}`, number: "hidden" };
    response.end(JSON.stringify({ SMSMessageData: { Recipients: [recipient] } }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, sent, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, isDown: false };
}

async function makeGateway(sms: object, more: object = {}): Promise<CreatedGateway> {
  const body = { name: "Test", sms: { ...sms, url: standIn.url, privateNetwork: true }, ...more };
  return requireStatus(await t.admin("POST", "/phones/gateways", body), 201).body as CreatedGateway;
}

let sessions = 0;
/** Dials the short code from a phone; each call sends what was typed so far, as Africa's Talking does. */
function dial(from = number, url = gateway.ussdUrl) {
  sessions += 1;
  const sessionId = `ATUid_${sessions}`;
  return async (text = "") => {
    const fields = new URLSearchParams({
      sessionId,
      serviceCode: "*384#",
      phoneNumber: from,
      networkCode: "64501",
      text,
    });
    const response = await t.app.request(new URL(url).pathname, { method: "POST", body: fields });
    const answer = await response.text();
    assert.equal(response.status, 200, answer);
    assert.ok(septetsOf(answer) <= 160, answer);
    return answer;
  };
}

/** Waits until the index, which may be late, has a record of a list. */
const indexed = (path: string) =>
  untilFound(async () => {
    const { status, body } = await t.admin("GET", path);
    return status === 200 && (body as { items: unknown[] }).items.length > 0 ? true : undefined;
  });

const post = (url: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  t.app.request(new URL(url).pathname, { method: "POST", body: new URLSearchParams(fields), headers });

async function askFor(amount: number): Promise<PhoneRequest> {
  const order = { voucherId, supplierDid, productId, amount };
  return requireStatus(await sell("POST", "/phones/requests", order), 201).body as PhoneRequest;
}
const requestOf = async (requestId: string) =>
  (await sell("GET", `/phones/requests/${requestId}`)).body as PhoneRequest;
const balance = async () =>
  ((await t.admin("GET", `/vouchers/${voucherId}`)).body as { remainingBalance: number }).remainingBalance;
const smsWith = (part: string) => untilFound(() => standIn.sent.find((each) => each.get("message")?.includes(part)));

describe("a household's phone", () => {
  it("shows the menu, the balance and that nothing was bought", async () => {
    await indexed(`/vouchers?recipientDid=${encodeURIComponent(householdDid)}`);
    const step = dial();
    assert.equal(
      await step(),
      "CON 1 Balance\n2 Approve a purchase\n3 History\n4 Lost card\n5 Language\n6 One-time code",
    );
    assert.equal(await step("1"), "END You have 100 CARBON in 1 voucher. The first ends on 2099-12-31.");
    for (const written of [number.replace("+", " "), number.slice(1), number.replace("+", "00")])
      assert.match(await dial(written)("1"), /^END You have 100 CARBON/, written);
    assert.equal(await dial()("3"), "END You have bought nothing yet.");
    assert.equal(await dial()("2"), "END No purchase waits for you.");
    for (const wrong of ["9", "1*1", "2*0*1", "*"])
      assert.match(await dial()(wrong), /^END This choice does not exist/, wrong);
  });

  it("approves a purchase with the PIN, once, whatever is repeated, and gets SMS about it", async () => {
    const request = await askFor(10);
    assert.equal(request.status, "waiting");
    assert.match((await smsWith("Shop asks you for 10 CARBON")).get("to") ?? "", /^\+260971234567$/);
    const step = dial();
    await step();
    assert.equal(await step("2"), "CON Shop: Stove for 10 CARBON.\nEnter your PIN to agree, 0 to refuse.");
    const answers = await Promise.all([1, 2, 3].map(() => step(`2*${pin}`)));
    assert.deepEqual(new Set(answers), new Set(["END You agreed to 10 CARBON. An SMS follows."]));
    assert.equal(await step(`2*${pin}`), answers[0]);
    const { status, redemptionId } = await requestOf(request.requestId);
    assert.equal(status, "approved");
    assert.equal(await balance(), 90);
    const redemption = (await t.admin("GET", `/redemptions/${redemptionId}`)).body as {
      consent: string;
      actedBy: { channel: string; caller: string };
    };
    assert.partialDeepStrictEqual(redemption.actedBy, { channel: "phone", caller: gateway.keyId });
    assert.equal(redemption.consent, "pin");
    await smsWith(`Receipt ${redemptionId}`);
    assert.equal(standIn.sent.filter((each) => each.get("message")?.includes("Receipt")).length, 1);
    await indexed(`/redemptions?voucherId=${voucherId}`);
    assert.match(await dial()("3"), /^END \d{4}-\d\d-\d\d 10 Stove$/);
  });

  it("pays nothing for a wrong PIN, a refusal, or a request that the session did not show", async () => {
    const before = await balance();
    const { requestId } = await askFor(5);
    assert.equal(await dial()(`2*${pin}`), "END No purchase waits for you.");
    const step = dial();
    await step("2");
    assert.equal(await step("2*735915"), "END The PIN is wrong. Nothing was paid.");
    // Another request came meanwhile: this session still answers the one that it showed.
    const later = await askFor(6);
    assert.equal(await step("2*0"), "END You refused. Nothing was paid.");
    assert.equal((await requestOf(requestId)).status, "refused");
    assert.equal((await requestOf(later.requestId)).status, "waiting");
    const again = dial();
    assert.match(await again("2"), /for 6 CARBON/);
    assert.equal(await again("2*0"), "END You refused. Nothing was paid.");
    assert.equal(await balance(), before);
  });

  it("takes no PIN or refusal in other digits, and counts none of them as a try", async () => {
    const before = await balance();
    const { requestId } = await askFor(0.000001);
    const fullWidth = pin.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit)));
    for (const typed of [fullWidth, "٧٣٥٩١٤", ` ${pin}`, `${pin}.0`, `0${pin}`, `-${pin}`, "7e5", "00", "-0", "0.0"]) {
      const step = dial();
      assert.match(await step("2"), /for 0\.000001 CARBON/);
      assert.equal(await step(`2*${typed}`), "END The PIN is wrong. Nothing was paid.", typed);
    }
    for (const typed of ["２", "02", "2.0", "+2", "2e0"]) assert.match(await dial()(typed), /^END This choice/, typed);
    const step = dial();
    await step("2");
    assert.equal(await step(`2*${pin}`), "END You agreed to 0.000001 CARBON. An SMS follows.");
    assert.equal((await requestOf(requestId)).status, "approved");
    assert.equal(await balance(), before - 0.000001);
  });

  it("changes the language, and blocks a lost card", async () => {
    assert.match(await dial()("5"), /^CON 1 English\n2 Francais\n3 Portugues\n4 Kiswahili$/);
    for (const [choice, word] of [
      ["3", "END A lingua agora é o portugues."],
      ["4", "END Lugha sasa ni Kiswahili."],
      ["2", "END La langue est maintenant le francais."],
    ] as const) {
      assert.equal(await dial()(`5*${choice}`), word);
    }
    assert.match(await dial()("1"), /^END Vous avez 89\.999999 CARBON sur 1 bon\./);
    assert.equal(await dial()("5*1"), "END The language is English now.");
    assert.equal(await dial()("4*0"), "END Your card was not blocked.");
    assert.match(await dial()("4*1"), /^END Your card is blocked/);
    assert.equal(((await t.admin("GET", `/cards/${cardId}`)).body as { status: string }).status, "blocked");
    assert.equal(await dial()("4*1"), "END You have no card that can be blocked.");
  });

  it("gets no SMS after STOP until START, and an unknown number gets nothing", async () => {
    const sms = (text: string, from = number) =>
      post(gateway.smsUrl, { id: `${text}${from}`, from, to: "384", text, date: "" });
    assert.equal((await sms("stop ")).status, 200);
    await smsWith("You get no more SMS");
    const { requestId } = await askFor(1);
    assert.equal((await sms("START")).status, 200);
    await smsWith("You get SMS again");
    assert.equal(standIn.sent.filter((each) => each.get("message")?.includes("asks you for 1 CARBON")).length, 0);
    assert.equal((await sms("STOP", "+260970000000")).status, 200);
    assert.equal(await dial("+260970000000")(), "END This number is not registered. Ask your field team.");
    const step = dial();
    await step("2");
    await step("2*0");
    assert.equal((await requestOf(requestId)).status, "refused");
  });

  it("gets an SMS that the gateway could not take at first, once, and its report is recorded", async () => {
    standIn.isDown = true;
    await askFor(2);
    const failed = await untilFound(async () => {
      const { rows } = await t.deps.db.execute<{ id: string }>(
        sql`select id from phone_messages where status = 'waiting' and tries > 0`,
      );
      return rows[0];
    });
    standIn.isDown = false;
    await t.deps.db.execute(
      sql`update phone_messages set next_try_at = now() - interval '1 hour' where id = ${failed.id}`,
    );
    await smsWith("asks you for 2 CARBON");
    const id = await untilFound(async () => {
      const { rows } = await t.deps.db.execute<{ gateway_message_id: string }>(
        sql`select gateway_message_id from phone_message_parts where message_id = ${failed.id}`,
      );
      return rows[0]?.gateway_message_id;
    });
    assert.equal((await post(gateway.reportUrl, { id, status: "Success", phoneNumber: number })).status, 200);
    const { rows } = await t.deps.db.execute(sql`select status from phone_messages where id = ${failed.id}`);
    assert.deepEqual(rows, [{ status: "delivered" }]);
    const step = dial();
    await step("2");
    await step("2*0");
  });
});

describe("gateways", () => {
  it("are refused with a wrong secret, from another address, without Twilio's signature, and when they are revoked", async () => {
    const fields = { sessionId: "x", phoneNumber: number, text: "" };
    const wrong = gateway.ussdUrl.replace(
      /key\/hg_[a-z0-9]{12}_./,
      (found) => found.slice(0, -1) + (found.endsWith("A") ? "B" : "A"),
    );
    assert.equal((await post(wrong, fields)).status, 403);
    const elsewhere = await makeGateway({ kind: "kannel", username: "u", password: "p" }, { sources: ["10.1.2.0/24"] });
    assert.equal((await post(elsewhere.ussdUrl, fields)).status, 403);
    const twilio = await makeGateway({ kind: "twilio", accountSid: "AC1", authToken: "token", from: "+15550000" });
    const sms = { MessageSid: "SM1", From: number, To: "+15550000", Body: "HELLO" };
    const signature = getExpectedTwilioSignature("token", twilio.smsUrl, sms);
    assert.equal((await post(twilio.smsUrl, sms, { "x-twilio-signature": signature })).status, 200);
    assert.equal(
      (await post(twilio.smsUrl, { ...sms, Body: "STOP" }, { "x-twilio-signature": signature })).status,
      403,
    );
    assert.equal((await post(twilio.smsUrl, sms)).status, 403);
    for (const { id } of [twilio, elsewhere]) requireStatus(await t.admin("DELETE", `/phones/gateways/${id}`), 200);
    assert.equal((await post(twilio.smsUrl, sms, { "x-twilio-signature": signature })).status, 403);
  });

  it("are made by admins only, and their URLs are shown once", async () => {
    assert.equal((await sell("POST", "/phones/gateways", {})).status, 403);
    const listed = JSON.stringify((await t.admin("GET", "/phones/gateways")).body);
    assert.ok(listed.includes(gateway.id) && !listed.includes("hg_") && !listed.includes("secret-of-the-gateway"));
  });
});

describe("requests", () => {
  it("are refused for an amount that is not an exact one, with its rule", async () => {
    for (const [amount, rule] of [
      ["-1", "range"],
      ["0", "range"],
      ["0.0000001", "decimals"],
      ["1e-7", "decimals"],
      ["1.00000000000000000001", "decimals"],
      ["9007199254740993", "range"],
      ["1e400", "decimals"],
      ['"10"', "type"],
      ['"10,5"', "type"],
      ["null", "type"],
    ]) {
      const body = `{"voucherId":"${voucherId}","supplierDid":"${supplierDid}","productId":"${productId}","amount":${amount}}`;
      const answer = await sell("POST", "/phones/requests", body);
      assert.deepEqual([answer.status, rulesOf(answer)], [400, [rule]], amount);
    }
    for (const amount of ["01", "１０", "1,5", "+1", "NaN", "0x10", ".5"]) {
      const answer = await sell("POST", "/phones/requests", `{"voucherId":"${voucherId}","amount":${amount}}`);
      assert.equal(answer.status, 400, amount);
    }
  });

  it("name every broken rule, and are only for the supplier's own sales", async () => {
    const order = { voucherId, supplierDid, productId, amount: 1_000 };
    const tooMuch = await sell("POST", "/phones/requests", order);
    assert.deepEqual([tooMuch.status, rulesOf(tooMuch)], [400, ["amount-within-balance"]]);
    const emissionCertificateId = await t.certify();
    const issued = await t.issue({ recipientDid: t.household(2), emissionCertificateId, value: 100 });
    const other = (issued.body as { id: string }).id;
    const silent = await sell("POST", "/phones/requests", { ...order, voucherId: other });
    assert.deepEqual([silent.status, rulesOf(silent)], [400, ["amount-within-balance", "household-has-phone"]]);
    assert.equal((await sell("POST", "/phones/requests", { ...order, supplierDid: "did:ixo:supplier/0" })).status, 403);
    const { requestId } = await askFor(1);
    await t.admin("POST", "/suppliers", {
      did: "did:ixo:supplier/other",
      account: `0x${"5".repeat(40)}`,
      name: "Other",
    });
    const stranger = await t.as("supplier", { supplierDid: "did:ixo:supplier/other" });
    const statusOf = (answer: Answer) => answer.status;
    assert.equal(statusOf(await stranger("GET", `/phones/requests/${requestId}`)), 404);
  });
});

describe("phones in the database", () => {
  it("are registered and removed once also when a kill came before the response", async () => {
    const phone = { householdDid, number: "+260971234568" };
    const body = { ...phone, language: "en" };
    await sendInterrupted(t, (headers) => t.admin("POST", "/phones", body, headers), 201);
    await sendInterrupted(t, (headers) => t.admin("POST", "/phones/removals", phone, headers), 200);
  });

  it("belong to one household, are seen by its implementer only, and are encrypted", async () => {
    const again = await t.admin("POST", "/phones", { householdDid: t.household(2), number, language: "en" });
    assert.deepEqual([again.status, rulesOf(again)], [409, ["not-registered-before"]]);
    const stranger = await t.as("implementer", { implementerDid: "did:ixo:implementer/other" });
    const path = `/phones?householdDid=${encodeURIComponent(householdDid)}`;
    assert.equal((await stranger("GET", path)).status, 404);
    assert.equal((await stranger("POST", "/phones/removals", { householdDid, number })).status, 404);
    const { items } = (await t.admin("GET", path)).body as { items: { number: string }[] };
    assert.deepEqual(
      items.map((each) => each.number),
      [number],
    );
    for (const table of [
      "phones",
      "phone_messages",
      "phone_requests",
      "ussd_steps",
      "phone_gateways",
      "audit_entries",
    ]) {
      const { rows } = await t.deps.db.execute(
        sql`select to_jsonb(each)::text as row from ${sql.identifier(table)} each`,
      );
      assert.ok(rows.length > 0, table);
      const kept = JSON.stringify(rows);
      for (const secret of [number, pin, "household/1", "secret-of-the-gateway"])
        assert.ok(!kept.includes(secret), `${table}: ${secret}`);
    }
    const left = await t.admin("POST", "/phones/removals", { householdDid, number });
    assert.deepEqual(left.body, { items: [] });
    assert.equal(await dial()(), "END This number is not registered. Ask your field team.");
  });
});
