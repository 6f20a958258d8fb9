import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { eq } from "drizzle-orm";
import { exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { openTestCore, type TestCore, testAdminKey } from "../../../test/support/core.ts";
import { interruptResponse } from "../../../test/support/interrupted.ts";
import type { ErrorBody } from "../http/error-response.ts";
import { scopes } from "../http/scopes.ts";
import { idempotencyRecords } from "../idempotency/tables.ts";
import { mount } from "../server/base-app.ts";
import { accessTokenHash } from "./dpop.ts";
import { hashSecret } from "./format.ts";
import { keyRoutes } from "./routes.ts";
import type { ApiKey, CreatedApiKey } from "./schemas.ts";

let core: TestCore;
let nowMs = Date.now();
before(async () => {
  core = await openTestCore(
    { PUBLIC_URL_ALIASES: "https://field.example, http://field.example:8000/" },
    { clock: { now: () => new Date(nowMs) } },
  );
  mount(core.app, keyRoutes(core.deps));
});
after(() => core.close());

type Sent = { method?: string; body?: unknown; key?: string; headers?: Record<string, string> };
function send(path: string, { method = "GET", body, key = testAdminKey, headers = {} }: Sent = {}) {
  const init: RequestInit = { method, headers: key === "" ? headers : { authorization: `Bearer ${key}`, ...headers } };
  if (body !== undefined) init.body = JSON.stringify(body);
  return core.app.request(`http://127.0.0.1:3000${path}`, init);
}

async function create(body: Record<string, unknown>): Promise<CreatedApiKey> {
  const answer = await send("/v1/keys", { method: "POST", body: { name: "test", ...body } });
  assert.equal(answer.status, 201, await answer.clone().text());
  return (await answer.json()) as CreatedApiKey;
}

async function rulesOf(answer: Response): Promise<string[]> {
  return ((await answer.json()) as ErrorBody).details.map(({ path, rule }) => `${path}:${rule}`).sort();
}

async function newProofKey(alg = "ES256") {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, privateKey, publicJwk: await exportJWK(publicKey) };
}
type ProofKey = Awaited<ReturnType<typeof newProofKey>>;

type Claims = Record<string, unknown>;
function prove(holder: ProofKey, token: string, claims: Claims = {}, header: Record<string, unknown> = {}) {
  const payload = {
    htm: "GET",
    htu: "http://127.0.0.1:3000/v1/keys",
    iat: Math.floor(nowMs / 1000),
    jti: randomUUID(),
    ath: accessTokenHash(token),
    ...claims,
  };
  return new SignJWT(payload)
    .setProtectedHeader({ typ: "dpop+jwt", alg: holder.alg, jwk: holder.publicJwk, ...header })
    .sign(holder.privateKey);
}

test("asks for a key on every route below /v1, known or not", async () => {
  for (const path of ["/v1/keys", "/v1/nothing"]) {
    const answer = await send(path, { key: "" });
    assert.equal(answer.status, 401);
    assert.match(answer.headers.get("www-authenticate") ?? "", /^Bearer/);
    assert.equal(answer.headers.get("cache-control"), "private, no-store");
    assert.equal(((await answer.json()) as ErrorBody).code, "UNAUTHENTICATED");
  }
});

test("answers an unknown route in the one error shape, with the request's id", async () => {
  const answer = await send("/v1/nothing", { headers: { "x-request-id": "my-id" } });
  const body = (await answer.json()) as ErrorBody;
  assert.deepEqual([answer.status, body.status, body.statusCode, body.error], [404, 404, 404, "Not Found"]);
  assert.deepEqual([body.requestId, answer.headers.get("x-request-id")], ["my-id", "my-id"]);
});

