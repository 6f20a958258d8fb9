import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { implementerDid, otherImplementerDid } from "../../../test/support/campaigns.ts";
import { sendInterrupted } from "../../../test/support/interrupted.ts";
import {
  type Answer,
  type Caller,
  openRegistryTest,
  type RegistryTest,
  registerHouseholds,
  requireStatus,
  rulesOf,
} from "../../../test/support/registry.ts";
import { cardCode, cardQrText } from "../../../wire/src/card-code.ts";
import type { BatchResponse, CardResponse, CardWithChanges } from "./schemas.ts";

let registry: RegistryTest;
let implementer: Caller;
let stranger: Caller;
let regulator: Caller;
before(async () => {
  registry = await openRegistryTest();
  implementer = await registry.as("implementer", { implementerDid });
  stranger = await registry.as("implementer", { implementerDid: otherImplementerDid });
  regulator = await registry.as("regulator");
});
after(() => registry?.close());

const bodyOf = <T>(answer: Answer, status = 200) => requireStatus(answer, status).body as T;
type Page<T> = { items: T[]; nextCursor: string | null };

/** Makes cards and answers their ids, in the order of the sheets. */
async function newCards(count: number): Promise<string[]> {
  const made = await implementer("POST", "/card-batches", { count, language: "fr" });
  const { batchId } = bodyOf<BatchResponse>(made, 201);
  const { items } = bodyOf<Page<CardResponse>>(await implementer("GET", `/cards?batchId=${batchId}`));
  return items.map(({ cardId }) => cardId);
}

let households = 0;
async function newHousehold(call = implementer): Promise<string> {
  households += 1;
  const householdDid = `did:ixo:household/with-card-${households}`;
  requireStatus(await call("POST", "/households", { did: householdDid }), 201);
  return householdDid;
}

async function linkedCard(cardId: string): Promise<string> {
  const householdDid = await newHousehold();
  requireStatus(await implementer("POST", `/cards/${cardId}/link`, { householdDid }), 200);
  return householdDid;
}

test("makes a batch of cards with different ids, once for an Idempotency-Key, and lists them page by page", async () => {
  const order = { count: 60, language: "sw" };
  const once = { "idempotency-key": "cards-once" };
  const made = bodyOf<BatchResponse>(await implementer("POST", "/card-batches", order, once), 201);
  assert.partialDeepStrictEqual(made, { ...order, implementerDid });
  assert.deepEqual(bodyOf(await implementer("POST", "/card-batches", order, once), 201), made);
  assert.deepEqual(bodyOf(await regulator("GET", `/card-batches/${made.batchId}`)), made);
  const path = `/cards?batchId=${made.batchId}&limit=50`;
  const first = bodyOf<Page<CardResponse>>(await implementer("GET", path));
  const second = bodyOf<Page<CardResponse>>(await implementer("GET", `${path}&cursor=${first.nextCursor}`));
  const cards = [...first.items, ...second.items];
  assert.deepEqual(
    cards.map(({ place, status }) => [place, status]),
    Array.from({ length: 60 }, (_, i) => [i + 1, "issued"]),
  );
  assert.equal(new Set(cards.map(({ cardId }) => cardId)).size, 60);
  for (const { cardId } of cards) assert.match(cardId, /^\d{11}$/);
  const batches = bodyOf<Page<BatchResponse>>(await implementer("GET", "/card-batches")).items;
  assert.ok(batches.some(({ batchId }) => batchId === made.batchId));
  assert.deepEqual(bodyOf<Page<BatchResponse>>(await stranger("GET", "/card-batches")).items, []);
});

