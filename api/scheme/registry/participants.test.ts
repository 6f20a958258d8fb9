import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { eq } from "drizzle-orm";
import {
  accountOf,
  type Caller,
  openRegistryTest,
  type RegistryTest,
  rulesOf,
} from "../../../test/support/registry.ts";
import { encodeCursor } from "../../platform/http/pagination.ts";
import { productPrices } from "./products/tables.ts";
import { openRegistry } from "./registry.ts";
import { suppliers } from "./suppliers/tables.ts";

let registry: RegistryTest;
let regulator: Caller;
before(async () => {
  registry = await openRegistryTest();
  regulator = await registry.as("regulator");
});
after(() => registry?.close());

test("registers the published supplier, suspends it and authorises it again", async () => {
  const body = { did: "did:ixo:supplier/456", account: accountOf(1), name: "Duka la Jiko", region: "Kisumu" };
  const made = await regulator("POST", "/suppliers", body);
  assert.equal(made.status, 201, JSON.stringify(made.body));
  assert.partialDeepStrictEqual(made.body, { ...body, status: "authorised", flagged: false, index: 1 });

  const path = `/suppliers/${encodeURIComponent(body.did)}`;
  const suspended = await regulator("PATCH", path, { status: "suspended", reason: "Complaint 12" });
  assert.partialDeepStrictEqual(suspended, { status: 200, body: { status: "suspended" } });
  const again = await regulator("PATCH", path, { status: "suspended", reason: "Complaint 12" });
  assert.equal(again.status, 409);
  assert.deepEqual(rulesOf(again), ["status-allows"]);
  await regulator("PATCH", path, { status: "authorised", reason: "Cleared" });
  assert.partialDeepStrictEqual(await regulator("GET", path), { status: 200, body: { status: "authorised" } });
});

test("refuses a supplier that is registered, ill-formed, unknown or not for the caller to register", async () => {
  const body = { did: "did:ixo:supplier/twice", account: accountOf(2), name: "Twice" };
  assert.equal((await regulator("POST", "/suppliers", body)).status, 201);
  const again = await regulator("POST", "/suppliers", body);
  assert.equal(again.status, 409);
  assert.deepEqual(rulesOf(again), ["not-registered-before"]);
  const zero = { did: "nobody", account: `0x${"0".repeat(40)}`, name: "", colour: "red" };
  const bad = await regulator("POST", "/suppliers", zero);
  assert.equal(bad.status, 400);
  assert.deepEqual(rulesOf(bad), ["address", "format", "range", "text", "unknown-field"]);
  const implementer = await registry.as("implementer", { implementerDid: "did:ixo:implementer/none" });
  assert.equal((await implementer("POST", "/suppliers", { ...body, did: "did:ixo:supplier/3" })).status, 403);
  assert.equal((await regulator("GET", "/suppliers/did%3Aixo%3Anobody")).status, 404);
});

test("finds a supplier that was registered without this database", async () => {
  const did = "did:ixo:supplier/elsewhere";
  await regulator("POST", "/suppliers", { did, account: accountOf(3), name: "Elsewhere" });
  await registry.deps.db.delete(suppliers);
  const fresh = openRegistry({ ...registry.deps, schemeKey: "00".repeat(32) });
  const found = await fresh.suppliers.byDid(did);
  assert.equal(found?.name, "Elsewhere");
  assert.equal((await fresh.suppliers.byIndex(found?.supplier ?? 0))?.did, did);
  await fresh.suppliers.catchUp();
  const listed = await fresh.stores.suppliers.listAfter(0, 500);
  assert.deepEqual(
    listed.map(({ supplier }) => supplier),
    Array.from({ length: found?.supplier ?? 0 }, (_, i) => i + 1),
  );
});

test("redirects a supplier's payouts a day after the regulator proposed it, unless it is dropped", async () => {
  const did = "did:ixo:supplier/moved";
  await regulator("POST", "/suppliers", { did, account: accountOf(60), name: "Moved" });
  const path = `/suppliers/${encodeURIComponent(did)}`;
  const propose = () => regulator("POST", `${path}/account`, { account: accountOf(61) });
  assert.partialDeepStrictEqual(await propose(), {
    status: 200,
    body: { account: accountOf(60), pendingAccount: { account: accountOf(61), confirmed: false } },
  });
  assert.partialDeepStrictEqual(await regulator("GET", path), {
    status: 200,
    body: { account: accountOf(60), pendingAccount: { account: accountOf(61) } },
  });
  const early = await regulator("POST", `${path}/account/finalise`);
  assert.deepEqual([early.status, ...rulesOf(early)], [409, "account-delay"]);
  assert.partialDeepStrictEqual(await regulator("DELETE", `${path}/account`), { body: { pendingAccount: null } });
  const none = await regulator("POST", `${path}/account/finalise`);
  assert.deepEqual([none.status, ...rulesOf(none)], [409, "account-pending"]);
  const evaluator = await registry.as("evaluator");
  assert.equal((await evaluator("POST", `${path}/account`, { account: accountOf(61) })).status, 403);
  assert.equal((await regulator("POST", "/suppliers/did%3Ax%3Anone/account", { account: accountOf(61) })).status, 404);
  await propose();
  await registry.world.anvil.rpc("evm_increaseTime", [86_400]);
  await registry.world.anvil.rpc("evm_mine");
  assert.partialDeepStrictEqual(await regulator("POST", `${path}/account/finalise`), {
    status: 200,
    body: { account: accountOf(61), pendingAccount: null },
  });
});

