import assert from "node:assert/strict";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text as readText } from "node:stream/consumers";
import { after, before, beforeEach, describe, it } from "node:test";
import { sql } from "drizzle-orm";
import { getExpectedTwilioSignature } from "twilio/lib/webhooks/webhooks.js";
import { sendInterrupted } from "../../../test/support/interrupted.ts";
import { householdDid, number, openPhoneTest, type PhoneTest, pin } from "../../../test/support/phones.ts";
import { requireStatus } from "../../../test/support/registry.ts";
import { type Smsc, startSmsc } from "../../../test/support/smsc.ts";
import { untilFound } from "../../../test/support/until.ts";
import { productId, rulesOf, supplierDid } from "../../../test/support/vouchers.ts";
import type { CreatedGateway } from "./schemas.ts";

type List = { items: unknown[] };
type Sent = { url: URL; method: string | undefined; headers: IncomingMessage["headers"]; fields: URLSearchParams };
type Answer = (sent: Sent, response: ServerResponse) => void | Promise<void>;

let t: PhoneTest;
/** Plays the gateway's side: it keeps what was sent, and answers as a test says. */
let peer: { server: Server; url: string; sent: Sent[]; answer: Answer };

before(async () => {
  t = await openPhoneTest();
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? "/", peer.url);
    const fields = new URLSearchParams(await readText(request));
    const sent = { url, method: request.method, headers: request.headers, fields };
    await peer.answer(sent, response);
    peer.sent.push(sent);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  peer = { server, url, sent: [], answer: () => undefined };
});
after(async () => {
  peer?.server.closeAllConnections();
  peer?.server.close();
  await t?.close();
});
beforeEach(async () => {
  // A household has only so many requests to answer, and gets only so many a day.
  await t.deps.db.execute(sql`update phone_requests set status = 'refused' where status = 'waiting'`);
  await t.deps.db.execute(sql`update phone_requests set created_at = created_at - interval '1 day'`);
  peer.sent.length = 0;
});

const first = () => untilFound(() => peer.sent[0]);
const texts = () => peer.sent.map(({ fields }) => fields.get("message") ?? fields.get("Body") ?? "");

