import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { exportJWK, generateKeyPair, SignJWT } from "jose";
import { openTestCore, type TestCore, testAdminKey } from "../../../../test/support/core.ts";
import type { ErrorBody } from "../../http/error-response.ts";
import { createLog } from "../../log.ts";
import { mount } from "../../server/base-app.ts";
import { accessTokenHash } from "../dpop.ts";
import { keyRoutes } from "../routes.ts";
import type { ApiKey, CreatedApiKey, KeyHolder } from "../schemas.ts";
import { invitationRoutes } from "./routes.ts";
import type { CreatedInvitation, Invitation, InvitationOffer } from "./schemas.ts";

const base = "http://127.0.0.1:3000";
let core: TestCore;
let nowMs = Date.now();
const lines: string[] = [];
before(async () => {
  const log = createLog({ logLevel: "trace" }, { write: (line) => void lines.push(line) });
  core = await openTestCore({}, { clock: { now: () => new Date(nowMs) }, log });
  mount(core.app, keyRoutes(core.deps));
  for (const routes of invitationRoutes(core.deps)) mount(core.app, routes);
});
after(() => core.close());

type Device = Awaited<ReturnType<typeof newDevice>>;
type Sent = { method?: string; body?: unknown; key?: string | undefined; device?: Device | undefined; token?: string };

async function newDevice() {
  const { publicKey, privateKey } = await generateKeyPair("ES256", { extractable: true });
  return { privateKey, publicJwk: await exportJWK(publicKey) };
}

function prove(device: Device, token: string, method: string, path: string): Promise<string> {
  const iat = Math.floor(nowMs / 1000);
  const claims = { htm: method, htu: base + path, iat, jti: randomUUID(), ath: accessTokenHash(token) };
  const header = { typ: "dpop+jwt", alg: "ES256", jwk: device.publicJwk };
  return new SignJWT(claims).setProtectedHeader(header).sign(device.privateKey);
}

async function send(path: string, { method = "POST", body, key, device, token = key ?? "" }: Sent = {}) {
  const headers = new Headers();
  if (key !== undefined) headers.set("authorization", `${device === undefined ? "Bearer" : "DPoP"} ${key}`);
  if (device !== undefined) headers.set("dpop", await prove(device, token, method, path));
  return core.app.request(base + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

async function read<T>(answer: Response, status: number): Promise<T> {
  assert.equal(answer.status, status, await answer.clone().text());
  return (await answer.json()) as T;
}

async function invite(key: object = { role: "regulator", name: "Inspector" }, more: object = {}) {
  const answer = await send("/v1/invitations", { key: testAdminKey, body: { key, ...more } });
  return await read<CreatedInvitation>(answer, 201);
}

function accept(token: string, device: Device, prover: Device | undefined = device) {
  const body = { token, publicJwk: device.publicJwk };
  return send("/v1/invitations/accept", { body, device: prover, token });
}

test("makes a key that only the device that accepted can use", async () => {
  const { token, url, id } = await invite();
  assert.match(token, /^hi_[a-z0-9]{12}_[A-Za-z0-9_-]{43}$/);
  assert.equal(url, `${core.deps.config.publicUrl}/console/join#${token}`);
  const offer = await read<InvitationOffer>(await send("/v1/invitations/show", { body: { token } }), 200);
  assert.deepEqual([offer.role, offer.name], ["regulator", "Inspector"]);
  const device = await newDevice();
  const { key, id: keyId } = await read<CreatedApiKey>(await accept(token, device), 201);
  const holder = await read<KeyHolder>(await send("/v1/keys/self", { method: "GET", key, device }), 200);
  assert.deepEqual([holder.id, holder.role], [keyId, "regulator"]);
  assert.equal((await send("/v1/keys/self", { method: "GET", key })).status, 401);
  assert.equal((await send("/v1/keys/self", { method: "GET", key, device: await newDevice() })).status, 401);
  const { items } = await read<{ items: Invitation[] }>(
    await send("/v1/invitations", { method: "GET", key: testAdminKey }),
    200,
  );
  const listed = items.find((each) => each.id === id);
  assert.deepEqual([listed?.state, listed?.keyId], ["accepted", keyId]);
});

test("invites a supplier, whose key pair is not known yet", async () => {
  const { token } = await invite({ role: "supplier", name: "Till", supplierDid: "did:ixo:supplier/456" });
  const device = await newDevice();
  const { key } = await read<CreatedApiKey>(await accept(token, device), 201);
  const holder = await read<KeyHolder>(await send("/v1/keys/self", { method: "GET", key, device }), 200);
  assert.equal(holder.supplierDid, "did:ixo:supplier/456");
});

test("keeps only the hash of an invitation's secret", async () => {
  const { token, id } = await invite();
  const row = await core.deps.keys.invitations.find(id);
  assert.ok(!JSON.stringify(row).includes(token.slice(16)));
});

test("gives the same answer for an accepted, revoked, expired, unknown or altered invitation", async () => {
  const used = await invite();
  await read(await accept(used.token, await newDevice()), 201);
  const revoked = await invite();
  await read(await send(`/v1/invitations/${revoked.id}`, { method: "DELETE", key: testAdminKey }), 200);
  const brief = await invite(undefined, { validMinutes: 1 });
  const other = await invite();
  nowMs += 61_000;
  const altered = `${other.token.slice(0, -2)}${other.token.endsWith("AA") ? "BB" : "AA"}`;
  const foreign = other.token.replace("hi_", "hk_");
  const refusals = new Set<string>();
  for (const token of [used.token, revoked.token, brief.token, altered, foreign, "hi_", ""]) {
    for (const answer of [
      await send("/v1/invitations/show", { body: { token } }),
      await accept(token, await newDevice()),
    ]) {
      const { code, message } = await read<ErrorBody>(answer, 404);
      refusals.add(`${code} ${message}`);
    }
  }
  assert.equal(refusals.size, 1);
  await read(await accept(other.token, await newDevice()), 201);
});

test("gives one key when twenty devices accept together", async () => {
  const { token } = await invite();
  const devices = await Promise.all(Array.from({ length: 20 }, newDevice));
  const answers = await Promise.all(devices.map((device) => accept(token, device)));
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 404)]);
});