test("suspends an implementer, whose account then acts for nobody", async () => {
  const did = "did:ixo:implementer/suspended";
  await regulator("POST", "/implementers", { did, account: accountOf(70), name: "Suspended" });
  const path = `/implementers/${encodeURIComponent(did)}`;
  const suspend = () => regulator("PATCH", path, { status: "suspended", reason: "Lost its key" });
  assert.partialDeepStrictEqual(await suspend(), {
    status: 200,
    body: { status: "suspended", account: accountOf(70) },
  });
  assert.equal((await suspend()).status, 409);
  const { implementers } = registry.deps.registry;
  const index = (await implementers.byDid(did))?.implementer ?? 0;
  await assert.rejects(implementers.accountOf(index), /The implementer is suspended/);
  const evaluator = await registry.as("evaluator");
  assert.equal((await evaluator("PATCH", path, { status: "registered", reason: "?" })).status, 403);
  const back = await regulator("PATCH", path, { status: "registered", reason: "Has a new one" });
  assert.partialDeepStrictEqual(back, { status: 200, body: { status: "registered" } });
});

test("lets an evaluator hold a supplier's claims for review, and nobody else", async () => {
  const did = "did:ixo:supplier/flagged";
  await regulator("POST", "/suppliers", { did, account: accountOf(4), name: "Flagged" });
  const evaluator = await registry.as("evaluator");
  const path = `/suppliers/${encodeURIComponent(did)}/flag`;
  assert.equal((await regulator("POST", path, { reason: "?" })).status, 403);
  assert.partialDeepStrictEqual(await evaluator("POST", path, { reason: "Odd" }), {
    status: 200,
    body: { flagged: true },
  });
});

test("lists suppliers page by page", async () => {
  for (let i = 0; i < 3; i++) {
    await regulator("POST", "/suppliers", {
      did: `did:ixo:supplier/page-${i}`,
      account: accountOf(10 + i),
      name: "Page",
    });
  }
  const first = (await regulator("GET", "/suppliers?limit=2")).body as { items: { did: string }[]; nextCursor: string };
  const second = (await regulator("GET", `/suppliers?limit=2&cursor=${first.nextCursor}`)).body as typeof first;
  assert.equal(first.items.length, 2);
  assert.equal(new Set([...first.items, ...second.items].map(({ did }) => did)).size, 2 + second.items.length);
  const foreign = [["did:ixo:x"], [-1], [2 ** 40], [1.5], ["1"]].map((position) => encodeCursor(position));
  for (const cursor of ["oops", ...foreign]) {
    assert.equal((await regulator("GET", `/suppliers?limit=2&cursor=${cursor}`)).status, 400, cursor);
  }
});

test("an implementer's product waits for approval, the scheme's own does not", async () => {
  const did = "did:ixo:implementer/p";
  await regulator("POST", "/implementers", { did, account: accountOf(20), name: "P" });
  const implementer = await registry.as("implementer", { implementerDid: did });
  const body = {
    productId: "PROD-789",
    name: "Stove",
    category: "cookstove",
    unit: "piece",
    maxAmountPerRedemption: 50.5,
  };
  const made = await implementer("POST", "/products", body);
  assert.partialDeepStrictEqual(made, { status: 201, body: { ...body, status: "pending", implementerDid: did } });
  assert.equal((await implementer("PATCH", "/products/PROD-789", { status: "approved" })).status, 403);
  assert.partialDeepStrictEqual(await regulator("PATCH", "/products/PROD-789", { status: "approved" }), {
    status: 200,
    body: { status: "approved" },
  });
  assert.partialDeepStrictEqual(await implementer("PATCH", "/products/PROD-789", { status: "withdrawn" }), {
    status: 200,
    body: { status: "withdrawn" },
  });
  const own = { ...body, productId: "PROD-SCHEME", maxAmountPerRedemption: undefined };
  assert.partialDeepStrictEqual(await regulator("POST", "/products", own), {
    status: 201,
    body: { status: "approved", implementerDid: null, maxAmountPerRedemption: null },
  });
  assert.equal((await implementer("PATCH", "/products/PROD-SCHEME", { status: "withdrawn" })).status, 403);
  const other = { ...body, productId: "PROD-O", implementerDid: "did:ixo:implementer/other" };
  assert.equal((await implementer("POST", "/products", other)).status, 403);
});

