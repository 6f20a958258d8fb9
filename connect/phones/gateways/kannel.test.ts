import assert from "node:assert/strict";
import type { Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { createAdaptorServer } from "@hono/node-server";
import { type Kannel, startKannel, withoutKannel } from "../../../test/support/kannel.ts";
import { number, openPhoneTest, type PhoneTest, pin } from "../../../test/support/phones.ts";
import { freePorts } from "../../../test/support/ports.ts";
import { type Smsc, startSmsc } from "../../../test/support/smsc.ts";
import { untilFound } from "../../../test/support/until.ts";
import type { PhoneRequest } from "../requests/schemas.ts";
import type { CreatedGateway } from "./schemas.ts";

describe("a real Kannel between Hearth and an operator", { skip: withoutKannel() }, () => {
  let t: PhoneTest;
  let server: Server;
  let smsc: Smsc;
  let kannel: Kannel;
  let gateway: CreatedGateway;

  before(async () => {
    const [port] = (await freePorts(1)) as [number];
    t = await openPhoneTest({ PUBLIC_URL: `http://127.0.0.1:${port}` });
    server = createAdaptorServer({ fetch: t.app.fetch }) as Server;
    await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
    const password = "operator";
    smsc = await startSmsc(password);
    kannel = await startKannel({ port: smsc.port, password });
    await untilFound(() => smsc.bound[0]);
    const sms = { kind: "kannel", ...kannel.user, from: "384", url: kannel.url };
    gateway = await t.makeGateway(sms, { sources: ["127.0.0.1"] });
    await kannel.serve(gateway.smsUrl);
  });
  after(async () => {
    await kannel?.close();
    await smsc?.close();
    server?.closeAllConnections();
    server?.close();
    await t?.close();
  });

  const taken = (part: string) => untilFound(() => smsc.taken.find(({ text }) => text.includes(part)));
  const report = async (part: string, word: string) => {
    const { id } = await taken(part);
    assert.equal(await smsc.report(id, word), 0);
  };

  it("carries a whole purchase: the shop's request, the PIN by USSD, the receipt and the report of its delivery", async () => {
    const { requestId } = await t.askFor(25);
    assert.match((await taken("Shop asks you for 25 CARBON")).to, /260971234567$/);
    await report("for 25 CARBON", "DELIVRD");
    await t.untilNewest("delivered");
    const step = async (text: string) =>
      await (await t.call(gateway.ussdUrl, { sessionId: "purchase", phoneNumber: number, text })).text();
    assert.match(await step(""), /^CON /);
    assert.equal(await step("2"), "CON Shop: Stove for 25 CARBON.\nEnter your PIN to agree, 0 to refuse.");
    assert.equal(await step(`2*${pin}`), "END You agreed to 25 CARBON. An SMS follows.");
    const { body } = await t.sell("GET", `/phones/requests/${requestId}`);
    const { status, redemptionId } = body as PhoneRequest;
    assert.equal(status, "approved");
    const receipt = `You paid 25 CARBON for Stove. Receipt ${redemptionId}.`;
    assert.equal((await taken("You paid 25 CARBON")).text, receipt);
    await report("You paid 25 CARBON", "DELIVRD");
    await t.untilNewest("delivered");
    const redemption = (await t.admin("GET", `/redemptions/${redemptionId}`)).body as { consent: string };
    assert.equal(redemption.consent, "pin");
    assert.ok(!smsc.taken.some(({ text }) => text.includes(pin)));
  });

  it("carries an SMS to the household, and the report of its delivery back", async () => {
    await t.askFor(1);
    const { to } = await taken("Shop asks you for 1 CARBON");
    assert.match(to, /260971234567$/);
    await t.untilNewest("sent");
    await report("for 1 CARBON", "DELIVRD");
    await t.untilNewest("delivered");
    await t.askFor(2);
    await t.untilNewest("sent");
    await report("for 2 CARBON", "UNDELIV");
    await t.untilNewest("failed");
  });

  it("carries STOP and START of the household, and Hearth's answers", async () => {
    assert.equal(await smsc.bring(number, "STOP"), 0);
    await taken("You get no more SMS");
    await t.askFor(3);
    assert.equal(await smsc.bring(number, "Start"), 0);
    await taken("You get SMS again");
    assert.ok(!smsc.taken.some(({ text }) => text.includes("for 3 CARBON")));
  });

  it("carries a name in another script whole", async () => {
    const did = "did:ixo:supplier/ethiopic";
    const name = "ሰላም ሱቅ";
    await t.admin("POST", "/suppliers", { did, account: `0x${"7".repeat(40)}`, name });
    const seller = await t.as("supplier", { supplierDid: did });
    const order = { voucherId: t.voucherId, supplierDid: did, productId: "PROD-789", amount: 4 };
    assert.equal((await seller("POST", "/phones/requests", order)).status, 201);
    // Longer than 70 characters of UCS-2: Kannel sends it in parts.
    const sent = () => smsc.taken.flatMap(({ coding, text }) => (coding === 8 ? [text] : [])).join("");
    await untilFound(() => (sent().endsWith("refuse.") ? true : undefined));
    assert.equal(sent(), `${name} asks you for 4 CARBON. Dial the short code to agree or refuse.`);
  });
});
