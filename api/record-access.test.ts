import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { collectHousehold } from "../test/support/collected-household.ts";
import { createIssuer } from "../test/support/credentials.ts";
import {
  exampleCampaign,
  exampleClaim,
  holdCampaign,
  kptPlan,
  made,
  referenceClaim,
  registerPlan,
} from "../test/support/kpt.ts";
import {
  type Answer,
  accountOf,
  type Caller,
  exampleCertificate,
  openRegistryTest,
  type RegistryTest,
  withCredential,
} from "../test/support/registry.ts";
import { attributes } from "../test/support/vouchers.ts";
import { encodeClaimId, encodeKptClaimId, encodeRedemptionId, encodeVoucherId } from "../wire/src/ids.ts";
import type { Role } from "./platform/http/request-context.ts";
import { scopes } from "./platform/http/scopes.ts";
import { describeApi } from "./platform/server/docs.ts";

type Operation = {
  security?: unknown[];
  "x-callers"?: { roles: Role[]; integratorScopes?: string[] };
};
type Route = { method: string; path: string; callers: NonNullable<Operation["x-callers"]> };
/** A key of a role and what it may do, as a test's message names it. */
type Key = { name: string; role: Role; scopes: readonly string[]; call: Caller };

/** Records of one kind: the path that reads one, and pairs of ids: of an existing record and of none. */
type Kind = { path: string; pairs: { known: string; unknown: string }[] };

const implementerDid = "did:ixo:implementer/1";
const supplierDid = "did:ixo:supplier/456";
const otherImplementer = "did:ixo:implementer/other";
const otherSupplier = "did:ixo:supplier/other";
const householdDid = "did:ixo:household/123";
const productId = "PROD-789";

/** Queries that a route needs before it looks for its record. */
const queries: Record<string, string> = {
  "GET /vouchers/{voucherId}/consents": `?supplierDid=${encodeURIComponent(supplierDid)}&amount=1`,
};
/** Bodies with which a route comes as far as the record. */
const bodies: Record<string, unknown> = {
  "PATCH /devices/{serial}": { retiredOn: "2024-12-01" },
  "POST /cards/{cardId}/link": { householdDid: "did:ixo:household/123" },
  "POST /cards/{cardId}/block": { reason: "x" },
  "POST /cards/{cardId}/replace": { newCardId: "00000000001", reason: "x" },
  "POST /odk/submissions/{id}/correction": { answers: [] },
  "POST /odk/submissions/{id}/correction/files": new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 1]),
  "POST /odk/submissions/{id}/delete": { reason: "x" },
  "POST /households/{did}/account": { account: accountOf(77) },
  "POST /households/{did}/account/confirm": { account: accountOf(77) },
  "PUT /households/{did}/pin": { pin: "7359" },
  "PATCH /households/{did}": { account: accountOf(77) },
  "POST /vouchers/{voucherId}/suspend": { reason: "x" },
  "POST /vouchers/{voucherId}/reactivate": { reason: "x" },
  "POST /vouchers/{voucherId}/cancel": { reason: "x" },
  "POST /redemptions/{redemptionId}/reverse": { reason: "x" },
  "POST /redemptions/{redemptionId}/flag": { reason: "x" },
  "POST /claims/{id}/approve": { reason: "x" },
  "POST /claims/{id}/reject": { reason: "x" },
  "POST /claims/{id}/dispute": { reason: "x" },
  "POST /claims/{id}/resolve": { reason: "x" },
  "POST /claims/{id}/revoke": { reason: "x" },
  "POST /campaigns/{campaignId}/amendments": { season: "wet", reason: "x" },
  "POST /campaigns/{campaignId}/abandonment": { reason: "x" },
  "POST /campaigns/{campaignId}/draw/party": {
    account: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    commitment: `0x${"11".repeat(32)}`,
    deadline: 4_102_444_800,
    signature: `0x${"22".repeat(65)}`,
  },
  "POST /campaigns/{campaignId}/draw/secret": { secret: `0x${"33".repeat(32)}` },
  "POST /campaigns/{campaignId}/missing": { group: "reference", householdId: householdDid, reason: "refused" },
  "POST /campaigns/{campaignId}/replacements": {
    group: "reference",
    householdId: householdDid,
    reason: "refused",
    evidence: "https://x.example/door.jpg",
  },
  "POST /campaigns/{campaignId}/usage-survey/records": {
    position: 0,
    householdId: householdDid,
    deviceSeen: true,
    inUse: true,
    date: "2024-02-01",
    surveyorDid: "did:key:z6MkSurveyor",
    evidence: [{ uri: "https://photos.example/1.jpg" }],
  },
  "POST /campaigns/{campaignId}/usage-survey/missing": { position: 0, reason: "refused" },
  "POST /campaigns/{campaignId}/findings": { kind: "CL", text: "x" },
  "POST /campaigns/{campaignId}/findings/{number}/answers": { text: "x" },
  "POST /campaigns/{campaignId}/findings/{number}/closure": { text: "x" },
  "POST /campaigns/{campaignId}/verifications": { verifiableCredential: "x" },
  "POST /campaigns/{campaignId}/certificate": {
    certificateId: "CERT-X",
    activityId: "ACT-1",
    underlyingUnits: { registry: "REG", firstSerial: 1, lastSerial: 2 },
  },
};