test("keeps a product's price exactly, changes it, and removes it", async () => {
  const did = "did:ixo:implementer/prices";
  const implementer = await registry.as("implementer", { implementerDid: did });
  const price = { amount: 9007199254.74, currency: "ZMW", carbon: 60.000001 };
  const body = { productId: "PROD-PRICED", name: "Stove", category: "stove", unit: "piece", price };
  assert.partialDeepStrictEqual(await implementer("POST", "/products", body), { status: 201, body: { price } });
  const path = "/products/PROD-PRICED";
  const set = (next: unknown, as: Caller = implementer) => as("PATCH", path, { price: next });
  const dinar = { amount: 1.005, currency: "KWD", carbon: null };
  assert.partialDeepStrictEqual(await set({ amount: 1.005, currency: "KWD" }), {
    status: 200,
    body: { price: dinar, status: "pending" },
  });
  await set({ amount: 1.005, currency: "KWD" });
  const listed = (await regulator("GET", "/products?limit=500")).body as { items: { productId: string }[] };
  assert.partialDeepStrictEqual(
    listed.items.find(({ productId }) => productId === "PROD-PRICED"),
    { price: dinar },
  );
  const both = await regulator("PATCH", path, { status: "approved", price });
  assert.partialDeepStrictEqual(both, { status: 200, body: { status: "approved", price } });
  assert.partialDeepStrictEqual(await set(null, regulator), { status: 200, body: { price: null } });
  const stored = await registry.deps.db.select().from(productPrices).where(eq(productPrices.productId, "PROD-PRICED"));
  assert.deepEqual(
    stored.map(({ amount }) => amount),
    [9_007_199_254_740_000n, 1_005_000n, 9_007_199_254_740_000n, null],
  );
});

test("refuses a price that its currency cannot have, and one of another's product", async () => {
  const did = "did:ixo:implementer/priceless";
  const implementer = await registry.as("implementer", { implementerDid: did });
  const body = { productId: "PROD-OF-SCHEME", name: "Stove", category: "stove", unit: "piece" };
  await regulator("POST", "/products", body);
  const set = (price: unknown, as: Caller = regulator) => as("PATCH", "/products/PROD-OF-SCHEME", { price });
  assert.deepEqual(rulesOf(await set({ amount: 1.5, currency: "JPY" })), ["decimals"]);
  assert.deepEqual(rulesOf(await set({ amount: 1.001, currency: "ZMW" })), ["decimals"]);
  assert.deepEqual(rulesOf(await set({ amount: 0, currency: "zmw" })), ["currency", "range"]);
  assert.deepEqual(rulesOf(await set({ amount: "1", currency: "ZMW", carbon: 0 })), ["range", "type"]);
  assert.deepEqual(rulesOf(await regulator("PATCH", "/products/PROD-OF-SCHEME", {})), ["required"]);
  const price = { amount: 1, currency: "ZMW" };
  assert.equal((await set(price, implementer)).status, 403);
  const supplierDid = "did:ixo:supplier/priceless";
  await regulator("POST", "/suppliers", { did: supplierDid, account: accountOf(22), name: "Shop" });
  assert.equal((await set(price, await registry.as("supplier", { supplierDid }))).status, 403);
  assert.equal((await set(price, await registry.as("evaluator"))).status, 403);
  const buyer = await registry.as("integrator", { scopes: ["products:approve"] });
  assert.equal((await set(price, buyer)).status, 403);
  assert.partialDeepStrictEqual(await regulator("GET", "/products/PROD-OF-SCHEME"), { body: { price: null } });
});