describe("a gateway of Twilio", () => {
  const authToken = "auth-token";
  let twilio: CreatedGateway;
  let count = 0;
  before(async () => {
    peer.answer = (_, response) => {
      count += 1;
      response.writeHead(201).end(JSON.stringify({ sid: `SM${count}` }));
    };
    twilio = await t.makeGateway({ kind: "twilio", accountSid: "AC1", authToken, from: "+15550000", url: peer.url });
  });
  after(() => t.endGateway(twilio));

  const signed = (url: string, fields: Record<string, string>) =>
    t.call(url, fields, { "x-twilio-signature": getExpectedTwilioSignature(authToken, url, fields) });
  const report = (status: string, sid = `SM${count}`) =>
    signed(twilio.reportUrl, { MessageSid: sid, MessageStatus: status, To: number });

  it("is sent an SMS by its REST interface, and asked for reports", async () => {
    await t.askFor(1);
    const { url, method, headers, fields } = await first();
    assert.deepEqual([method, url.pathname], ["POST", "/2010-04-01/Accounts/AC1/Messages.json"]);
    assert.equal(headers.authorization, `Basic ${Buffer.from(`AC1:${authToken}`).toString("base64")}`);
    assert.deepEqual(Object.fromEntries(fields), {
      To: number,
      From: "+15550000",
      Body: "Shop asks you for 1 CARBON. Dial the short code to agree or refuse.",
      StatusCallback: twilio.reportUrl,
    });
  });

  it("may report in any order, more than once, and before its answer", async () => {
    await t.askFor(2);
    await t.untilNewest("sent");
    for (const word of ["delivered", "sent", "queued", "delivered", "failed"])
      assert.equal((await report(word)).status, 200);
    await t.untilNewest("delivered");
    peer.answer = async (_, response) => {
      count += 1;
      assert.equal((await report("delivered")).status, 200);
      response.writeHead(201).end(JSON.stringify({ sid: `SM${count}` }));
    };
    await t.askFor(3);
    await t.untilNewest("delivered");
    peer.answer = (_, response) => {
      count += 1;
      response.writeHead(201).end(JSON.stringify({ sid: `SM${count}` }));
    };
    await t.askFor(4);
    await t.untilNewest("sent");
    await report("undelivered");
    await t.untilNewest("failed");
  });

  it("signs its calls: a changed field, another URL and a call without a signature are refused", async () => {
    const sms = { MessageSid: "SM-in", From: number, To: "+15550000", Body: "Hello" };
    const signature = getExpectedTwilioSignature(authToken, twilio.smsUrl, sms);
    assert.equal((await t.call(twilio.smsUrl, sms, { "x-twilio-signature": signature })).status, 200);
    const refused = [
      t.call(twilio.smsUrl, { ...sms, Body: "STOP" }, { "x-twilio-signature": signature }),
      t.call(twilio.smsUrl, { ...sms, More: "1" }, { "x-twilio-signature": signature }),
      t.call(twilio.reportUrl, sms, { "x-twilio-signature": signature }),
      t.call(`${twilio.smsUrl}?Body=STOP`, sms, { "x-twilio-signature": signature }),
      t.call(twilio.smsUrl, sms, { "x-twilio-signature": getExpectedTwilioSignature("wrong", twilio.smsUrl, sms) }),
      t.call(twilio.smsUrl, sms),
    ];
    for (const answer of await Promise.all(refused)) assert.equal(answer.status, 403);
  });

  it("may repeat an SMS of a household, together and later: it is handled once", async () => {
    const send = (sid: string, word: string) =>
      signed(twilio.smsUrl, { MessageSid: sid, From: number, To: "+15550000", Body: word });
    const stops = await Promise.all(Array.from({ length: 5 }, () => send("SM-a", "Stop")));
    assert.deepEqual(new Set(stops.map(({ status }) => status)), new Set([200]));
    await send("SM-b", "START");
    await send("SM-a", "Stop");
    const listed = await t.admin("GET", `/phones?householdDid=${encodeURIComponent(householdDid)}`);
    assert.equal((listed.body as { items: { stoppedAt: unknown }[] }).items[0]?.stoppedAt, null);
    await untilFound(() => (peer.sent.length >= 2 ? true : undefined));
    await t.askFor(5);
    await untilFound(() => texts().find((text) => text.includes("for 5 CARBON")));
    assert.equal(texts().filter((text) => text.startsWith("You get no more SMS")).length, 1);
    assert.equal(texts().filter((text) => text.startsWith("You get SMS again")).length, 1);
  });
});

describe("a gateway of Kannel", () => {
  let kannel: CreatedGateway;
  before(async () => {
    peer.answer = (_, response) => void response.writeHead(202).end("0: Accepted for delivery");
    kannel = await t.makeGateway({ kind: "kannel", username: "u", password: "p", from: "384", url: peer.url });
  });
  after(() => t.endGateway(kannel));

  it("is sent an SMS by sendsms, and reports to the URL that it was given", async () => {
    await t.askFor(6);
    const { url, method } = await first();
    assert.deepEqual([method, url.pathname], ["GET", "/cgi-bin/sendsms"]);
    const query = Object.fromEntries(url.searchParams);
    const { "dlr-url": dlrUrl = "", account, ...rest } = query;
    assert.deepEqual(rest, {
      username: "u",
      password: "p",
      to: number,
      text: "Shop asks you for 6 CARBON. Dial the short code to agree or refuse.",
      from: "384",
      coding: "0",
      charset: "UTF-8",
      "dlr-mask": "19",
    });
    assert.equal(dlrUrl, `${kannel.reportUrl}?id=${account}&status=%d`);
    const reported = new URL(dlrUrl.replace("%d", "1"));
    assert.equal((await t.app.request(reported.pathname + reported.search)).status, 200);
    await t.untilNewest("delivered");
  });

  it("counts a message as not sent when it answers otherwise", async () => {
    peer.answer = (_, response) => void response.writeHead(403).end("Authorization failed for sendsms");
    await t.askFor(7);
    await first();
    await t.untilNewest("waiting");
  });
});

