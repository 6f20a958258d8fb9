import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { startTestServer, type TestServer } from "../../../test/support/http-server.ts";
import { openTestScheme, type TestScheme, testAdminKey } from "../../../test/support/scheme.ts";
import { newWorkers } from "../../../test/support/workers.ts";
import type { Actor } from "../http/request-context.ts";
import { createApiKey, revokeApiKey } from "../keys/service.ts";
import { sealingKeysOf } from "../secret-box.ts";
import { loadOrCreateSecret } from "../secrets.ts";
import { DeliverySender } from "./sender.ts";
import { createWebhook, deleteWebhook, getWebhook, listDeliveries, listWebhooks, replayDeliveries } from "./service.ts";
import { openWebhooks, type Webhooks } from "./webhooks.ts";

type Received = { headers: Record<string, string>; body: string };

let scheme: TestScheme;
let server: TestServer;
let received: Received[] = [];
let answerWith = 200;
let reopened: Webhooks | undefined;

before(async () => {
  [scheme, server] = await Promise.all([openTestScheme(), startTestServer()]);
  server.answers.set("/hook", (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.push({ headers: request.headers as Record<string, string>, body: Buffer.concat(parts).toString() });
      response.writeHead(answerWith).end();
    });
  });
});
after(async () => {
  await reopened?.close();
  await scheme.close();
  await server.close();
});
beforeEach(() => {
  received = [];
  answerWith = 200;
});

const actorOf = (changes: Partial<Actor> = {}): Actor => {
  return { keyId: `key-${Math.random()}`, role: "regulator", scopes: [], dids: null, ...changes };
};
const ctx = (actor: Actor) => ({ actor });
const url = () => `${server.url}/hook`;