test("gives the same device a new secret when its answer was lost, and ends the previous one", async () => {
  const { token } = await invite();
  const device = await newDevice();
  const first = await read<CreatedApiKey>(await accept(token, device), 201);
  const second = await read<CreatedApiKey>(await accept(token, device), 201);
  assert.equal(second.id, first.id);
  assert.equal((await send("/v1/keys/self", { method: "GET", key: first.key, device })).status, 401);
  assert.equal((await send("/v1/keys/self", { method: "GET", key: second.key, device })).status, 200);
  await read(await send(`/v1/keys/${first.id}`, { method: "DELETE", key: testAdminKey }), 200);
  assert.equal((await accept(token, device)).status, 404);
});

test("requires a proof by the named key pair, for this invitation", async () => {
  const { token } = await invite();
  const device = await newDevice();
  const other = await invite();
  const body = { token, publicJwk: device.publicJwk };
  assert.equal((await send("/v1/invitations/accept", { body })).status, 401);
  assert.equal((await accept(token, device, await newDevice())).status, 401);
  assert.equal((await send("/v1/invitations/accept", { body, device, token: other.token })).status, 401);
  await read(await accept(token, device), 201);
});

test("names every rule that the invited key breaks", async () => {
  const answer = await send("/v1/invitations", {
    key: testAdminKey,
    body: { key: { role: "implementer", name: "x", supplierDid: "did:ixo:s", scopes: [] } },
  });
  const { details } = await read<ErrorBody>(answer, 400);
  assert.deepEqual(details.map(({ path, rule }) => `${path}:${rule}`).sort(), [
    "key.implementerDid:required-for-role",
    "key.scopes:not-for-role",
    "key.supplierDid:not-for-role",
  ]);
});