describe("a gateway in the own network", () => {
  it("is called only where an admin said that it is there", async () => {
    peer.answer = (_, response) => void response.writeHead(202).end("0: Accepted for delivery");
    const sms = { kind: "kannel", username: "u", password: "p", url: peer.url };
    const outside = await t.makeGateway({ ...sms, privateNetwork: false });
    // With a key that has not asked yet: a key may ask ten households a minute.
    const sell = await t.as("supplier", { supplierDid });
    const order = { voucherId: t.voucherId, supplierDid, productId, amount: 12 };
    requireStatus(await sell("POST", "/phones/requests", order), 201);
    const { id } = await untilFound(async () => {
      const tried = sql`select id from phone_messages where status = 'waiting' and tries = 1 order by id desc limit 1`;
      return (await t.deps.db.execute<{ id: string }>(tried)).rows[0];
    });
    await t.endGateway(outside);
    const inside = await t.makeGateway(sms);
    await t.deps.db.execute(sql`update phone_messages set next_try_at = now() - interval '1 hour' where id = ${id}`);
    await untilFound(() => peer.sent.find(({ url }) => url.searchParams.get("text")?.includes("for 12 CARBON")));
    assert.equal(peer.sent.length, 1);
    await t.endGateway(inside);
  });
});

describe("a simulator", () => {
  it("keeps SMS for an admin to read, and is refused where another gateway is set up", async () => {
    const simulator = await t.makeGateway({ kind: "simulator" });
    const path = `/phones/gateways/${simulator.id}/messages`;
    await t.askFor(11);
    const [newest] = await untilFound(async () => {
      const { items } = (await t.admin("GET", path)).body as { items: { to: string; text: string }[] };
      return items.length > 0 ? items : undefined;
    });
    assert.deepEqual(
      [newest?.to, newest?.text],
      [number, "Shop asks you for 11 CARBON. Dial the short code to agree or refuse."],
    );
    assert.equal((await t.sell("GET", path)).status, 403);
    const real = await t.makeGateway({ kind: "kannel", username: "u", password: "p", url: peer.url });
    assert.equal((await t.admin("GET", `/phones/gateways/${real.id}/messages`)).status, 404);
    const refused = await t.admin("POST", "/phones/gateways", { name: "Second", sms: { kind: "simulator" } });
    assert.deepEqual([refused.status, rulesOf(refused)], [409, ["no-other-gateway"]]);
    for (const each of [simulator, real]) await t.endGateway(each);
  });
});

describe("USSD steps that come in another order", () => {
  it("pay nothing when the PIN comes before the question", async () => {
    peer.answer = (_, response) =>
      void response.end(JSON.stringify({ SMSMessageData: { Recipients: [{ statusCode: 101, messageId: "AT1" }] } }));
    const gateway = await t.makeGateway({ kind: "africas-talking", username: "u", apiKey: "k", url: peer.url });
    const { requestId } = await t.askFor(8);
    const step = async (text: string) =>
      (await t.call(gateway.ussdUrl, { sessionId: "s1", phoneNumber: number, text })).text();
    assert.equal(await step(`2*${pin}`), "END No purchase waits for you.");
    assert.match(await step("2"), /^CON Shop/);
    assert.equal(await step(`2*${pin}`), "END No purchase waits for you.");
    const { body } = await t.sell("GET", `/phones/requests/${requestId}`);
    assert.equal((body as { status: string }).status, "waiting");
    await t.endGateway(gateway);
  });
});

