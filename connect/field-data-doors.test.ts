import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { messageFor } from "../api/platform/events/visibility.ts";
import type { Actor } from "../api/platform/http/index.ts";
import { scopes } from "../api/platform/http/scopes.ts";
import { generateKey } from "../api/platform/ucan/mint.ts";
import { implementerDid, otherImplementerDid, planId, registerPlans } from "../test/support/campaigns.ts";
import { type CollectedHousehold, collectHousehold } from "../test/support/collected-household.ts";
import { testAdminKey } from "../test/support/core.ts";
import { usePhone } from "../test/support/odk-phone.ts";
import { turnOf } from "../test/support/oracle/agent.ts";
import { mintOracleToken } from "../test/support/oracle/oracle.ts";
import {
  type Answer,
  type Caller,
  openRegistryTest,
  type RegistryTest,
  requireStatus,
} from "../test/support/registry.ts";

// Like doors.test.ts, but for requests that carry a secret or an id in their body or query, and for what the server writes by itself.

const number = "+260971777666";
const serial = "SERIAL-OF-THE-MILL";
const pin = "735914";

let t: RegistryTest;
let logged = "";
let theirs: CollectedHousehold;
let team: Caller;
let cardId: string;
let strangers: [name: string, call: Caller][];
/** Callers whose key is not valid for `/v1` any more, or never was. */
let refused: [name: string, authorization: string | undefined][];

before(async () => {
  const env = { REQUESTS_PER_MINUTE: "1000000", TRUST_PROXY: "1", LOG_LEVEL: "debug" };
  t = await openRegistryTest(env, {}, (line) => {
    logged += line;
  });
  await registerPlans(t);
  team = await t.as("implementer", { implementerDid });
  theirs = await collectHousehold(t, { implementerDid });
  const { did } = theirs;
  requireStatus(await team("PUT", `/households/${encodeURIComponent(did)}/pin`, { pin }), 200);
  requireStatus(await team("POST", "/phones", { householdDid: did, number, language: "en" }), 201);
  const device = { serial, model: "Jiko", planId, householdDid: did, installedOn: "2024-01-01" };
  requireStatus(await team("POST", "/devices", device), 201);
  const { batchId } = (await team("POST", "/card-batches", { count: 1, language: "en" })).body as { batchId: string };
  const cards = (await team("GET", `/cards?batchId=${batchId}`)).body as { items: { cardId: string }[] };
  cardId = cards.items[0]?.cardId ?? "";
  requireStatus(await team("POST", `/cards/${cardId}/link`, { householdDid: did }), 200);
  const foreign = { scopes: [...scopes], dids: [otherImplementerDid] };
  strangers = [
    ["another implementer", await t.as("implementer", { implementerDid: otherImplementerDid })],
    ["an integrator of others, with every scope", await t.as("integrator", foreign)],
  ];
  refused = [
    ["nobody", undefined],
    ["a revoked key", `Bearer ${await revokedKey()}`],
    ["the token of a collector", `Bearer ${tokenOf(theirs)}`],
    ["the password of a collector", `Bearer ${theirs.collector.password}`],
  ];
});
after(() => t?.close());

async function revokedKey(): Promise<string> {
  const { body } = await t.admin("POST", "/keys", { name: "gone", role: "implementer", implementerDid });
  const { id, key } = body as { id: string; key: string };
  requireStatus(await t.admin("DELETE", `/keys/${id}`), 200);
  return key;
}

const tokenOf = ({ collector }: CollectedHousehold) => collector.url.split("/key/")[1] ?? "";

/** What only the household has, or only its records. */
const marks = () => [
  theirs.did.slice("did:ixo:household/".length),
  theirs.region,
  encodeURIComponent(theirs.region),
  "15.416789",
  "28.283389",
  "of the mill",
  "z6MkOfTheMill",
  "mill.jpg",
  serial,
  number,
  number.slice(1),
  pin,
  cardId,
  tokenOf(theirs),
  theirs.collector.password,
];
const foundIn = (text: string) => marks().filter((mark) => text.includes(mark));

