import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { createParser, type EventSourceMessage } from "eventsource-parser";
import { openTestScheme, type TestScheme, testAdminKey } from "../../../test/support/scheme.ts";
import { openEventStream, type StreamedEvent } from "../../platform/events/stream.ts";
import type { EventMessage } from "../../platform/events/visibility.ts";
import type { Actor } from "../../platform/http/request-context.ts";
import { createApiKey } from "../../platform/keys/service.ts";

const admin: Actor = { keyId: "admin", role: "admin", scopes: [], dids: null };
let scheme: TestScheme;

before(async () => {
  scheme = await openTestScheme();
});
after(() => scheme.close());

/** Follow the stream as an actor; `take` waits for that many further events. */
async function follow(actor: Actor = admin, lastEventId?: string) {
  const aborter = new AbortController();
  const options = { lastEventId, signal: aborter.signal };
  const events = await openEventStream(scheme.deps, { actor }, options);
  const take = async (count: number): Promise<StreamedEvent[]> => {
    const taken: StreamedEvent[] = [];
    while (taken.length < count) {
      const next = await events.next();
      if (next.done) break;
      taken.push(next.value);
    }
    return taken;
  };
  return { take, end: () => aborter.abort(), events };
}

/** Send a POST with a key of the scheme's implementer. */
async function asImplementer(path: string, type: string, body: string): Promise<Response> {
  const { implementerDid } = scheme;
  const { key } = await createApiKey(
    scheme.deps,
    { actor: admin },
    { role: "implementer", name: "Any", implementerDid },
  );
  return scheme.app.request(path, {
    method: "POST",
    headers: { authorization: `Bearer ${key}`, "content-type": type },
    body,
  });
}

const ofOneRedemption = ["certificate.registered", "certificate.status_changed", "voucher.issued", "voucher.redeemed"];
const typesOf = (events: StreamedEvent[]) => events.map(({ message }) => message.type);

describe("the event stream", () => {
  it("tells of what happens from now on, in the chain's order", async () => {
    const { take, end } = await follow();
    const redemptionId = await scheme.redeem();
    const events = await take(4);
    end();
    assert.deepEqual(typesOf(events), ofOneRedemption);
    const { data, transactionHash } = (events[3] as StreamedEvent).message;
    assert.match(transactionHash ?? "", /^0x[0-9a-f]{64}$/);
    const { supplierDid, productId, householdDid } = scheme;
    const expected = {
      redemptionId,
      supplierDid,
      productId,
      recipientDid: householdDid,
      amount: 50,
      remainingBalance: 50,
    };
    for (const [name, value] of Object.entries(expected)) {
      assert.equal(JSON.parse(JSON.stringify(data))[name], value, name);
    }
  });

  it("tells of each voucher of a batch", async () => {
    const { take, end } = await follow();
    const dids = ["did:ixo:household/a", "did:ixo:household/b", "did:ixo:household/c"];
    await scheme.issueBatch(dids);
    const events = (await take(8)).filter(({ message }) => message.type === "voucher.issued");
    end();
    assert.deepEqual(events.map(({ message }) => message.data.recipientDid).sort(), dids);
    assert.equal(new Set(events.map(({ message }) => message.data.voucherId)).size, 3);
    assert.equal(new Set(events.map(({ position }) => position)).size, 3);
  });

  it("tells of each household's registration, and its DID only those who may know it", async () => {
    const { implementerDid } = scheme;
    const did = "did:ixo:household/registered";
    const registrar = await follow({ ...admin, role: "implementer", implementerDid });
    const stranger = await follow({ ...admin, role: "implementer", implementerDid: "did:ixo:implementer/other" });
    const supplier = await follow({ ...admin, role: "supplier", supplierDid: scheme.supplierDid });
    const own = await follow({ ...admin, role: "integrator", scopes: ["events:read"], dids: [did] });
    const everything = await follow();
    const registered = await asImplementer(
      "/v1/households",
      "application/json",
      JSON.stringify({ did, region: "Lusaka" }),
    );
    const { householdHash, index } = await registered.json();
    const silence = [stranger, supplier].map(({ take }) => take(1));
    for (const { take } of [everything, registrar, own]) {
      const [event] = await take(1);
      assert.equal(event?.message.type, "household.registered");
      assert.deepEqual(event?.message.data, { householdHash, index, recipientDid: did });
    }
    for (const each of [registrar, stranger, supplier, own, everything]) each.end();
    assert.deepEqual(await Promise.all(silence), [[], []]);
  });

  it("tells an implementer of each household of its import", async () => {
    const { implementerDid } = scheme;
    const implementer = await follow({ ...admin, role: "implementer", implementerDid });
    const rows = "did,region\ndid:ixo:household/i1,Lusaka\ndid:ixo:household/i2,Kafue\n";
    const answer = await asImplementer("/v1/households/import", "text/csv", rows);
    assert.equal(answer.status, 202, await answer.text());
    const events = await implementer.take(2);
    implementer.end();
    assert.deepEqual(new Set(typesOf(events)), new Set(["household.registered"]));
    const dids = events.map(({ message }) => String(message.data.recipientDid)).sort();
    assert.deepEqual(dids, ["did:ixo:household/i1", "did:ixo:household/i2"]);
    assert.ok(!JSON.stringify(events).includes("Lusaka"));
  });

  it("continues after Last-Event-ID without a gap or a repetition", async () => {
    const first = await follow();
    await scheme.redeem();
    const [, , issued] = await first.take(3);
    first.end();
    await scheme.redeem();
    const second = await follow(admin, issued?.position);
    assert.deepEqual(typesOf(await second.take(5)), ["voucher.redeemed", ...ofOneRedemption]);
    second.end();
  });

  it("goes back a little when the chain no longer has the block of Last-Event-ID", async () => {
    const first = await follow();
    await scheme.redeem();
    const [event] = await first.take(1);
    first.end();
    const [block] = (event?.position ?? "").split("-");
    const again = await follow(admin, `${block}-0-0-00000000`);
    const ids: string[] = [];
    for (let i = 0; i < 100 && !ids.includes(event?.message.id ?? ""); i++) {
      ids.push(...(await again.take(1)).map(({ message }) => message.id));
    }
    again.end();
    assert.ok(ids.includes(event?.message.id ?? ""));
  });

  it("shows a key its own DIDs only, and suppliers no household", async () => {
    const { supplierDid, implementerDid, householdDid } = scheme;
    const supplier = await follow({ ...admin, role: "supplier", supplierDid });
    const household = await follow({ ...admin, role: "integrator", scopes: ["events:read"], dids: [householdDid] });
    const implementer = await follow({ ...admin, role: "implementer", implementerDid });
    const stranger = await follow({ ...admin, role: "supplier", supplierDid: "did:ixo:supplier/other" });
    await scheme.redeem();
    const [own] = await supplier.take(1);
    assert.equal(own?.message.type, "voucher.redeemed");
    assert.ok(!JSON.stringify(own).includes(householdDid));
    assert.deepEqual(typesOf(await household.take(2)), ["voucher.issued", "voucher.redeemed"]);
    assert.equal((await implementer.take(4)).length, 4);
    const silence = stranger.take(1);
    for (const each of [supplier, household, implementer, stranger]) each.end();
    assert.deepEqual(await silence, []);
  });

  it("refuses an integrator without the scope and an id that is not ours", async () => {
    await assert.rejects(follow({ ...admin, role: "integrator", scopes: [], dids: null }), { code: "FORBIDDEN" });
    await assert.rejects(follow(admin, "yesterday"), { code: "INVALID_INPUT" });
  });
});