test("shows a new key once, keeps only its hash, and takes it", async () => {
  const created = await create({ role: "regulator" });
  assert.match(created.key, /^hk_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
  const row = await core.deps.keys.store.find(created.id);
  assert.ok(!JSON.stringify(row).includes(created.key.slice(16)));
  const read = await send(`/v1/keys/${created.id}`);
  assert.equal(read.headers.get("cache-control"), "private, no-store");
  assert.ok(!("key" in ((await read.json()) as object)));
  assert.equal((await send("/v1/keys", { key: created.key })).status, 403);
});

test("shows when a key was last used, and counts no refused request", async () => {
  const { id, key, lastUsedAt } = await create({ role: "evaluator" });
  const read = async () => ((await (await send(`/v1/keys/${id}`)).json()) as ApiKey).lastUsedAt;
  assert.deepEqual([lastUsedAt, await read()], [null, null]);
  await send("/v1/keys/self", { key: `${key.slice(0, -3)}${key.at(-3) === "A" ? "B" : "A"}${key.slice(-2)}` });
  assert.equal(await read(), null);
  await send("/v1/keys/self", { key });
  const first = new Date(nowMs).toISOString();
  assert.equal(await read(), first);
  nowMs += 3000;
  await send("/v1/keys/self", { key });
  // Another process that is behind takes nothing back.
  await core.deps.keys.use.save();
  await core.deps.keys.store.setLastUsed(new Map([[id, new Date(nowMs - 1000)]]));
  assert.equal(await read(), new Date(nowMs).toISOString());
  const { items } = (await (await send("/v1/keys?limit=500")).json()) as { items: ApiKey[] };
  assert.equal(items.find((each) => each.id === id)?.lastUsedAt, new Date(nowMs).toISOString());
});

test("refuses a key whose secret is wrong by one character", async () => {
  const { key } = await create({ role: "admin" });
  assert.equal((await send("/v1/keys", { key })).status, 200);
  const last = key.at(-2) === "A" ? "B" : "A";
  assert.equal((await send("/v1/keys", { key: `${key.slice(0, -2)}${last}${key.at(-1)}` })).status, 401);
});

test("refuses a revoked key immediately, and an expired one", async () => {
  const revoked = await create({ role: "admin" });
  assert.equal((await send("/v1/keys", { key: revoked.key })).status, 200);
  const answer = await send(`/v1/keys/${revoked.id}`, { method: "DELETE" });
  assert.equal(answer.status, 200);
  assert.notEqual(((await answer.json()) as ApiKey).revokedAt, null);
  assert.equal((await send("/v1/keys", { key: revoked.key })).status, 401);
  assert.equal((await send("/v1/keys/zzzzzzzzzzzz", { method: "DELETE" })).status, 404);
  const brief = await create({ role: "admin", expiresAt: new Date(nowMs + 5000).toISOString() });
  assert.equal((await send("/v1/keys", { key: brief.key })).status, 200);
  nowMs += 6000;
  assert.equal((await send("/v1/keys", { key: brief.key })).status, 401);
});

test("sees another process's revocation within a second", async () => {
  const { id, key } = await create({ role: "admin" });
  assert.equal((await send("/v1/keys", { key })).status, 200);
  await core.deps.keys.store.revoke(id, new Date(nowMs));
  nowMs += 1000;
  assert.equal((await send("/v1/keys", { key })).status, 401);
});

test("names every rule that a new key breaks", async () => {
  const answer = await send("/v1/keys", {
    method: "POST",
    body: {
      name: "x",
      role: "supplier",
      scopes: ["vouchers:read"],
      dids: [],
      implementerDid: "did:x:y",
      expiresAt: "2020-01-01T00:00:00Z",
    },
  });
  assert.equal(answer.status, 400);
  assert.deepEqual(await rulesOf(answer), [
    "dids:not-for-role",
    "expiresAt:in-future",
    "implementerDid:not-for-role",
    "publicJwk:required-for-role",
    "scopes:not-for-role",
    "supplierDid:required-for-role",
  ]);
});

test("refuses scopes that do not exist, naming each with the list, and duplicates", async () => {
  const refused = async (body: Record<string, unknown>) => {
    const answer = await send("/v1/keys", { method: "POST", body: { name: "x", role: "integrator", ...body } });
    assert.equal(answer.status, 400);
    return ((await answer.json()) as ErrorBody).details;
  };
  const unknown = await refused({
    scopes: ["vouchers:read", "vouchers:write", "", "VOUCHERS:READ", "vouchers:read ", 7],
  });
  assert.deepEqual(
    unknown.map(({ path, rule }) => `${path} ${rule}`),
    [1, 2, 3, 4, 5].map((i) => `scopes.${i} one-of`),
  );
  assert.match(
    unknown[0]?.message ?? "",
    /^There is no scope "vouchers:write"\. There are campaigns:read, .*vouchers:redeem/,
  );
  for (const [field, each] of [
    ["scopes", "vouchers:read"],
    ["dids", "did:x:y"],
  ] as const)
    assert.deepEqual(
      (await refused({ [field]: [each, each] })).map(({ path, rule }) => `${path} ${rule}`),
      [`${field}.1 distinct`],
    );
  assert.equal((await refused({ scopes: "vouchers:read" }))[0]?.rule, "type");
  assert.deepEqual((await create({ role: "integrator", scopes: [] })).scopes, []);
  const every = await create({ role: "integrator", scopes: [...scopes] });
  assert.deepEqual(every.scopes, scopes);
});

test("refuses a private key where the public one belongs", async () => {
  const { privateKey } = await newProofKey();
  const jwk: JWK = await exportJWK(privateKey);
  const answer = await send("/v1/keys", {
    method: "POST",
    body: { name: "x", role: "supplier", supplierDid: "did:x:y", publicJwk: jwk },
  });
  assert.equal(answer.status, 400);
  assert.deepEqual(await rulesOf(answer), ["publicJwk.d:unknown-field"]);
});

test("accepts a key only from its address ranges", async () => {
  const elsewhere = await create({ role: "admin", ipRanges: ["10.0.0.0/8"] });
  const here = await create({ role: "admin", ipRanges: ["10.0.0.0/8", "127.0.0.1"] });
  assert.equal((await send("/v1/keys", { key: elsewhere.key })).status, 401);
  assert.equal((await send("/v1/keys", { key: here.key })).status, 200);
});

test("lists keys in pages", async () => {
  const seen: string[] = [];
  let cursor = "";
  do {
    const answer = await send(`/v1/keys?limit=3${cursor}`);
    const { items, nextCursor } = (await answer.json()) as { items: ApiKey[]; nextCursor: string | null };
    seen.push(...items.map(({ id }) => id));
    cursor = nextCursor === null ? "" : `&cursor=${nextCursor}`;
  } while (cursor !== "");
  assert.equal(new Set(seen).size, seen.length);
  assert.ok(seen.length > 3);
  assert.equal((await send("/v1/keys?cursor=xyz")).status, 400);
  assert.equal((await send("/v1/keys?limit=501")).status, 400);
});

test("lists the keys of one role", async () => {
  const { id } = await create({ role: "integrator", scopes: ["kpt:write"] });
  await create({ role: "evaluator" });
  const { items } = (await (await send("/v1/keys?role=integrator&limit=500")).json()) as { items: ApiKey[] };
  assert.ok(items.some((each) => each.id === id));
  assert.deepEqual([...new Set(items.map(({ role }) => role))], ["integrator"]);
  assert.equal((await send("/v1/keys?role=cook")).status, 400);
});

for (const alg of ["ES256", "EdDSA"]) {
  test(`accepts a supplier's key with a ${alg} proof, once per proof`, async () => {
    const holder = await newProofKey(alg);
    const { key } = await create({ role: "supplier", supplierDid: "did:x:y", publicJwk: holder.publicJwk });
    const proof = await prove(holder, key);
    const withProof = (dpop: string) => send("/v1/keys", { key, headers: { dpop } });
    // 403: authenticated, and not an admin.
    assert.equal((await withProof(proof)).status, 403);
    const again = await withProof(proof);
    assert.equal(again.status, 401);
    assert.match(again.headers.get("www-authenticate") ?? "", /^DPoP/);
    assert.equal(
      (await withProof(await prove(holder, key, { htu: "http://localhost:3000/v1/keys?x=1#y" }))).status,
      403,
    );
    assert.equal((await withProof(await prove(holder, key, { htu: "http://[::1]:3000/v1/keys" }))).status, 403);
  });
}

test("compares a proof's URL with the configured hosts, never with the request's own", async () => {
  const holder = await newProofKey();
  const { key } = await create({ role: "supplier", supplierDid: "did:x:y", publicJwk: holder.publicJwk });
  const at = async (host: string, htu = `${host}/v1/keys`) => {
    const headers = { authorization: `DPoP ${key}`, dpop: await prove(holder, key, { htu }) };
    return (await core.app.request(`${host}/v1/keys`, { headers })).status;
  };
  assert.equal(await at("http://evil.example"), 401);
  // Behind a proxy the request's host differs.
  assert.equal(await at("http://10.0.0.7:8080", "http://127.0.0.1:3000/v1/keys"), 403);
  assert.equal(await at("http://hearth.local", "https://field.example/v1/keys"), 403);
  assert.equal(await at("https://field.example", "http://field.example/v1/keys"), 401);
});

test("checks the form of a new key before it looks for who is named", async () => {
  const body = { name: "x", role: "supplier", supplierDid: "did:x:nobody", expiresAt: "2020-01-01T00:00:00Z" };
  const answer = await send("/v1/keys", { method: "POST", body });
  assert.equal(answer.status, 400);
  assert.deepEqual(await rulesOf(answer), ["expiresAt:in-future", "publicJwk:required-for-role"]);
});

test("refuses a supplier's request whose proof is missing, wrong or for something else", async () => {
  const holder = await newProofKey();
  const other = await newProofKey();
  const { key } = await create({ role: "supplier", supplierDid: "did:x:y", publicJwk: holder.publicJwk });
  const now = Math.floor(nowMs / 1000);
  const wrong: Record<string, string | undefined> = {
    missing: undefined,
    garbage: "x.y.z",
    "two proofs": `${await prove(holder, key)}, ${await prove(holder, key)}`,
    "another key": await prove(other, key),
    "another key named": await prove(holder, key, {}, { jwk: other.publicJwk }),
    "no key named": await prove(holder, key, {}, { jwk: undefined }),
    "wrong typ": await prove(holder, key, {}, { typ: "JWT" }),
    "wrong method": await prove(holder, key, { htm: "POST" }),
    "wrong path": await prove(holder, key, { htu: "http://127.0.0.1:3000/v1/key" }),
    "wrong port": await prove(holder, key, { htu: "http://127.0.0.1:3001/v1/keys" }),
    "wrong host": await prove(holder, key, { htu: "http://evil.example/v1/keys" }),
    "too old": await prove(holder, key, { iat: now - 62 }),
    "too new": await prove(holder, key, { iat: now + 62 }),
    "no time": await prove(holder, key, { iat: undefined }),
    "no id": await prove(holder, key, { jti: undefined }),
    "another token": await prove(holder, key, { ath: accessTokenHash("x") }),
    "no token": await prove(holder, key, { ath: undefined }),
  };
  for (const [name, dpop] of Object.entries(wrong)) {
    const answer = await send("/v1/keys", { key, headers: dpop === undefined ? {} : { dpop } });
    assert.equal(answer.status, 401, name);
    assert.match(answer.headers.get("www-authenticate") ?? "", /^DPoP/, name);
  }
});

test("tells what is left of the minute, then answers 429 with Retry-After", async () => {
  const { key } = await create({ role: "admin", requestsPerMinute: 2 });
  const first = await send("/v1/keys", { key });
  assert.equal(first.headers.get("ratelimit-policy"), '"default";q=2;w=60');
  assert.match(first.headers.get("ratelimit") ?? "", /^"default";r=1;t=\d+$/);
  await send("/v1/keys", { key });
  const third = await send("/v1/keys", { key });
  assert.equal(third.status, 429);
  assert.ok(Number(third.headers.get("retry-after")) > 0);
  assert.equal(((await third.json()) as ErrorBody).code, "RATE_LIMITED");
});

test("lets browsers of any origin read the request's id", async () => {
  const answer = await send("/v1/keys", { headers: { origin: "https://app.example" } });
  assert.equal(answer.headers.get("access-control-allow-origin"), "*");
  assert.match(answer.headers.get("access-control-expose-headers") ?? "", /X-Request-Id/);
});

test("tells whose key makes a request, without the secret", async () => {
  const self = async (key?: string) => (await send("/v1/keys/self", key === undefined ? {} : { key })).json();
  const { id, key } = await create({ role: "implementer", implementerDid: "did:x:y" });
  const common = { supplierDid: null, scopes: [], dids: null };
  assert.deepEqual(await self(key), { ...common, id, role: "implementer", implementerDid: "did:x:y" });
  assert.deepEqual(await self(), { ...common, id: "admin", role: "admin", implementerDid: null });
});

test("gives a key another secret when the request is repeated after a kill, unless it was revoked meanwhile", async () => {
  const ask = (idempotencyKey: string) => {
    const body = { name: "once", role: "regulator" };
    return send("/v1/keys", { method: "POST", body, headers: { "idempotency-key": idempotencyKey } });
  };
  /** Leave the request as a kill does that comes before its response is stored: its record still has what the change wrote. */
  const interrupt = async ({ id, key }: CreatedApiKey) => {
    await interruptResponse(core, "kill-1");
    const madeId = `${id} ${hashSecret(key.slice(`hk_${id}_`.length))}`;
    const { idempotencyKey } = idempotencyRecords;
    await core.deps.db.update(idempotencyRecords).set({ madeId }).where(eq(idempotencyKey, "kill-1"));
  };
  const first = (await (await ask("kill-1")).json()) as CreatedApiKey;
  await interrupt(first);
  const again = (await (await ask("kill-1")).json()) as CreatedApiKey;
  assert.equal(again.id, first.id);
  assert.equal((await send("/v1/keys/self", { key: first.key })).status, 401);
  assert.equal((await send("/v1/keys/self", { key: again.key })).status, 200);
  await interrupt(again);
  assert.equal((await send(`/v1/keys/${first.id}`, { method: "DELETE" })).status, 200);
  assert.equal((await ask("kill-1")).status, 409);
  assert.equal((await send("/v1/keys/self", { key: again.key })).status, 401);
});