test("lets only an admin invite, list and revoke", async () => {
  const { token, id } = await invite();
  const device = await newDevice();
  const { key } = await read<CreatedApiKey>(await accept(token, device), 201);
  const body = { key: { role: "admin", name: "mine" } };
  assert.equal((await send("/v1/invitations", { key, device, body })).status, 403);
  assert.equal((await send("/v1/invitations", { method: "GET", key, device })).status, 403);
  assert.equal((await send(`/v1/invitations/${id}`, { method: "DELETE", key, device })).status, 403);
  assert.equal((await send("/v1/invitations", { body })).status, 401);
});

test("says which key to revoke when the invitation was accepted", async () => {
  const { token, id } = await invite();
  const { id: keyId } = await read<CreatedApiKey>(await accept(token, await newDevice()), 201);
  const answer = await send(`/v1/invitations/${id}`, { method: "DELETE", key: testAdminKey });
  assert.match((await read<ErrorBody>(answer, 409)).message, new RegExp(keyId));
});

test("ends the open invitations of a revoked key", async () => {
  const first = await newDevice();
  const { token } = await invite({ role: "admin", name: "Second admin" });
  const admin = await read<CreatedApiKey>(await accept(token, first), 201);
  const body = { key: { role: "admin", name: "Third" } };
  const opened = await read<CreatedInvitation>(
    await send("/v1/invitations", { key: admin.key, device: first, body }),
    201,
  );
  await read(await send(`/v1/keys/${admin.id}`, { method: "DELETE", key: testAdminKey }), 200);
  assert.equal((await accept(opened.token, await newDevice())).status, 404);
});

test("lets a device invite the next one, with the same rights and no others", async () => {
  const expiresAt = new Date(nowMs + 3_600_000).toISOString();
  const { token } = await invite({ role: "evaluator", name: "Evaluator", expiresAt, requestsPerMinute: 77 });
  const first = await newDevice();
  const { key } = await read<CreatedApiKey>(await accept(token, first), 201);
  const next = await read<CreatedInvitation>(
    await send("/v1/keys/self/invitations", { key, device: first, body: {} }),
    201,
  );
  const second = await read<CreatedApiKey>(await accept(next.token, await newDevice()), 201);
  const record = await read<ApiKey>(await send(`/v1/keys/${second.id}`, { method: "GET", key: testAdminKey }), 200);
  assert.deepEqual([record.role, record.expiresAt, record.requestsPerMinute], ["evaluator", expiresAt, 77]);
  const unbound = await send("/v1/keys/self/invitations", { key: testAdminKey, body: {} });
  assert.equal((await read<ErrorBody>(unbound, 400)).details[0]?.rule, "bound-key");
});

test("limits a person's devices, so that a key cannot multiply its requests, whichever device invites", async () => {
  const { token } = await invite({ role: "evaluator", name: "Many devices", requestsPerMinute: 500 });
  const first = await newDevice();
  let inviter = { device: first, key: (await read<CreatedApiKey>(await accept(token, first), 201)).key };
  for (let i = 0; i < 4; i++) {
    const next = await newDevice();
    const made = await read<CreatedInvitation>(await send("/v1/keys/self/invitations", { ...inviter, body: {} }), 201);
    inviter = { device: next, key: (await read<CreatedApiKey>(await accept(made.token, next), 201)).key };
  }
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => send("/v1/keys/self/invitations", { ...inviter, body: {} })),
  );
  assert.deepEqual(answers.map(({ status }) => status).sort(), [
    ...Array.from({ length: 5 }, () => 201),
    ...Array.from({ length: 7 }, () => 409),
  ]);
  const refused = answers.find(({ status }) => status === 409) as Response;
  assert.equal((await read<ErrorBody>(refused, 409)).details[0]?.rule, "devices-of-person");
  const other = await invite({ role: "evaluator", name: "Another person" });
  const device = await newDevice();
  const { key } = await read<CreatedApiKey>(await accept(other.token, device), 201);
  await read(await send("/v1/keys/self/invitations", { key, device, body: {} }), 201);
});

test("never writes an invitation's token to the log", async () => {
  const { token } = await invite();
  await send(`/v1/invitations/${token}`, { method: "DELETE", key: testAdminKey });
  assert.ok(lines.some((line) => line.includes("/v1/invitations/")));
  assert.ok(!lines.some((line) => line.includes(token.slice(16))), "the log holds the token");
});