test("makes a batch, changes a card and sets a PIN once also when a kill came before the response", async () => {
  const order = { count: 2, language: "en" };
  const batch = (await sendInterrupted(
    registry,
    (headers) => implementer("POST", "/card-batches", order, headers),
    201,
  )) as BatchResponse;
  const { items: batches } = bodyOf<Page<BatchResponse>>(await implementer("GET", "/card-batches"));
  assert.equal(batches.filter(({ count }) => count === 2 && batch.count === 2).length, 1);
  const { items } = bodyOf<Page<CardResponse>>(await implementer("GET", `/cards?batchId=${batch.batchId}`));
  const [cardId = "", newCardId = ""] = items.map((each) => each.cardId);
  const householdDid = await newHousehold();
  for (const [act, body] of [
    ["link", { householdDid }],
    ["activate", undefined],
    ["block", { reason: "Lost at the market" }],
    ["replace", { newCardId, reason: "Lost at the market" }],
  ] as const) {
    await sendInterrupted(registry, (headers) => implementer("POST", `/cards/${cardId}/${act}`, body, headers), 200);
  }
  const { changes } = bodyOf<CardWithChanges>(await implementer("GET", `/cards/${cardId}`));
  assert.deepEqual(
    changes.map(({ status }) => status),
    ["linked", "active", "blocked", "replaced"],
  );
  const path = `/households/${encodeURIComponent(householdDid)}/pin`;
  await sendInterrupted(registry, (headers) => implementer("PUT", path, { pin: "806152" }, headers), 200);
  const another = { pin: "290471", reason: "Forgotten" };
  const state = await sendInterrupted(registry, (headers) => implementer("PUT", path, another, headers), 200);
  assert.deepEqual(
    (state as { changes: { reason: string | null }[] }).changes.map(({ reason }) => reason),
    [null, "Forgotten"],
  );
});

test("refuses a batch without a registered implementer, for another one, and of too many cards", async () => {
  const order = { count: 1, language: "en" };
  const nobody = await registry.admin("POST", "/card-batches", order);
  assert.deepEqual([nobody.status, rulesOf(nobody)], [400, ["implementer-registered"]]);
  const unknown = await registry.admin("POST", "/card-batches", { ...order, implementerDid: "did:ixo:implementer/0" });
  assert.deepEqual([unknown.status, rulesOf(unknown)], [400, ["implementer-registered"]]);
  assert.equal(
    (await implementer("POST", "/card-batches", { ...order, implementerDid: otherImplementerDid })).status,
    403,
  );
  assert.equal((await regulator("POST", "/card-batches", order)).status, 403);
  assert.equal((await implementer("POST", "/card-batches", { ...order, count: 100_001 })).status, 400);
});

test("links a card to a household that has none, and records who did what", async () => {
  const [cardId, other] = await newCards(2);
  const householdDid = await linkedCard(cardId ?? "");
  const again = await implementer("POST", `/cards/${cardId}/link`, { householdDid });
  assert.deepEqual([again.status, rulesOf(again)], [409, ["one-card", "status-allows"]]);
  const second = await implementer("POST", `/cards/${other}/link`, { householdDid });
  assert.deepEqual([second.status, rulesOf(second)], [409, ["one-card"]]);
  requireStatus(await implementer("POST", `/cards/${cardId}/activate`), 200);
  const twice = await implementer("POST", `/cards/${cardId}/activate`);
  assert.deepEqual([twice.status, rulesOf(twice)], [409, ["status-allows"]]);
  const shown = bodyOf<CardWithChanges>(await implementer("GET", `/cards/${cardId}`));
  assert.partialDeepStrictEqual(shown, { status: "active", householdDid });
  for (const pasted of [cardCode(cardId ?? ""), encodeURIComponent(cardQrText(cardId ?? ""))]) {
    assert.deepEqual(bodyOf(await implementer("GET", `/cards/${pasted}`)), shown);
  }
  const wrong = `${cardId}${(Number(cardCode(cardId ?? "").at(-1)) + 1) % 10}`;
  assert.equal((await implementer("GET", `/cards/${wrong}`)).status, 400);
  assert.deepEqual(
    shown.changes.map(({ status, role }) => [status, role]),
    [
      ["linked", "implementer"],
      ["active", "implementer"],
    ],
  );
  const ofHousehold = await implementer("GET", `/cards?householdDid=${encodeURIComponent(householdDid)}`);
  assert.deepEqual(
    bodyOf<Page<CardResponse>>(ofHousehold).items.map((each) => each.cardId),
    [cardId],
  );
});

test("links only one of two cards that are linked to a household at the same time", async () => {
  const ids = await newCards(2);
  const householdDid = await newHousehold();
  const answers = await Promise.all(ids.map((id) => implementer("POST", `/cards/${id}/link`, { householdDid })));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
});