let t: RegistryTest;
let kinds: Kind[];
let routes: Route[];
/** Keys that the records do not concern, of each role and each scope. */
let strangers: Key[];
/** Keys that see all or act for the records' parties. */
let owners: Key[];

async function keyOf(role: Role, limits: Record<string, unknown> = {}, name: string = role): Promise<Key> {
  return { name, role, scopes: (limits.scopes as string[] | undefined) ?? [], call: await t.as(role, limits) };
}

before(async () => {
  t = await openRegistryTest();
  kinds = await makeRecords();
  routes = routesOf();
  const foreign = [otherImplementer, otherSupplier];
  strangers = await Promise.all([
    keyOf("supplier", { supplierDid: otherSupplier }),
    keyOf("implementer", { implementerDid: otherImplementer }),
    keyOf("integrator", { scopes: [], dids: foreign }, "an integrator without scopes"),
    keyOf("integrator", { scopes, dids: foreign }, "an integrator with every scope"),
    ...scopes.map((scope) => keyOf("integrator", { scopes: [scope], dids: foreign }, `an integrator with ${scope}`)),
  ]);
  owners = await Promise.all([
    keyOf("supplier", { supplierDid }),
    keyOf("implementer", { implementerDid }),
    keyOf("evaluator"),
    keyOf("regulator"),
    ...scopes.map((scope) => keyOf("integrator", { scopes: [scope] }, `an integrator with ${scope}`)),
  ]);
  owners.push({ name: "admin", role: "admin", scopes: [], call: t.admin });
});
after(() => t.close());