describe("a gateway of SMPP", () => {
  let smsc: Smsc;
  let smpp: CreatedGateway;
  const settings = () => ({
    kind: "smpp",
    url: `smpp://127.0.0.1:${smsc.port}`,
    systemId: "hearth",
    password: "password-of-the-operator",
    from: "384",
  });
  before(async () => {
    smsc = await startSmsc("password-of-the-operator");
    smpp = await t.makeGateway(settings());
    await untilFound(() => smsc.bound[0]);
  });
  after(() => smsc?.close());
  const newest = (part: string) => untilFound(() => smsc.taken.find(({ text }) => text.includes(part)));

  it("takes an SMS and reports that it was delivered", async () => {
    await t.askFor(9);
    const { id, to } = await newest("for 9 CARBON");
    assert.equal(to, number.slice(1));
    await t.untilNewest("sent");
    assert.equal(await smsc.report(id, "DELIVRD"), 0);
    await t.untilNewest("delivered");
  });

  it("brings STOP and START of a household, and takes the answers", async () => {
    assert.equal(await smsc.bring(number, "STOP"), 0);
    assert.equal(await smsc.bring(number, "STOP"), 0);
    await newest("You get no more SMS");
    assert.equal(await smsc.bring(number, "start"), 0);
    await newest("You get SMS again");
    assert.equal(smsc.taken.filter(({ text }) => text.startsWith("You get no more")).length, 1);
  });

  it("delivered a long message only when all its parts are", async () => {
    const other = "did:ixo:supplier/long";
    const name = `Cooperative of ${"the very long name ".repeat(8)}`.trim();
    await t.admin("POST", "/suppliers", { did: other, account: `0x${"6".repeat(40)}`, name });
    const seller = await t.as("supplier", { supplierDid: other });
    const order = { voucherId: t.voucherId, supplierDid: other, productId: "PROD-789", amount: 10 };
    assert.equal((await seller("POST", "/phones/requests", order)).status, 201);
    await newest("agree or refuse.");
    await t.untilNewest("sent");
    const parts = smsc.taken.filter(({ header }) => header !== undefined);
    assert.equal(
      parts.map(({ text }) => text).join(""),
      `${name} asks you for 10 CARBON. Dial the short code to agree or refuse.`,
    );
    const [one = "", two = ""] = parts.map(({ id }) => id);
    await smsc.report(two, "DELIVRD");
    await t.untilNewest("sent");
    await smsc.report(one, "DELIVRD");
    await t.untilNewest("delivered");
  });

  it("is disconnected when it is revoked, and its password is in no answer", async () => {
    const listed = JSON.stringify((await t.admin("GET", "/phones/gateways")).body);
    assert.ok(listed.includes(smpp.id) && !listed.includes("password-of-the-operator"));
    await t.endGateway(smpp);
    await untilFound(() => (smsc.bound.length === 0 ? true : undefined));
  });

  it("is made once when the process was killed before its answer", async () => {
    const count = async () => (requireStatus(await t.admin("GET", "/phones/gateways"), 200).body as List).items.length;
    const before = await count();
    const order = { name: "Test", sms: settings() };
    const made = await sendInterrupted(t, (headers) => t.admin("POST", "/phones/gateways", order, headers), 201);
    assert.equal(await count(), before + 1);
    await t.endGateway(made as CreatedGateway);
  });

  it("is refused with settings that cannot be right", async () => {
    const wrong = { ...settings(), url: "http://127.0.0.1", systemId: "", perSecond: 0 };
    const answer = await t.admin("POST", "/phones/gateways", { name: "Test", sms: wrong });
    assert.equal(answer.status, 400);
    assert.equal(rulesOf(answer).length, 3);
  });

  it("is refused with an address whose parts would be lost, or would break the requests", async () => {
    const kannel = { kind: "kannel", username: "u", password: "p" };
    const refusedFor = async (sms: object) => {
      const answer = await t.admin("POST", "/phones/gateways", { name: "Test", sms });
      return [answer.status, ...rulesOf(answer)];
    };
    const all = ["url-without-fragment", "url-without-query", "url-without-user"];
    assert.deepEqual(await refusedFor({ ...kannel, url: "https://u:p@sms.example/?a=1#b" }), [400, ...all]);
    assert.deepEqual(await refusedFor({ ...kannel, url: "https://sms.example/#?" }), [400, "url-without-fragment"]);
    const link = { ...settings(), url: "smpp://u@192.0.2.1:2775/system?a=1#b" };
    assert.deepEqual(await refusedFor(link), [400, ...all.slice(0, 1), "url-without-path", ...all.slice(1)]);
  });
});
