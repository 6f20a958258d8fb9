// Wrong PINs raise an alarm for the scheme's staff, without saying whose PIN it is.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eq } from "drizzle-orm";
import { implementerDid, otherImplementerDid } from "../../../../test/support/campaigns.ts";
import { type MailServer, startMailServer } from "../../../../test/support/mail-server.ts";
import { type Caller, openRegistryTest, type RegistryTest, requireStatus } from "../../../../test/support/registry.ts";
import { untilFound } from "../../../../test/support/until.ts";
import { notificationSubscriptions } from "../../../platform/notifications/tables.ts";
import { sealingKeysOf } from "../../../platform/secret-box.ts";
import { pinNotices } from "./notices.ts";
import { Pins } from "./pins.ts";

const schemeKey = "5a".repeat(32);
const hourMs = 3_600_000;
const right = "735914";
const shop = "did:ixo:supplier/guesser";
let mail: MailServer;
let registry: RegistryTest;
let implementer: Caller;
/** The PINs, with a clock that the test moves. */
let pins: Pins;
let now = Date.now();
/** Households with a PIN, and the card of the first one. */
const households: string[] = [];
let cardId = "";

before(async () => {
  mail = await startMailServer();
  registry = await openRegistryTest({
    SCHEME_KEY: schemeKey,
    SMTP_URL: mail.url,
    MAIL_FROM: "Hearth <hearth@example.org>",
  });
  implementer = await registry.as("implementer", { implementerDid });
  await registry.as("implementer", { implementerDid: otherImplementerDid });
  const { db } = registry.deps;
  pins = new Pins({ db, clock: { now: () => new Date(now) }, sealingKeys: sealingKeysOf(schemeKey) });
  for (let i = 0; i < 11; i += 1) {
    const did = `did:ixo:household/locked-${i}`;
    requireStatus(await implementer("POST", "/households", { did }), 201);
    requireStatus(await implementer("PUT", `/households/${encodeURIComponent(did)}/pin`, { pin: right }), 200);
    households.push(did);
  }
  requireStatus(await implementer("POST", "/card-batches", { count: 1, language: "en" }), 201);
  const { items } = (await implementer("GET", "/cards")).body as { items: { cardId: string }[] };
  cardId = items[0]?.cardId ?? "";
  requireStatus(await implementer("POST", `/cards/${cardId}/link`, { householdDid: households[0] }), 200);
});
after(async () => {
  await registry?.close();
  await mail?.close();
});

const indexOf = async (did: string) => (await registry.deps.registry.households.byDid(did))?.household ?? 0;

/** Lock a household's PIN for a caller, and answer the rule of each try. */
async function lock(did: string, caller = shop): Promise<void> {
  const household = await indexOf(did);
  for (let i = 0; i < 5; i += 1) {
    const [broken] = await pins.check(household, "904417", caller);
    assert.equal(broken?.rule, "pin-correct");
  }
}

const reader = (role: "admin" | "regulator" | "implementer" | "supplier", did: string | null = null) => ({
  keyId: "key",
  role,
  supplierDid: role === "supplier" ? shop : null,
  implementerDid: did,
  scopes: [],
  dids: null,
});
const noticesOf = (by: ReturnType<typeof reader>) =>
  pinNotices({ ...registry.deps, pins }).read(by, new Date(now - 7 * 24 * hourMs));
const typesOf = async (by: ReturnType<typeof reader>) => (await noticesOf(by)).map(({ type }) => type);

async function metric(name: string): Promise<number> {
  const text = await (await registry.app.request("/metrics")).text();
  return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
}

test("a PIN that is locked for a week is shown to its field team and to authorities, by its card", async () => {
  const start = now;
  const email = "field-team@example.org";
  requireStatus(await implementer("POST", "/notifications", { channel: "email", email, topics: ["cards"] }), 201);
  const confirmed = await untilFound(() => mail.received.find(({ to }) => to.includes(email)));
  const token = /#confirm=(\S+)/.exec(confirmed.text)?.[1];
  const answer = await registry.app.request("/v1/notifications/confirm", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ token }),
  });
  assert.equal(answer.status, 200, await answer.text());
  // It began to wait for notices before these locks, which are in the past of the test's clock.
  const { db } = registry.deps;
  const earlier = { createdAt: new Date(start - 5 * 24 * hourMs) };
  await db.update(notificationSubscriptions).set(earlier).where(eq(notificationSubscriptions.channel, "email"));
  for (const days of [3, 1.9, 0.1]) {
    now = start - days * 24 * hourMs;
    await lock(households[0] ?? "");
  }
  now = start;
  const mine = await noticesOf(reader("implementer", implementerDid));
  assert.deepEqual(
    mine.map(({ type, subject }) => [type, subject]),
    [["pin.locked_week", cardId]],
  );
  assert.deepEqual(await typesOf(reader("regulator")), ["pin.locked_week"]);
  for (const other of [reader("implementer", otherImplementerDid), reader("supplier")]) {
    assert.deepEqual(await typesOf(other), []);
  }
  assert.equal(await metric("hearth_pins_locked_week"), 1);
  const sent = await untilFound(() => mail.received.find(({ text }) => /locked for a week/.test(text)));
  assert.match(sent.text, new RegExp(cardId));
  assert.doesNotMatch(sent.text, /household\/|supplier\//);
  // A new PIN ends the lock, and the alarm.
  const path = `/households/${encodeURIComponent(households[0] ?? "")}/pin`;
  requireStatus(await implementer("PUT", path, { pin: "290471", reason: "Somebody guessed" }), 200);
  assert.deepEqual(await typesOf(reader("admin")), []);
});

test("many PINs that are locked within an hour are one notice, and a figure for the alert", async () => {
  const start = now;
  for (const [i, did] of households.slice(1).entries()) {
    now = start - (50 - 4 * i) * 60_000;
    await lock(did);
    if (i === 8) assert.deepEqual(await typesOf(reader("admin")), []);
  }
  now = start;
  const [notice, ...more] = await noticesOf(reader("admin"));
  assert.deepEqual([notice?.type, notice?.subject, more.length], ["pin.many_locked", "10", 0]);
  assert.equal((await noticesOf(reader("admin")))[0]?.id, notice?.id);
  assert.deepEqual(await typesOf(reader("implementer", otherImplementerDid)), []);
  const found = await untilFound(async () =>
    (await metric("hearth_pins_locked_last_hour")) === 10 ? true : undefined,
  );
  assert.ok(found);
  // Four further tries of a right PIN and one that is right lock nothing.
  now = start + 2 * hourMs;
  assert.deepEqual(await pins.check(await indexOf(households[0] ?? ""), "290471", shop), []);
  assert.deepEqual(await pins.countLocks(), { forWeek: 0, lastHour: 0 });
});