async function makeRecords(): Promise<Kind[]> {
  const { admin } = t;
  await registerPlan(admin);
  await made(admin("POST", "/implementers", { did: otherImplementer, account: accountOf(301), name: "Other" }));
  await made(admin("POST", "/suppliers", { did: supplierDid, account: accountOf(302), name: "Shop" }));
  await made(admin("POST", "/suppliers", { did: otherSupplier, account: accountOf(303), name: "Other shop" }));
  await made(admin("POST", "/products", { productId, name: "Stove", category: "stove", unit: "piece" }));
  const issuer = await createIssuer();
  const credentialTypes = ["EmissionReductionCredential", "ProductDeliveryCredential"];
  await made(admin("POST", "/issuers", { did: issuer.did, credentialTypes }));
  const implementer = await t.as("implementer", { implementerDid });
  await made(implementer("POST", "/households", { did: householdDid }));
  const { campaignId, intervention } = exampleCampaign();
  for (const did of intervention) {
    if (did !== householdDid) await made(admin("POST", "/households", { did }));
    const device = { serial: `STOVE ${did}`, model: "Jiko 2", planId: kptPlan, householdDid: did };
    await made(admin("POST", "/devices", { ...device, installedOn: "2024-01-01" }));
  }
  await holdCampaign(admin, exampleCampaign());
  const period = { startDate: "2020-01-01", endDate: "2099-12-31" };
  await made(admin("POST", "/monitoring-plans", { planId: "PLAN-NOW", implementerDid, period }));
  const certificate = exampleCertificate({ implementerDid, planId: "PLAN-NOW" });
  await made(admin("POST", "/certificates", await withCredential(issuer, certificate)));
  const issued = { recipientDid: householdDid, emissionCertificateId: certificate.certificateId, value: 100 };
  const { id: voucherId } = await made(admin("POST", "/vouchers/issue", { ...issued, attributes }));
  const order = { voucherId, supplierDid, productId, amount: 10 };
  const { redemptionId } = await made(admin("POST", "/vouchers/redeem", order));
  const delivered = { redemptionId, productId, supplierDid, recipient: householdDid };
  const proof = await issuer.signCredential({
    type: ["VerifiableCredential", "ProductDeliveryCredential"],
    subject: { ...delivered, deliveredAt: new Date().toISOString() },
  });
  const verifiableCredential = { type: "ProductDeliveryCredential", proof };
  const claim = await made(admin("POST", "/claims", { type: "DeliveryClaim", redemptionId, verifiableCredential }));
  await made(admin("POST", "/claims", referenceClaim()));
  const kptClaim = await made(admin("POST", "/claims", exampleClaim()));
  const started = await admin("POST", "/households/import", "did\ndid:ixo:household/9", { "content-type": "text/csv" });
  const batch = await made(admin("POST", "/card-batches", { implementerDid, count: 2, language: "en" }));
  const cards = await admin("GET", `/cards?batchId=${batch.batchId}`);
  const [card] = (cards.body as { items: { cardId: string }[] }).items;
  await made(admin("POST", "/phones/gateways", { name: "Try", sms: { kind: "simulator" } }));
  await made(admin("POST", "/phones", { householdDid, number: "+260971000001", language: "en" }));
  const asked = await made(admin("POST", "/phones/requests", { ...order, amount: 1 }));
  const collected = await collectHousehold(t, { implementerDid });
  const webhook = await made(admin("POST", "/webhooks", { url: "https://example.org/hook", events: ["*"] }));
  const pair = (known: unknown, unknown: string) => ({ known: String(known), unknown });
  return [
    { path: "/households/{did}", pairs: [pair(householdDid, "did:ixo:household/0")] },
    { path: "/vouchers/{voucherId}", pairs: [pair(voucherId, encodeVoucherId(1_000_000n))] },
    { path: "/redemptions/{redemptionId}", pairs: [pair(redemptionId, encodeRedemptionId(1_000_000n))] },
    {
      path: "/claims/{id}",
      pairs: [pair(claim.id, encodeClaimId(1_000_000n)), pair(kptClaim.id, encodeKptClaimId(1_000_000n))],
    },
    { path: "/campaigns/{campaignId}", pairs: [pair(campaignId, "KPT-UNKNOWN")] },
    { path: "/operations/{id}", pairs: [pair((started.body as { operationId: string }).operationId, "OPER-0")] },
    { path: "/webhooks/{id}", pairs: [pair(webhook.id, "wh_0")] },
    { path: "/devices/{serial}", pairs: [pair(`STOVE ${householdDid}`, "STOVE 0")] },
    { path: "/cards/{cardId}", pairs: [pair(card?.cardId, "00000000000")] },
    { path: "/card-batches/{batchId}", pairs: [pair(batch.batchId, "01KQ5X7Z8M2B4C6D8E0F1G2H3J")] },
    { path: "/odk/submissions/{id}", pairs: [pair(collected.refused, "01KQ5X7Z8M2B4C6D8E0F1G2H3J")] },
    { path: "/odk/collectors/{id}", pairs: [pair(collected.collector.id, "aaaaaaaaaaaa")] },
    { path: "/phones/requests/{requestId}", pairs: [pair(asked.requestId, "01KQ5X7Z8M2B4C6D8E0F1G2H3J")] },
  ];
}

/** List every route below /v1 that needs a key, without its prefix. */
function routesOf(): Route[] {
  return Object.entries(describeApi(t.app).paths ?? {}).flatMap(([path, item]) => {
    if (!path.startsWith("/v1/")) return [];
    return Object.entries(item as Record<string, Operation>).flatMap(([method, operation]) => {
      if (operation.security?.length === 0) return [];
      const callers = operation["x-callers"];
      assert.ok(callers !== undefined, `${method} ${path} says who may call it`);
      return [{ method: method.toUpperCase(), path: path.slice(3), callers }];
    });
  });
}

const routesUnder = ({ path }: Kind) => routes.filter((route) => `${route.path}/`.startsWith(`${path}/`));

function mayCall({ role, scopes: own }: Key, { callers }: Route): boolean {
  if (callers.roles.includes(role)) return true;
  return role === "integrator" && own.some((scope) => callers.integratorScopes?.includes(scope));
}