async function until<T>(read: () => T | Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (let i = 0; i < 100; i++) {
    const value = await read();
    if (isDone(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`It did not happen: ${JSON.stringify(await read())}`);
}

/** A sender whose clock is ahead, so that it finds the next attempt due. */
function openLaterSender(): DeliverySender {
  const { store, box, outbound, isKeyValid } = scheme.deps.webhooks;
  const clock = { now: () => new Date(Date.now() + 60_000) };
  const later = new DeliverySender({
    store,
    box,
    outbound,
    isKeyValid,
    clock,
    log: scheme.deps.log,
    workers: newWorkers(),
  });
  later.start();
  return later;
}

describe("webhooks", () => {
  for (const [name, secret] of [
    ["its own", `whsec_${Buffer.alloc(32, 7).toString("base64")}`],
    ["a plain text's", "a plain secret of some length!"],
    ["a made", undefined],
  ] as const) {
    it(`sends events signed with ${name} secret`, async () => {
      const actor = actorOf();
      const made = await createWebhook(scheme.deps, ctx(actor), {
        url: url(),
        events: ["voucher.redeemed"],
        ...(secret && { secret }),
      });
      const redemptionId = await scheme.redeem();
      await until(
        () => received.length,
        (count) => count > 0,
      );
      await deleteWebhook(scheme.deps, ctx(actor), made.id);
      const [{ headers, body }] = received as [Received];
      const raw = secret?.includes(" ") ? ({ format: "raw" } as const) : {};
      const verified = new StandardWebhook(secret ?? made.secret ?? "", raw).verify(body, headers);
      const { type, data, timestamp } = verified as { type: string; timestamp: string; data: { redemptionId: string } };
      assert.deepEqual([type, data.redemptionId], ["voucher.redeemed", redemptionId]);
      assert.ok(Date.parse(timestamp) > 0);
      assert.equal(made.secret === undefined, secret !== undefined);
    });
  }

  it("sends a supplier its own events only, without the household", async () => {
    const own = actorOf({ role: "supplier", supplierDid: scheme.supplierDid });
    const other = actorOf({ role: "supplier", supplierDid: "did:ixo:supplier/other" });
    const hooks = [
      await createWebhook(scheme.deps, ctx(own), { url: url(), events: ["*"] }),
      await createWebhook(scheme.deps, ctx(other), { url: url(), events: ["*"] }),
    ];
    await scheme.redeem();
    await until(
      () => received.length,
      (count) => count > 0,
    );
    await new Promise((resolve) => setTimeout(resolve, 300));
    assert.equal(received.length, 1);
    assert.ok(!received[0]?.body.includes(scheme.householdDid));
    await deleteWebhook(scheme.deps, ctx(own), hooks[0]?.id ?? "");
    await deleteWebhook(scheme.deps, ctx(other), hooks[1]?.id ?? "");
  });

  it("tries again after a failure, and replays what had arrived", async () => {
    const actor = actorOf();
    const { id } = await createWebhook(scheme.deps, ctx(actor), { url: url(), events: ["voucher.redeemed"] });
    answerWith = 500;
    await scheme.redeem();
    const deliveries = () => listDeliveries(scheme.deps, ctx(actor), id, { limit: 10 });
    const failed = await until(deliveries, ({ items }) => items[0]?.lastStatus === 500);
    assert.deepEqual([failed.items[0]?.status, failed.items[0]?.attempts], ["pending", 1]);
    assert.match(failed.items[0]?.lastError ?? "", /answers 500/);
    assert.ok(Date.parse(failed.items[0]?.nextAttemptAt ?? "") - Date.now() > 3_000);
    answerWith = 200;
    const later = openLaterSender();
    await until(deliveries, ({ items }) => items[0]?.status === "succeeded");
    await later.close();
    assert.equal(new Set(received.map(({ headers }) => headers["webhook-id"])).size, 1);
    const count = received.length;
    assert.deepEqual(await replayDeliveries(scheme.deps, ctx(actor), id, { status: "failed" }), { requeued: 0 });
    assert.deepEqual(await replayDeliveries(scheme.deps, ctx(actor), id, { status: "all" }), { requeued: 1 });
    await until(
      () => received.length,
      (now) => now > count,
    );
    await deleteWebhook(scheme.deps, ctx(actor), id);
  });

  it("loses nothing that happened while nobody was collecting, and sends nothing twice", async () => {
    const actor = actorOf();
    const { id } = await createWebhook(scheme.deps, ctx(actor), { url: url(), events: ["voucher.redeemed"] });
    await scheme.deps.webhooks.close();
    await scheme.redeem();
    await scheme.redeem();
    assert.equal(received.length, 0);
    const { db, chain, events, keys, clock, log, webhooks, workers } = scheme.deps;
    const sealingKeys = sealingKeysOf(await loadOrCreateSecret(scheme.world.dataDir, "scheme"));
    reopened = openWebhooks({ db, chain, events, keys, clock, log, outbound: webhooks.outbound, sealingKeys, workers });
    scheme.deps.webhooks = reopened;
    await until(
      () => received.length,
      (count) => count >= 2,
    );
    await scheme.redeem();
    await until(
      () => received.length,
      (count) => count >= 3,
    );
    const ids = received.map(({ headers }) => headers["webhook-id"]);
    assert.equal(new Set(ids).size, ids.length);
    await deleteWebhook(scheme.deps, ctx(actor), id);
  });

  it("stops for a receiver that answers 410", async () => {
    const actor = actorOf();
    const { id } = await createWebhook(scheme.deps, ctx(actor), { url: url(), events: ["*"] });
    answerWith = 410;
    await scheme.redeem();
    await until(
      () => getWebhook(scheme.deps, ctx(actor), id),
      ({ status }) => status === "disabled",
    );
    await deleteWebhook(scheme.deps, ctx(actor), id);
  });

  it("refuses private addresses, and plain http outside this machine", async () => {
    for (const address of [
      "http://example.org/",
      "https://10.0.0.1/",
      "https://169.254.169.254/",
      "https://[fd00::1]/",
    ]) {
      await assert.rejects(createWebhook(scheme.deps, ctx(actorOf()), { url: address, events: ["*"] }), {
        code: "RULE_VIOLATION",
      });
    }
  });

  it("does not let 20 silent receivers of one key hold up another's", async () => {
    const held: (() => void)[] = [];
    server.answers.set("/silent", (request, response) => {
      request.resume();
      held.push(() => response.writeHead(200).end());
    });
    const [silent, quick] = [actorOf(), actorOf()];
    const create = (actor: Actor, target: string) =>
      createWebhook(scheme.deps, ctx(actor), { url: target, events: ["voucher.redeemed"] });
    const hooks = await Promise.all(Array.from({ length: 20 }, () => create(silent, `${server.url}/silent`)));
    const { id } = await create(quick, url());
    await scheme.redeem();
    await scheme.redeem();
    const begun = Date.now();
    await until(
      () => received.length,
      (count) => count === 2,
    );
    assert.ok(Date.now() - begun < 3_000, `the other key waited ${Date.now() - begun} ms`);
    assert.ok(held.length > 0 && held.length <= 16, `${held.length} attempts of one key under way`);
    server.answers.delete("/silent");
    for (const hook of hooks) await deleteWebhook(scheme.deps, ctx(silent), hook.id);
    await deleteWebhook(scheme.deps, ctx(quick), id);
    for (const answer of held) answer();
  });

  it("sends nothing more once its key is revoked, not even what waits for another attempt", async () => {
    const admin = actorOf({ role: "admin" });
    const { id: keyId } = await createApiKey(scheme.deps, ctx(admin), { role: "regulator", name: "Leaves soon" });
    const actor = actorOf({ keyId });
    const { id } = await createWebhook(scheme.deps, ctx(actor), { url: url(), events: ["voucher.redeemed"] });
    answerWith = 500;
    await scheme.redeem();
    const deliveries = () => listDeliveries(scheme.deps, ctx(actor), id, { limit: 10 });
    await until(deliveries, ({ items }) => items[0]?.lastStatus === 500);
    await revokeApiKey(scheme.deps, ctx(admin), keyId);
    const count = received.length;
    const later = openLaterSender();
    const { items } = await until(deliveries, (page) => page.items[0]?.status === "failed");
    await later.close();
    assert.deepEqual([received.length, items[0]?.lastError], [count, "The webhook's API key is no longer valid."]);
    await deleteWebhook(scheme.deps, ctx(actor), id);
  });

  it("shows a key its own webhooks only", async () => {
    const actor = actorOf();
    const { id } = await createWebhook(scheme.deps, ctx(actor), { url: url(), events: ["claim.approved"] });
    await assert.rejects(getWebhook(scheme.deps, ctx(actorOf()), id), { code: "NOT_FOUND" });
    assert.deepEqual((await listWebhooks(scheme.deps, ctx(actorOf()), { limit: 10 })).items, []);
    assert.deepEqual(
      (await listWebhooks(scheme.deps, ctx(actor), { limit: 10 })).items.map((item) => item.id),
      [id],
    );
    assert.equal((await deleteWebhook(scheme.deps, ctx(actor), id)).id, id);
    await assert.rejects(getWebhook(scheme.deps, ctx(actor), id), { code: "NOT_FOUND" });
  });

  it("answers over HTTP", async () => {
    const { app } = scheme;
    const call = (method: string, path: string, body?: unknown) => {
      const headers = { authorization: `Bearer ${testAdminKey}` };
      return app.request(`/v1${path}`, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) });
    };
    const made = await call("POST", "/webhooks", {
      url: url(),
      events: ["claim.approved"],
      secret: "0123456789abcdef",
    });
    assert.equal(made.status, 201);
    const { id } = (await made.json()) as { id: string };
    assert.equal((await call("POST", "/webhooks", { url: url(), events: ["nothing"] })).status, 400);
    assert.equal((await call("POST", "/webhooks", { url: "nonsense", events: ["*"] })).status, 400);
    // A fragment is never sent; a query is.
    const lost = await call("POST", "/webhooks", { url: `${url()}?a=1#b`, events: ["*"] });
    const { details } = (await lost.json()) as { details: { rule: string }[] };
    assert.deepEqual([lost.status, details.map(({ rule }) => rule)], [400, ["url-without-fragment"]]);
    assert.equal((await call("GET", `/webhooks/${id}/deliveries`)).status, 200);
    assert.equal((await call("POST", `/webhooks/${id}/replay`)).status, 200);
    assert.equal((await call("DELETE", `/webhooks/${id}`)).status, 200);
    assert.equal((await call("GET", `/webhooks/${id}`)).status, 404);
  });
});