describe("GET /v1/events", () => {
  const get = (query = "", headers: Record<string, string> = {}) =>
    scheme.app.request(`/v1/events${query}`, {
      headers: { authorization: `Bearer ${testAdminKey}`, ...headers },
    });

  it("answers server-sent events of the chosen types", async () => {
    const answer = await get("?types=voucher.redeemed");
    assert.equal(answer.headers.get("content-type"), "text/event-stream");
    await scheme.redeem();
    const message = await firstMessage(answer);
    assert.equal(message.event, "voucher.redeemed");
    assert.equal((JSON.parse(message.data) as EventMessage).type, "voucher.redeemed");
    assert.match(message.id ?? "", /^\d+-\d+-0-[0-9a-f]{8}$/);
    const resumed = await get("", { "last-event-id": message.id ?? "" });
    await scheme.redeem();
    assert.equal((await firstMessage(resumed)).event, "certificate.registered");
  });

  it("answers 429 to a key with 32 streams open, not to another key, and has a place again once one is closed", async () => {
    const key = await createApiKey(scheme.deps, { actor: admin }, { role: "regulator", name: "Many streams" });
    const openOne = async () => {
      const aborter = new AbortController();
      const headers = { authorization: `Bearer ${key.key}` };
      const answer = await scheme.app.request("/v1/events", { headers, signal: aborter.signal });
      const reader = answer.body?.getReader();
      await reader?.read();
      return { answer, close: () => reader?.cancel() };
    };
    const open = [];
    for (let i = 0; i < 32; i++) open.push(await openOne());
    assert.deepEqual(new Set(open.map(({ answer }) => answer.status)), new Set([200]));
    const refused = await scheme.app.request("/v1/events", { headers: { authorization: `Bearer ${key.key}` } });
    const body = (await refused.json()) as { code: string; message: string };
    assert.deepEqual([refused.status, body.code, refused.headers.get("retry-after")], [429, "RATE_LIMITED", "15"]);
    assert.match(body.message, /32 event streams of this key are open/);
    const other = await get("");
    assert.equal(other.status, 200);
    await other.body?.cancel();
    // A refused id uses up no connection.
    await open.pop()?.close();
    const wrong = { authorization: `Bearer ${key.key}`, "last-event-id": "x" };
    assert.equal((await scheme.app.request("/v1/events", { headers: wrong })).status, 400);
    open.push(await openOne());
    assert.equal(open.at(-1)?.answer.status, 200);
    for (const { close } of open) await close();
  });

  it("refuses unknown types and ids with 400", async () => {
    assert.equal((await get("?types=voucher.eaten")).status, 400);
    assert.equal((await get("", { "last-event-id": "x" })).status, 400);
  });
});

async function firstMessage(answer: Response): Promise<EventSourceMessage> {
  const found: EventSourceMessage[] = [];
  const parser = createParser({ onEvent: (event) => found.push(event) });
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  while (found.length === 0) {
    const chunk = await reader?.read();
    if (!chunk || chunk.done) throw new Error("The stream ended.");
    parser.feed(chunk.value);
  }
  await reader?.cancel();
  return found[0] as EventSourceMessage;
}