/** Call a route for a record of a kind. */
function callFor(key: Key, { method, path }: Route, kind: Kind, id: string): Promise<Answer> {
  const parameter = kind.path.slice(kind.path.indexOf("{"));
  const body = method === "GET" ? undefined : (bodies[`${method} ${path}`] ?? {});
  return key.call(
    method,
    path.replace(parameter, encodeURIComponent(id)).replace("{number}", "1").replace("{name}", "mill.jpg") +
      (queries[`${method} ${path}`] ?? ""),
    body,
  );
}

/** What an answer says, whichever id it was asked for. */
function withoutId({ status, body }: Answer, id: string): string {
  const { requestId: _, ...rest } = body as Record<string, unknown>;
  return `${status} ${JSON.stringify(rest)}`.replaceAll(id, "{id}");
}

describe("records that not every key may read", () => {
  it("get 404 from each of their routes when there is none, so that the other tests reach the record", async () => {
    const wrong: string[] = [];
    for (const { kind, route, unknown } of visits()) {
      const { status } = await callFor({ call: t.admin } as Key, route, kind, unknown);
      if (status !== 404) wrong.push(`${route.method} ${route.path}: ${status}`);
    }
    assert.deepEqual(wrong, []);
  });

  it("answer 403 alike for a known and an unknown id to a key that may never call the route", async () => {
    const wrong: string[] = [];
    let forbidden = 0;
    for (const { kind, route, known, unknown } of visits()) {
      for (const key of [...strangers, ...owners].filter((each) => !mayCall(each, route))) {
        for (const id of [known, unknown]) {
          const { status } = await callFor(key, route, kind, id);
          forbidden++;
          if (status !== 403) wrong.push(`${key.name} ${route.method} ${route.path} ${id}: ${status}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(forbidden > 1_000, `only ${forbidden} calls were forbidden`);
  });

  it("answer another's id exactly as an unknown one, at each of their routes", async () => {
    const wrong: string[] = [];
    let compared = 0;
    for (const { kind, route, known, unknown } of visits()) {
      for (const key of strangers.filter((each) => mayCall(each, route))) {
        if ((await read(key, kind, known)).status === 200) continue;
        const none = withoutId(await callFor(key, route, kind, unknown), unknown);
        const theirs = withoutId(await callFor(key, route, kind, known), known);
        compared++;
        if (theirs !== none) wrong.push(`${key.name} ${route.method} ${route.path} ${known}: ${theirs}, not ${none}`);
      }
    }
    assert.deepEqual(wrong, []);
    assert.ok(compared > 50, `only ${compared} answers were compared`);
  });

  it("can be read by somebody with each role and each scope that their routes allow", async () => {
    const wrong: string[] = [];
    for (const kind of kinds.filter(({ path }) => !/operations|webhooks/.test(path))) {
      for (const route of routesUnder(kind).filter(({ method }) => method === "GET")) {
        for (const key of owners.filter((each) => mayCall(each, route))) {
          const answers = await Promise.all(kind.pairs.map(({ known }) => callFor(key, route, kind, known)));
          if (answers.every(({ status }) => status === 403 || status === 404))
            wrong.push(`${key.name} GET ${route.path}: ${answers.map(({ status }) => status)}`);
        }
      }
    }
    assert.deepEqual(wrong, []);
  });

  it("are listed only for roles and scopes that can read one", () => {
    const wrong: string[] = [];
    for (const { path } of kinds) {
      const [list, one] = [path.slice(0, path.indexOf("/{")), path].map((each) =>
        routes.find((route) => route.method === "GET" && route.path === each),
      );
      if (list === undefined || one === undefined) continue;
      const extra = [
        ...list.callers.roles.filter((role) => !one.callers.roles.includes(role)),
        ...(list.callers.integratorScopes ?? []).filter((scope) => !one.callers.integratorScopes?.includes(scope)),
      ];
      if (extra.length > 0) wrong.push(`${list.path}: ${extra}`);
    }
    assert.deepEqual(wrong, []);
  });
});

/** Every route of every kind, for each pair of ids. */
function visits() {
  return kinds.flatMap((kind) =>
    routesUnder(kind).flatMap((route) => kind.pairs.map(({ known, unknown }) => ({ kind, route, known, unknown }))),
  );
}

/** Read a record by the route that reads one of its kind. */
async function read(key: Key, kind: Kind, id: string): Promise<Answer> {
  const route = routes.find(({ method, path }) => method === "GET" && path === kind.path);
  assert.ok(route, kind.path);
  return callFor(key, route, kind, id);
}
