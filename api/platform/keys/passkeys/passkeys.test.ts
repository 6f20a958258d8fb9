import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { SignJWT } from "jose";
import { SoftwareAuthenticator } from "../../../../test/support/authenticator.ts";
import { openTestCore, type TestCore, testAdminKey } from "../../../../test/support/core.ts";
import { newProofKey, type ProofKey } from "../../../../test/support/sessions.ts";
import type { App } from "../../http/index.ts";
import { createBaseApp, mount } from "../../server/base-app.ts";
import { createMetrics } from "../../server/observe.ts";
import { accessTokenHash } from "../dpop.ts";
import { createKeys, invitationRoutes, keyRoutes, passkeyRoutes } from "../index.ts";

const site = "http://localhost:3000";
type Answer = { status: number; body: Record<string, unknown> };
type Person = { token: string; proof: ProofKey };

describe("passkeys", () => {
  let core: TestCore;
  /** The same system in another process: it shares only the database. */
  let second: App;
  before(async () => {
    core = await openTestCore({ PUBLIC_URL: site });
    const { db, clock, config } = core.deps;
    const keys = createKeys({ db, clock, config });
    const other = { ...core.deps, keys, metrics: createMetrics() };
    second = createBaseApp(other);
    for (const [app, deps] of [
      [core.app, core.deps],
      [second, other],
    ] as const) {
      for (const routes of [keyRoutes(deps), ...invitationRoutes(deps), ...passkeyRoutes(deps)]) mount(app, routes);
    }
  });
  after(() => core.close());

  async function call(method: string, path: string, body?: unknown, person?: Person, app = core.app): Promise<Answer> {
    const headers: Record<string, string> = person
      ? { authorization: `DPoP ${person.token}`, dpop: await prove(person.proof, person.token, method, path) }
      : {};
    const answer = await app.request(`/v1${path}`, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: (await answer.json()) as Answer["body"] };
  }

  function prove({ privateKey, publicJwk }: ProofKey, token: string, htm: string, path: string): Promise<string> {
    const iat = Math.floor(Date.now() / 1000);
    const claims = { htm, htu: `${site}/v1${path}`, iat, jti: randomUUID(), ath: accessTokenHash(token) };
    return new SignJWT(claims).setProtectedHeader({ typ: "dpop+jwt", alg: "ES256", jwk: publicJwk }).sign(privateKey);
  }

  /** A person of a role whose key is bound to a device. */
  async function join(role = "regulator"): Promise<Person & { id: string }> {
    const proof = await newProofKey();
    const answer = await core.app.request("/v1/keys", {
      method: "POST",
      headers: { authorization: `Bearer ${testAdminKey}` },
      body: JSON.stringify({ role, name: "Inspector", publicJwk: proof.publicJwk }),
    });
    const { id, key } = (await answer.json()) as { id: string; key: string };
    return { id, token: key, proof };
  }

  async function register(person: Person, faults = {}) {
    const authenticator = new SoftwareAuthenticator(site);
    const options = await call("POST", "/keys/self/passkeys/challenges", undefined, person);
    assert.equal(options.status, 201, JSON.stringify(options.body));
    const registration = authenticator.register(options.body as never, faults);
    const made = await call("POST", "/keys/self/passkeys", { name: "Phone", registration }, person);
    return { authenticator, registration, made };
  }

  type SignIn = { faults?: object; proof?: ProofKey; sender?: ProofKey; app?: App };

  /** Sign in on a new device. `sender`: the key pair that sends the answer. */
  async function signIn(authenticator: SoftwareAuthenticator, { faults, app = core.app, ...pairs }: SignIn = {}) {
    const proof = pairs.proof ?? (await newProofKey());
    const { publicJwk } = proof;
    const options = await call("POST", "/passkeys/challenges", { publicJwk });
    const assertion = authenticator.signIn(options.body as never, faults);
    const challenge = String(options.body.challenge);
    return { proof, assertion, challenge, answer: await send(pairs.sender ?? proof, assertion, challenge, app) };
  }

  async function send(proof: ProofKey, assertion: object, challenge: string, app: App): Promise<Answer> {
    const path = "/passkeys/sign-in";
    const answer = await app.request(`/v1${path}`, {
      method: "POST",
      headers: { dpop: await prove(proof, challenge, "POST", path) },
      body: JSON.stringify({ publicJwk: proof.publicJwk, assertion }),
    });
    return { status: answer.status, body: (await answer.json()) as Answer["body"] };
  }

  it("give a person a key on another device, bound to that device, by any process", async () => {
    const person = await join();
    const { authenticator, made } = await register(person);
    assert.equal(made.status, 201, JSON.stringify(made.body));
    const { answer, proof } = await signIn(authenticator, { app: second });
    assert.equal(answer.status, 201, JSON.stringify(answer.body));
    assert.deepEqual(
      [answer.body.role, answer.body.name, answer.body.createdBy],
      ["regulator", "Inspector", person.id],
    );
    const device = { token: String(answer.body.key), proof };
    assert.equal((await call("GET", "/keys/self", undefined, device)).status, 200);
    const stolen = { token: device.token, proof: person.proof };
    assert.equal((await call("GET", "/keys/self", undefined, stolen)).status, 401);
    // The new device sees its person's passkeys; another person does not.
    const listed = await call("GET", "/keys/self/passkeys", undefined, device);
    assert.deepEqual(
      (listed.body.items as { id: string }[]).map(({ id }) => id),
      [authenticator.id],
    );
    const other = await join();
    assert.deepEqual((await call("GET", "/keys/self/passkeys", undefined, other)).body.items, []);
    assert.equal((await call("DELETE", `/keys/self/passkeys/${authenticator.id}`, undefined, other)).status, 404);
  });

  it("take each challenge once, in whichever process, and only for the key pair that asked for it", async () => {
    const { authenticator } = await register(await join());
    const { assertion, challenge, proof, answer } = await signIn(authenticator);
    assert.equal(answer.status, 201);
    for (const app of [core.app, second]) assert.equal((await send(proof, assertion, challenge, app)).status, 401);
    const stranger = await newProofKey();
    assert.equal((await signIn(authenticator, { sender: stranger })).answer.status, 401);
    // The refused attempt of another pair does not use the challenge up for its owner.
    const options = await call("POST", "/passkeys/challenges", { publicJwk: proof.publicJwk });
    const again = authenticator.signIn(options.body as never);
    assert.equal((await send(stranger, again, String(options.body.challenge), core.app)).status, 401);
    const both = await Promise.all(
      [core.app, second].map((app) => send(proof, again, String(options.body.challenge), app)),
    );
    assert.deepEqual(both.map(({ status }) => status).sort(), [201, 401]);
  });

  it("are refused from another site, without the person's confirmation, and with a counter that went back", async () => {
    const { authenticator } = await register(await join());
    assert.equal((await signIn(authenticator)).answer.status, 201);
    for (const faults of [
      { origin: "http://localhost.evil.example:3000" },
      { origin: "http://localhost:3001" },
      { rpId: "evil.example" },
      { isVerified: false },
      { counter: 1 },
    ]) {
      const { answer } = await signIn(authenticator, { faults });
      assert.equal(answer.status, 401, JSON.stringify(faults));
    }
    assert.equal((await signIn(authenticator)).answer.status, 201);
    assert.equal((await signIn(new SoftwareAuthenticator(site))).answer.status, 401);
  });

  it("are registered only from this site, with confirmation, once, and by the key that asked", async () => {
    const person = await join();
    for (const faults of [{ origin: "https://evil.example" }, { rpId: "evil.example" }, { isVerified: false }]) {
      assert.equal((await register(person, faults)).made.status, 400, JSON.stringify(faults));
    }
    const { registration, made } = await register(person);
    assert.equal(made.status, 201);
    assert.equal((await call("POST", "/keys/self/passkeys", { name: "Again", registration }, person)).status, 400);
    const options = await call("POST", "/keys/self/passkeys/challenges", undefined, person);
    const mine = new SoftwareAuthenticator(site).register(options.body as never);
    const other = await join();
    assert.equal(
      (await call("POST", "/keys/self/passkeys", { name: "Theirs", registration: mine }, other)).status,
      400,
    );
    const headers = { authorization: `Bearer ${testAdminKey}` };
    const unbound = await core.app.request("/v1/keys/self/passkeys/challenges", { method: "POST", headers });
    assert.equal(unbound.status, 400);
  });

  it("stop working when they are revoked, and when the key that registered them is", async () => {
    const person = await join();
    const { authenticator } = await register(person);
    const revoked = await call("DELETE", `/keys/self/passkeys/${authenticator.id}`, undefined, person);
    assert.ok(revoked.body.revokedAt);
    assert.equal((await signIn(authenticator)).answer.status, 401);
    const next = await register(person);
    assert.equal((await signIn(next.authenticator)).answer.status, 201);
    const headers = { authorization: `Bearer ${testAdminKey}` };
    await core.app.request(`/v1/keys/${person.id}`, { method: "DELETE", headers });
    assert.equal((await signIn(next.authenticator)).answer.status, 401);
  });

  it("keep the five newest keys of a passkey, so that signing in again never locks a person out", async () => {
    const { authenticator } = await register(await join());
    const devices: Person[] = [];
    for (let i = 0; i < 6; i++) {
      const { answer, proof } = await signIn(authenticator);
      assert.equal(answer.status, 201, JSON.stringify(answer.body));
      devices.push({ token: String(answer.body.key), proof });
    }
    const states = await Promise.all(
      devices.map(async (device) => (await call("GET", "/keys/self", undefined, device)).status),
    );
    assert.deepEqual(states, [401, 200, 200, 200, 200, 200]);
  });

  it("let a person have five at most", async () => {
    const person = await join();
    for (let i = 0; i < 5; i++) assert.equal((await register(person)).made.status, 201);
    const sixth = await call("POST", "/keys/self/passkeys/challenges", undefined, person);
    assert.equal(sixth.status, 409);
  });
});