test("registers a plan with its terms and finds the default plan", async () => {
  const did = "did:ixo:implementer/plan";
  await regulator("POST", "/implementers", { did, account: accountOf(21), name: "Plan" });
  await regulator("POST", "/products", { productId: "PROD-PLAN", name: "Pellets", category: "fuel", unit: "kg" });
  const body = {
    planId: "PLAN-1",
    implementerDid: did,
    period: { startDate: "2024-01-01", endDate: "2026-12-31" },
    products: ["PROD-PLAN"],
    trustedIssuers: ["did:web:example.org"],
    requiredEvidence: ["DeliveryPhoto"],
    regions: ["Kisumu"],
    season: "dry",
    externalFactors: { culturalEvents: ["none"], occupationalFactors: [] },
    reviewShare: 0.05,
    supplierMayIssue: true,
  };
  const implementer = await registry.as("implementer", { implementerDid: did });
  const made = await implementer("POST", "/monitoring-plans", body);
  assert.partialDeepStrictEqual(made, { status: 201, body: { ...body, claimWindowHours: 336 } });
  assert.partialDeepStrictEqual(await regulator("GET", "/monitoring-plans/default"), {
    status: 200,
    body: { planId: "default", index: 0, claimWindowHours: 336, products: [], period: null },
  });
  const terms = await registry.deps.registry.plans.termsOf((made.body as { index: number }).index);
  assert.equal(terms.reviewShare, 500);
  assert.equal((await implementer("POST", "/monitoring-plans", body)).status, 409);
  const wrong = {
    ...body,
    planId: "PLAN-2",
    products: ["PROD-NONE"],
    period: { startDate: "2024-02-01", endDate: "2024-01-01" },
    unconsentedCap: 4_000_000_000,
  };
  assert.deepEqual(rulesOf(await implementer("POST", "/monitoring-plans", wrong)), [
    "dates-ordered",
    "product-registered",
    "unconsented-cap",
  ]);
  const foreign = { ...body, planId: "PLAN-3", implementerDid: "did:ixo:implementer/p" };
  assert.equal((await implementer("POST", "/monitoring-plans", foreign)).status, 403);
});

test("trusts an issuer for a time, and ends the trust", async () => {
  const did = "did:key:z6MkVerifier";
  const path = `/issuers/${encodeURIComponent(did)}`;
  const body = { did, credentialTypes: ["EmissionReductionCredential"], validFrom: "2024-01-01T00:00:00Z" };
  assert.partialDeepStrictEqual(await regulator("POST", "/issuers", body), {
    status: 201,
    body: { did, status: "trusted", validFrom: "2024-01-01T00:00:00.000Z", validUntil: null },
  });
  const { issuers } = registry.deps.registry;
  assert.equal(await issuers.isTrusted(did, "EmissionReductionCredential", 1_710_000_000n), true);
  assert.equal(await issuers.isTrusted(did, "EmissionReductionCredential", 1_600_000_000n), false);
  assert.equal(await issuers.isTrusted(did, "ProductDeliveryCredential", 1_710_000_000n), false);
  assert.partialDeepStrictEqual(await regulator("DELETE", path), { status: 200, body: { status: "ended" } });
  assert.equal(await issuers.isTrusted(did, "EmissionReductionCredential", 1_710_000_000n), false);
  assert.equal((await regulator("DELETE", path)).status, 409);
  assert.partialDeepStrictEqual(await regulator("GET", path), { status: 200, body: { status: "ended" } });
  const other = await regulator("POST", "/issuers", { ...body, credentialTypes: ["ProductDeliveryCredential"] });
  assert.partialDeepStrictEqual(other, {
    status: 201,
    body: { status: "trusted", credentialTypes: ["ProductDeliveryCredential"] },
  });
  // The ended period is not revived: the new one begins now, for the types of this request.
  assert.ok(Date.parse((other.body as { validFrom: string }).validFrom) > Date.parse("2025-01-01"));
  assert.equal(await issuers.isTrusted(did, "EmissionReductionCredential", 1_710_000_000n), false);
  assert.equal(await issuers.isTrusted(did, "ProductDeliveryCredential", 1_710_000_000n), false);
  const backwards = { ...body, validUntil: "2023-01-01T00:00:00Z" };
  assert.deepEqual(rulesOf(await regulator("POST", "/issuers", backwards)), ["dates-ordered"]);
});

test("an integrator acts within its scopes and for the DIDs that it lists", async () => {
  const dids = ["did:ixo:supplier/listed", "did:ixo:household/listed"];
  const integrator = await registry.as("integrator", { scopes: ["suppliers:write", "households:write"], dids });
  const supplier = (did: string) => ({ did, account: accountOf(40), name: "Listed" });
  assert.equal((await integrator("POST", "/suppliers", supplier("did:ixo:supplier/listed"))).status, 201);
  assert.equal((await integrator("POST", "/suppliers", supplier("did:ixo:supplier/other"))).status, 403);
  assert.equal((await integrator("POST", "/households", { did: "did:ixo:household/listed" })).status, 201);
  assert.equal((await integrator("POST", "/households", { did: "did:ixo:household/other" })).status, 403);
  assert.equal((await integrator("POST", "/implementers", supplier("did:ixo:supplier/listed"))).status, 403);
});

test("repeats a registration's answer under its Idempotency-Key", async () => {
  const body = { did: "did:ixo:implementer/key", account: accountOf(30), name: "Key" };
  const headers = { "idempotency-key": "a-key-of-mine" };
  const first = await regulator("POST", "/implementers", body, headers);
  const second = await regulator("POST", "/implementers", body, headers);
  assert.equal(first.status, 201);
  assert.deepEqual([second.status, second.body], [201, first.body]);
});