/** An answer without its request's id, and without what it was asked for. */
function said({ status, body }: Answer, ...asked: string[]): string {
  const { requestId: _, ...rest } = (body ?? {}) as Record<string, unknown>;
  return asked.reduce((text, each) => text.replaceAll(each, "{asked}"), `${status} ${JSON.stringify(rest)}`);
}

describe("what one team has collected", () => {
  it("is named to others in a body or a query like what does not exist", async () => {
    const { did } = theirs;
    const none = "did:ixo:household/unknown";
    const [other] = strangers;
    const own = (await other?.[1]("POST", "/card-batches", { count: 1, language: "en" }))?.body as { batchId: string };
    const cards = (await other?.[1]("GET", `/cards?batchId=${own.batchId}`))?.body as { items: { cardId: string }[] };
    const ownCard = cards.items[0]?.cardId ?? "";
    const unknownCard = "00000000000";
    const asks: [
      method: string,
      path: (of: string) => string,
      body: (of: string) => unknown,
      known: string,
      unknown: string,
    ][] = [
      ["GET", (of) => `/phones?householdDid=${encodeURIComponent(of)}`, () => undefined, did, none],
      ["POST", () => "/phones", (of) => ({ householdDid: of, number: "+260971000009", language: "en" }), did, none],
      ["POST", () => "/phones/removals", (of) => ({ householdDid: of, number }), did, none],
      ["PUT", (of) => `/households/${encodeURIComponent(of)}/pin`, () => ({ pin: "846021", reason: "x" }), did, none],
      ["POST", () => `/cards/${ownCard}/link`, (of) => ({ householdDid: of }), did, none],
      ["GET", (of) => `/cards?householdDid=${encodeURIComponent(of)}`, () => undefined, did, none],
      ["POST", () => `/cards/${ownCard}/replace`, (of) => ({ newCardId: of, reason: "x" }), cardId, unknownCard],
      ["POST", () => "/cards/lookup", (of) => ({ code: of }), cardId, unknownCard],
      ["GET", (of) => `/search?q=${encodeURIComponent(of)}`, () => undefined, did, none],
      ["GET", (of) => `/devices?planId=${of}`, () => undefined, planId, "PLAN-UNKNOWN"],
      ["GET", (of) => `/scales?planId=${of}`, () => undefined, planId, "PLAN-UNKNOWN"],
      ["GET", (of) => `/vouchers?recipientDid=${encodeURIComponent(of)}`, () => undefined, did, none],
      ["GET", (of) => `/odk/submissions?collectorId=${of}`, () => undefined, theirs.collector.id, "aaaaaaaaaaaa"],
      ["GET", (of) => `/odk/progress?collectorId=${of}`, () => undefined, theirs.collector.id, "aaaaaaaaaaaa"],
    ];
    const wrong: string[] = [];
    for (const [name, call] of strangers) {
      for (const [method, path, body, known, unknown] of asks) {
        const [one, two] = [
          await call(method, path(known), body(known)),
          await call(method, path(unknown), body(unknown)),
        ];
        const [saidOne, saidTwo] = [said(one, known), said(two, unknown)];
        if (saidOne !== saidTwo) wrong.push(`${name} ${method} ${path("…")}: ${saidOne}, not ${saidTwo}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("is not answered to a revoked key or a collector's secret, on any route of /v1, /api/fs, /mcp or the oracle", async () => {
    const { paths } = JSON.parse(await readFile(new URL("../openapi.json", import.meta.url), "utf8")) as {
      paths: Record<string, Record<string, { security?: unknown[] }>>;
    };
    const wrong: string[] = [];
    let asked = 0;
    for (const [path, methods] of Object.entries(paths)) {
      for (const [method, { security }] of Object.entries(methods)) {
        if (security?.length === 0) continue;
        const address = path.replaceAll(/\{[^}]+\}/g, encodeURIComponent(theirs.did));
        for (const [name, authorization] of refused) {
          // One address may fail a limited number of times a minute.
          const headers: Record<string, string> = { "x-forwarded-for": `10.${asked % 4}.0.${asked % 8}` };
          if (authorization !== undefined) headers.authorization = authorization;
          const body = method === "get" ? {} : { body: "{}" };
          const answer = await t.app.request(address, { method: method.toUpperCase(), headers, ...body });
          asked += 1;
          const text = await answer.text();
          const seen = foundIn(text.replaceAll(theirs.did, "").replaceAll(encodeURIComponent(theirs.did), ""));
          if (answer.status !== 401 || seen.length > 0)
            wrong.push(`${name} ${method} ${path}: ${answer.status} ${seen}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(asked > 800, `${asked} requests`);
  });

  it("is not shown by the link of another collector, of another or the same team", async () => {
    const wrong: string[] = [];
    const about = { collectorDid: "did:key:z6MkOther", forms: ["household"] };
    const made = async (body: object) =>
      requireStatus(await t.admin("POST", "/odk/collectors", { ...about, ...body }), 201).body as { url: string };
    const elsewhere = await made({ name: "Elsewhere", implementerDid: otherImplementerDid });
    const beside = await made({ name: "Beside", implementerDid });
    const record = (await team("GET", `/odk/submissions/${theirs.refused}`)).body as { instanceId: string };
    for (const { url } of [elsewhere, beside]) {
      const phone = usePhone(t.app, url);
      const { version } = await phone.form("household-registration");
      const send = async (instanceId: string, deprecated = "") => {
        const meta = `<meta><instanceID>${instanceId}</instanceID>${deprecated}</meta>`;
        const xml = `<data id="household-registration" version="${version}"><did>did:x:1</did>${meta}</data>`;
        return await (await phone.send(xml)).text();
      };
      const texts = [
        await (await phone.get("/formList")).text(),
        await (await phone.get("/forms/household-registration")).text(),
        await (await phone.get("/forms/household-registration/manifest")).text(),
        await send(record.instanceId),
        await send(`uuid:edit-of-${url.length}`, `<deprecatedID>${record.instanceId}</deprecatedID>`),
        await (await phone.get(`/../../../v1/odk/submissions/${theirs.refused}`)).text(),
        await (await phone.get("/forms/..%2f..%2fsubmissions/files/households.csv")).text(),
      ];
      for (const text of texts) if (foundIn(text).length > 0) wrong.push(`${foundIn(text)}: ${text.slice(0, 200)}`);
    }
    assert.deepEqual(wrong, []);
  });

  it("is shown to nobody by the oracle, whatever tool others ask for", async () => {
    const wrong: string[] = [];
    const { did } = theirs;
    const { oracle } = t.deps;
    const asks = [
      `/tool where_is {"id":"${did}"}`,
      `/tool trace {"id":"${did}"}`,
      `/tool query_index {"sql":"select * from odk_submissions"}`,
      `/tool list_campaigns {}`,
      `/tool list_vouchers {"recipientDid":"${did}"}`,
    ];
    for (const [name, call] of [["nobody", undefined] as const, ...strangers]) {
      const key = await generateKey();
      const invocation = await mintOracleToken({ issuer: key, audience: oracle.did });
      if (call !== undefined) requireStatus(await call("POST", "/oracle-access", { invocation }), 200);
      for (const message of asks) {
        const session = {
          id: "$s",
          roomId: "room",
          loadedPlugins: ["indexer", "kpt", "vouchers", "claims"],
          state: {},
        };
        const turn = turnOf(message, { user: key.did(), session });
        await oracle.agent.runTurn(turn);
        const text = JSON.stringify([turn.events, turn.said()])
          .replaceAll(did, "")
          .replaceAll(encodeURIComponent(did), "");
        if (foundIn(text).length > 0) wrong.push(`${name} ${message}: ${foundIn(text)}`);
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("is in no event and no webhook, but for a household's DID where the key may see it", async () => {
    const { hub } = t.deps.events;
    const none = { keyId: "test", scopes: [...scopes], dids: null };
    const actors: Actor[] = [
      { ...none, role: "implementer", implementerDid: otherImplementerDid },
      { ...none, role: "supplier", supplierDid: "did:ixo:supplier/other" },
      { ...none, role: "integrator", dids: [otherImplementerDid] },
      { ...none, role: "implementer", implementerDid },
      { ...none, role: "evaluator" },
      { ...none, role: "admin" },
    ];
    let seen = 0;
    for (const actor of actors) {
      const isOther = actors.indexOf(actor) < 3;
      for await (const { events } of hub.readRange(0n, (await t.deps.chain.latest()).number)) {
        for (const event of events) {
          const message = messageFor(actor, event);
          if (message === undefined) continue;
          seen += 1;
          const text = JSON.stringify(message);
          assert.deepEqual(foundIn(isOther ? text : text.replaceAll(theirs.did, "")), [], `${actor.role} ${text}`);
        }
      }
    }
    assert.ok(seen > 5, `${seen} events`);
  });

  it("is in no metric, no readiness report and no log of its requests", async () => {
    const ask = (path: string, init: RequestInit = {}) =>
      t.app.request(path, { ...init, headers: { authorization: `Bearer ${testAdminKey}`, ...init.headers } });
    const did = encodeURIComponent(theirs.did);
    const post = (path: string, body: object, method = "POST") => ask(path, { method, body: JSON.stringify(body) });
    const phone = usePhone(t.app, theirs.collector.url);
    await (await phone.get("/formList")).text();
    await (await phone.send("<data/>")).text();
    for (const answer of [
      await ask(`/v1/households/${did}`),
      await ask(`/v1/households?region=${encodeURIComponent(theirs.region)}`),
      await ask(`/v1/odk/submissions/${theirs.refused}`),
      await ask(`/v1/odk/submissions/${theirs.refused}/files/mill.jpg`),
      await ask(`/v1/devices/${serial}`),
      await ask(`/v1/devices/${serial.toLowerCase()}%20`),
      await ask(`/v1/cards/${cardId}`),
      await ask(`/v1/cards/HC1:${cardId}:0`),
      await ask(`/v1/cards/${cardId.slice(0, 4)}%20${cardId.slice(4)}`),
      await ask(`/v1/phones?householdDid=${did}`),
      await post("/v1/phones", { householdDid: theirs.did, number, language: "en" }),
      await post(`/v1/households/${did}/pin`, { pin: `${pin}x` }, "PUT"),
      await post("/v1/odk/collectors", { name: "Maria of the mill", collectorDid: 1 }),
      await ask("/odk/formList", { headers: { authorization: `Digest username="${theirs.collector.password}"` } }),
      await ask(`/nowhere/${tokenOf(theirs)}`),
      await ask(`/odk//key/${tokenOf(theirs)}/formList`),
      await ask(`/odk/key/${tokenOf(theirs)}`),
      await ask(`/odk/key/%2F${tokenOf(theirs)}`),
    ]) {
      await answer.text();
    }
    const metrics = await (await t.app.request("/metrics")).text();
    const ready = await (await t.app.request("/ready")).text();
    assert.match(metrics, /http_request_duration_seconds_count/);
    assert.ok(logged.split("\n").length > 15, logged);
    assert.deepEqual(foundIn(metrics), [], "metrics");
    assert.deepEqual(foundIn(ready), [], "readiness");
    const lines = logged.split("\n").filter((line) => foundIn(line).length > 0);
    assert.deepEqual(lines, []);
  });
});