test("blocks a card, and replaces it: the old one ends and the new one is the household's", async () => {
  const [old, next, third] = (await newCards(3)) as [string, string, string];
  const householdDid = await linkedCard(old);
  requireStatus(await implementer("POST", `/cards/${old}/block`, { reason: "Lost at the market" }), 200);
  const again = await implementer("POST", `/cards/${old}/block`, { reason: "Lost" });
  assert.deepEqual([again.status, rulesOf(again)], [409, ["status-allows"]]);
  const replacement = { newCardId: next, reason: "Lost at the market" };
  const given = bodyOf<CardWithChanges>(await implementer("POST", `/cards/${old}/replace`, replacement));
  assert.partialDeepStrictEqual(given, { cardId: next, status: "linked", householdDid });
  const ended = bodyOf<CardWithChanges>(await implementer("GET", `/cards/${old}`));
  assert.partialDeepStrictEqual(ended, { status: "replaced", replacedBy: next, householdDid });
  const twice = await implementer("POST", `/cards/${old}/replace`, { ...replacement, newCardId: third });
  assert.deepEqual([twice.status, rulesOf(twice)], [409, ["status-allows"]]);
  const taken = await implementer("POST", `/cards/${next}/replace`, { ...replacement, newCardId: next });
  assert.deepEqual([taken.status, rulesOf(taken)], [409, ["status-allows"]]);
  const still = bodyOf<CardWithChanges>(await implementer("GET", `/cards/${next}`));
  assert.equal(still.status, "linked");
});

test("replaces a card by only one of two at the same time, and by none of another implementer", async () => {
  const [old, ...next] = (await newCards(3)) as [string, string, string];
  await linkedCard(old);
  const reason = "Stolen";
  const answers = await Promise.all(
    next.map((newCardId) => implementer("POST", `/cards/${old}/replace`, { newCardId, reason })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 409]);
  const foreign = bodyOf<BatchResponse>(await stranger("POST", "/card-batches", { count: 1, language: "en" }), 201);
  const theirs = bodyOf<Page<CardResponse>>(await stranger("GET", `/cards?batchId=${foreign.batchId}`)).items[0]
    ?.cardId;
  const current = next[answers.findIndex(({ status }) => status === 200)];
  assert.equal((await implementer("POST", `/cards/${current}/replace`, { newCardId: theirs, reason })).status, 404);
  const mixed = await registry.admin("POST", `/cards/${current}/replace`, { newCardId: theirs, reason });
  assert.deepEqual([mixed.status, rulesOf(mixed)], [409, ["same-implementer"]]);
});

test("answers another implementer's card, batch and household like unknown ones", async () => {
  const [cardId] = (await newCards(1)) as [string];
  const { batchId } = bodyOf<CardResponse>(await implementer("GET", `/cards/${cardId}`));
  const withoutId = ({ status, body }: Answer, id: string) =>
    `${status} ${(body as { message: string }).message.replace(id, "")}`;
  const unknown = cardId === "00000000000" ? "00000000001" : "00000000000";
  for (const [known, none, path] of [
    [cardId, unknown, "/cards/"],
    [batchId, "01JDHB3ZK2V9WQXTM5C6R7Y8FA", "/card-batches/"],
  ] as const) {
    const theirs = withoutId(await stranger("GET", `${path}${known}`), known);
    assert.equal(theirs, withoutId(await stranger("GET", `${path}${none}`), none));
    assert.match(theirs, /^404/);
  }
  assert.equal((await stranger("POST", `/cards/${cardId}/block`, { reason: "x" })).status, 404);
  assert.equal((await stranger("GET", `/card-batches/${batchId}/sheets`)).status, 404);
  await registerHouseholds(registry.admin, ["did:ixo:household/of-the-scheme"]);
  const theirs = { householdDid: "did:ixo:household/of-the-scheme" };
  assert.equal((await implementer("POST", `/cards/${cardId}/link`, theirs)).status, 404);
  assert.deepEqual(bodyOf<Page<CardResponse>>(await stranger("GET", "/cards?status=issued")).items.length, 1);
});

test("keeps cards out of the audit", async () => {
  const [cardId] = (await newCards(1)) as [string];
  requireStatus(await implementer("POST", `/cards/${cardId}/block`, { reason: "x" }), 409);
  const { items } = bodyOf<Page<{ route: string; subject: string }>>(
    await registry.admin("GET", "/admin/changes?limit=50"),
  );
  assert.ok(items.some(({ route }) => route === "POST /v1/cards/{cardId}/block"));
  assert.ok(!JSON.stringify(items).includes(cardId));
});
