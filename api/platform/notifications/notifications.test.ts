import assert from "node:assert/strict";
import { createECDH, randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import { after, before, beforeEach, describe, it } from "node:test";
import { startTestServer, type TestServer } from "../../../test/support/http-server.ts";
import { type MailServer, type ReceivedMail, startMailServer } from "../../../test/support/mail-server.ts";
import { openTestScheme, type TestScheme, testAdminKey } from "../../../test/support/scheme.ts";
import { untilFound } from "../../../test/support/until.ts";
import { newWorkers } from "../../../test/support/workers.ts";
import { AppError } from "../errors.ts";
import type { Actor } from "../http/index.ts";
import { createApiKey, revokeApiKey } from "../keys/service.ts";
import { NoticeSender } from "./sender.ts";
import {
  changeSubscription,
  confirmAddress,
  endByLink,
  endSubscription,
  listSubscriptions,
  subscribe,
} from "./service.ts";
import type { Language } from "./texts.ts";
import { topics } from "./topics.ts";

type Decrypt = (body: Buffer, options: object) => Buffer;
const { decrypt } = createRequire(import.meta.url)("http_ece") as { decrypt: Decrypt };

let scheme: TestScheme;
let mail: MailServer;
let server: TestServer;
const everything = { topics: [...topics], language: "en" as const };

before(async () => {
  [mail, server] = await Promise.all([startMailServer(), startTestServer()]);
  scheme = await openTestScheme({ SMTP_URL: mail.url, MAIL_FROM: "Hearth <hearth@example.org>" });
});
after(async () => {
  await scheme.close();
  await mail.close();
  await server.close();
});
beforeEach(() => {
  mail.received.length = 0;
  mail.busy = false;
});

const actorOf = (changes: Partial<Actor> = {}): Actor => {
  return { keyId: `key-${randomBytes(4).toString("hex")}`, role: "regulator", scopes: [], dids: null, ...changes };
};
const newAddress = () => `reader-${randomBytes(4).toString("hex")}@example.org`;

const mailTo = (address: string, about: RegExp): Promise<ReceivedMail> =>
  untilFound(() => mail.received.find(({ to, text }) => to.includes(address) && about.test(text)));

const tokenIn = ({ text }: ReceivedMail, purpose: "confirm" | "end"): string =>
  new RegExp(`/console/notifications#${purpose}=(\\S+)`).exec(text)?.[1] ?? assert.fail(text);

/** Subscribe by e-mail and confirm. */
async function follow(actor: Actor, choices: Partial<{ topics: typeof everything.topics; language: Language }> = {}) {
  const email = newAddress();
  const { id } = await subscribe(scheme.deps, { actor }, { channel: "email", email, ...everything, ...choices });
  const asked = await mailTo(email, /confirm=/);
  await confirmAddress(scheme.deps, tokenIn(asked, "confirm"));
  return { id, email };
}

let isPaused = false;
/** An event that waits for someone: the pool is paused, or runs again. */
async function somethingHappens(): Promise<void> {
  await scheme.council("pool", isPaused ? "unpause" : "pause", []);
  isPaused = !isPaused;
}

/** Run the sender with a clock that is ahead, so that what was postponed is due. */
async function sendLater(ms: number): Promise<void> {
  const { store, box, mailer, pusher, tokens } = scheme.deps.notifications;
  const { log, config } = scheme.deps;
  const end = (id: string) => `${config.publicUrl}/console/notifications#end=${tokens.create(id, "end")}`;
  const later = new NoticeSender({
    store,
    box,
    log,
    mailer,
    pusher,
    workers: newWorkers(),
    clock: { now: () => new Date(Date.now() + ms) },
    isKeyValid: async () => true,
    linksOf: (id) => ({ console: "", confirm: "", end: end(id), endAtOnce: end(id) }),
  });
  later.start();
  later.wake();
  await new Promise((resolve) => setTimeout(resolve, 500));
  await later.close();
}

/** A browser's push subscription, whose messages this test can read as the browser would. */
function newBrowser(path: string) {
  const pair = createECDH("prime256v1");
  const p256dh = pair.generateKeys("base64url");
  const auth = randomBytes(16).toString("base64url");
  const read = (body: Buffer) =>
    JSON.parse(
      decrypt(body, { version: "aes128gcm", privateKey: pair, dh: p256dh, authSecret: auth }).toString("utf8"),
    ) as { title: string; body: string; url: string; end: { url: string; label: string } };
  return { address: { endpoint: `${server.url}${path}`, keys: { p256dh, auth } }, read };
}

/** Answer push messages at a path with a status, and keep them. */
function receivePushes(
  path: string,
  status: () => number,
): { headers: NodeJS.Dict<string | string[]>; body: Buffer }[] {
  const received: { headers: NodeJS.Dict<string | string[]>; body: Buffer }[] = [];
  server.answers.set(path, (request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      received.push({ headers: request.headers, body: Buffer.concat(parts) });
      response.writeHead(status()).end();
    });
  });
  return received;
}

const rulesOf = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail("It was not refused."),
    (error: unknown) => {
      assert.ok(error instanceof AppError);
      return [error.code, ...(error.details ?? []).map(({ rule }) => rule)];
    },
  );

describe("notifications", () => {
  it("ask the owner of an e-mail address first, and send nothing else before", async () => {
    const actor = actorOf();
    const email = newAddress();
    const made = await subscribe(scheme.deps, { actor }, { channel: "email", email, ...everything });
    assert.deepEqual([made.status, made.address], ["unconfirmed", email]);
    const asked = await mailTo(email, /confirm=/);
    await somethingHappens();
    await confirmAddress(scheme.deps, tokenIn(asked, "confirm"));
    // The link may be opened twice.
    assert.deepEqual(await confirmAddress(scheme.deps, tokenIn(asked, "confirm")), { status: "active" });
    await somethingHappens();
    const told = await mailTo(email, /pool/i);
    assert.deepEqual(
      mail.received.filter(({ to }) => to.includes(email)).map(({ text }) => /pool/i.test(text)),
      [false, true],
    );
    assert.equal(told.text.match(/^- /gm)?.length, 1, told.text);
  });

  it("speak Portuguese and Swahili too", async () => {
    const people = [
      { language: "pt", sentence: /A reserva de liquidez/, end: /Deixar de receber/ },
      { language: "sw", sentence: /Hazina imesimamishwa/, end: /Acha kupokea/ },
    ] as const;
    const addresses: string[] = [];
    for (const { language } of people) addresses.push((await follow(actorOf(), { language })).email);
    await somethingHappens();
    for (const [i, { sentence, end }] of people.entries()) {
      assert.match((await mailTo(addresses[i] ?? "", sentence)).text, end);
    }
  });

  it("speak the person's language, and end by a link or by the mail program's button", async () => {
    const actor = actorOf();
    const { id, email } = await follow(actor, { language: "fr" });
    await somethingHappens();
    const told = await mailTo(email, /La réserve/);
    assert.equal(told.from, "hearth@example.org");
    assert.equal(told.headers.get("list-unsubscribe-post"), "List-Unsubscribe=One-Click");
    const oneClick = /<(.*)>/.exec(told.headers.get("list-unsubscribe") ?? "")?.[1] ?? "";
    assert.ok(oneClick.startsWith(`${scheme.deps.config.publicUrl}/v1/notifications/end/`), oneClick);
    const answer = await scheme.app.request(new URL(oneClick).pathname, {
      method: "POST",
      headers: { "content-type": "application/x-www-form-urlencoded" },
      body: "List-Unsubscribe=One-Click",
    });
    assert.deepEqual([answer.status, await answer.json()], [200, { status: "ended" }]);
    assert.equal(await scheme.deps.notifications.store.find(id), undefined);
    // The link in the text still answers.
    assert.deepEqual(await endByLink(scheme.deps, tokenIn(told, "end")), { status: "ended" });
  });

  it("put everything that happens within ten minutes into one message", async () => {
    const { email } = await follow(actorOf(), { topics: ["pool"] });
    await somethingHappens();
    await mailTo(email, /pool/i);
    await somethingHappens();
    await somethingHappens();
    const { store } = scheme.deps.notifications;
    const row = (await store.active()).find(
      ({ sealedAddress }) => scheme.deps.notifications.box.open(sealedAddress) === email,
    );
    const due = async () => ((await store.due(row?.id ?? "", new Date(), 10)).length === 2 ? true : undefined);
    await untilFound(due);
    await sendLater(11 * 60_000);
    const mails = mail.received.filter(({ to }) => to.includes(email));
    assert.deepEqual(
      mails.slice(1).map(({ headers }) => headers.get("subject")),
      ["Hearth: something waits for you", "Hearth: 2 things wait for you"],
    );
  });

  it("reach a browser, encrypted for it alone, and end when the browser is gone", async () => {
    let status = 201;
    const pushes = receivePushes("/push", () => status);
    const browser = newBrowser("/push");
    const actor = actorOf();
    const made = await subscribe(scheme.deps, { actor }, { channel: "push", push: browser.address, ...everything });
    assert.deepEqual([made.status, made.address], ["active", new URL(server.url).host]);
    await somethingHappens();
    const [pushed] = await untilFound(() => (pushes.length > 0 ? pushes : undefined));
    const shown = browser.read(pushed?.body ?? Buffer.alloc(0));
    assert.match(shown.body, /pool/);
    assert.ok(shown.url.endsWith("/console/regulator/pool"), shown.url);
    assert.equal(shown.end.label, "End notifications");
    assert.match(shown.end.url, /\/console\/notifications#end=/);
    assert.match(String(pushed?.headers.authorization), /^vapid t=/);
    status = 410;
    await somethingHappens();
    await sendLaterUntil(async () => (await listSubscriptions(scheme.deps, { actor })).items[0]?.status === "failed");
    const [ended] = (await listSubscriptions(scheme.deps, { actor })).items;
    assert.equal(ended?.lastError, "The push service answers 410.");
  });

  it("try again while the mail server is busy, and give up an address that it refuses", async () => {
    const busy = actorOf();
    const { email } = await follow(busy);
    mail.busy = true;
    await somethingHappens();
    await untilFound(
      async () => (await listSubscriptions(scheme.deps, { actor: busy })).items[0]?.lastError ?? undefined,
    );
    mail.busy = false;
    await sendLaterUntil(() => mail.received.some(({ to, text }) => to.includes(email) && /pool/i.test(text)));
    const [item] = (await listSubscriptions(scheme.deps, { actor: busy })).items;
    assert.deepEqual([item?.status, item?.lastError], ["active", null]);

    const gone = actorOf();
    const { email: closed } = await follow(gone);
    mail.refused.add(closed);
    await somethingHappens();
    const failed = await untilFound(async () => {
      const [found] = (await listSubscriptions(scheme.deps, { actor: gone })).items;
      return found?.status === "failed" ? found : undefined;
    });
    assert.match(failed.lastError ?? "", /refuses this address \(EENVELOPE, 550\)/);
    assert.doesNotMatch(failed.lastError ?? "", new RegExp(closed));
    mail.refused.delete(closed);
    const again = { channel: "email" as const, email: closed, ...everything };
    assert.equal((await subscribe(scheme.deps, { actor: gone }, again)).status, "active");
  });

  it("remind a supplier of a claim, and forget it once the redemption has ended", async () => {
    const supplier = actorOf({ role: "supplier", supplierDid: scheme.supplierDid });
    const { id } = await follow(supplier, { topics: ["deadlines"] });
    const { store } = scheme.deps.notifications;
    const pending = (now: Date) => store.due(id, now, 10);
    const redemptionId = await scheme.redeem();
    const year = new Date(Date.now() + 365 * 24 * 60 * 60 * 1000);
    const [reminder] = await untilFound(async () => {
      const found = await pending(year);
      return found.length > 0 ? found : undefined;
    });
    assert.deepEqual([reminder?.type, reminder?.subject], ["claim.deadline_near", redemptionId]);
    assert.deepEqual(await pending(new Date()), []);
  });

  it("of an import reach the one who started it", async () => {
    const { key, id: keyId } = await createApiKey(
      scheme.deps,
      { actor: actorOf({ role: "admin" }) },
      { name: "Office", role: "admin" },
    );
    const { email } = await follow(actorOf({ role: "admin", keyId }), { topics: ["imports"] });
    const other = await follow(actorOf({ role: "admin" }), { topics: ["imports"] });
    const answer = await scheme.app.request("/v1/households/import", {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "text/csv" },
      body: "did,region\ndid:ixo:household/901,Lusaka\n",
    });
    const { operationId } = (await answer.json()) as { operationId: string };
    const told = await mailTo(email, /import/i);
    assert.ok(told.text.includes(operationId), told.text);
    assert.ok(!mail.received.some(({ to, text }) => to.includes(other.email) && text.includes(operationId)));
  });

  it("end with the key that asked for them, and delete its address", async () => {
    const admin = actorOf({ role: "admin" });
    const { id: keyId } = await createApiKey(scheme.deps, { actor: admin }, { name: "Gone", role: "regulator" });
    const { id, email } = await follow(actorOf({ keyId }));
    await revokeApiKey(scheme.deps, { actor: admin }, keyId);
    scheme.deps.notifications.follower.refresh();
    const now = new Date();
    await scheme.deps.notifications.store.add([
      { subscriptionId: id, eventId: "late", type: "pool.paused", subject: "", occurredAt: now, dueAt: now },
    ]);
    scheme.deps.notifications.sender.wake();
    await untilFound(async () => ((await scheme.deps.notifications.store.find(id)) === undefined ? true : undefined));
    assert.equal(mail.received.filter(({ to }) => to.includes(email)).length, 1);
  });

  it("refuse what nobody may ask for", async () => {
    const actor = actorOf();
    const ask = (changes: Partial<Actor>, input: object) =>
      rulesOf(subscribe(scheme.deps, { actor: { ...actor, ...changes } }, { ...everything, ...input } as never));
    const email = newAddress();
    assert.deepEqual(await ask({ sessionId: "s" }, { channel: "email", email }), ["FORBIDDEN", "lasting-key"]);
    const push = { endpoint: "https://10.0.0.1/x", keys: newBrowser("/x").address.keys };
    assert.deepEqual(await ask({}, { channel: "push", push }), ["RULE_VIOLATION", "public-address"]);
    for (let i = 0; i < 3; i++) {
      const asking = actorOf();
      const made = await subscribe(scheme.deps, { actor: asking }, { channel: "email", email, ...everything });
      await endSubscription(scheme.deps, { actor: asking }, made.id);
    }
    assert.deepEqual(await ask({}, { channel: "email", email }), ["CONFLICT", "unconfirmed-address"]);
    assert.deepEqual(await ask({}, { channel: "email", email: email.toUpperCase() }), [
      "CONFLICT",
      "unconfirmed-address",
    ]);
  });

  it("show and change only the caller's", async () => {
    const actor = actorOf();
    const { id, email } = await follow(actor);
    const stranger = { actor: actorOf({ role: "admin" }) };
    assert.deepEqual(await rulesOf(changeSubscription(scheme.deps, stranger, id, { language: "fr" })), ["NOT_FOUND"]);
    assert.deepEqual(await rulesOf(endSubscription(scheme.deps, stranger, id)), ["NOT_FOUND"]);
    assert.deepEqual(await rulesOf(endSubscription(scheme.deps, { actor }, "ns_unknown")), ["NOT_FOUND"]);
    const changed = await changeSubscription(scheme.deps, { actor }, id, { language: "fr", topics: ["pool"] });
    assert.deepEqual([changed.language, changed.topics], ["fr", ["pool"]]);
    // The same address again changes the choices; it is not asked again.
    const again = await subscribe(scheme.deps, { actor }, { channel: "email", email, ...everything });
    assert.deepEqual([again.id, again.status, again.language], [id, "active", "en"]);
    const { items } = await listSubscriptions(scheme.deps, { actor });
    assert.deepEqual(
      items.map((each) => each.id),
      [id],
    );
  });

  it("answer over HTTP, and need a key but for the links", async () => {
    const call = (method: string, path: string, body?: object, key: string | null = testAdminKey) =>
      scheme.app.request(`/v1/notifications${path}`, {
        method,
        headers: { ...(key === null ? {} : { authorization: `Bearer ${key}` }), "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    const channels = (await (await call("GET", "/channels")).json()) as { email: boolean; push: { publicKey: string } };
    assert.deepEqual([channels.email, channels.push.publicKey.length], [true, 87]);
    const email = newAddress();
    const made = await call("POST", "", { channel: "email", email });
    assert.equal(made.status, 201);
    const { id } = (await made.json()) as { id: string };
    assert.equal((await call("POST", "", { channel: "email", email: "no address" })).status, 400);
    assert.equal((await call("GET", "", undefined, null)).status, 401);
    assert.equal((await call("DELETE", "/end", undefined, null)).status, 401);
    for (const path of ["/confirm", "/end"]) {
      assert.equal((await call("POST", path, { token: "x".repeat(60) }, null)).status, 404, path);
    }
    // A link for one purpose does not serve the other.
    const asked = await mailTo(email, /confirm=/);
    assert.equal((await call("POST", "/end", { token: tokenIn(asked, "confirm") }, null)).status, 404);
    const confirmed = await call("POST", "/confirm", { token: tokenIn(asked, "confirm") }, null);
    assert.deepEqual(await confirmed.json(), { status: "active" });
    assert.equal((await call("DELETE", `/${id}`)).status, 200);
    assert.equal((await call("DELETE", `/${id}`)).status, 404);
  });
});

async function sendLaterUntil(isDone: () => boolean | Promise<boolean>): Promise<void> {
  await untilFound(async () => {
    if (await isDone()) return true;
    await sendLater(15 * 60_000);
    return undefined;
  });
}
