import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type KillableServer, startKillableServer } from "../../../test/support/killable-server.ts";
import type { CreatedApiKey } from "./schemas.ts";

/** Every statement in the long form, otherwise every other one. */
const stride = process.env.HEARTH_LONG ? 1 : 2;

let server: KillableServer;

before(async () => {
  server = await startKillableServer();
});
after(() => server?.close());

/** Whether a key's secret is accepted. */
async function works(key: string): Promise<boolean> {
  const answer = await fetch(`${server.url}/v1/keys/self`, { headers: { authorization: `Bearer ${key}` } });
  return answer.status === 200;
}

test("a key is made once, and its secret shown, before whichever statement the server is killed", {
  timeout: 600_000,
}, async () => {
  const names: string[] = [];
  for (let step = 1, survived = false; !survived; step += stride) {
    const name = `key-${step}`;
    names.push(name);
    const create = () => server.call("POST", "/v1/keys", { name, role: "regulator" }, { "idempotency-key": name });
    const first = await server.killBefore(step, () => create().catch(() => undefined));
    survived = first !== undefined && server.isRunning();
    await server.killAndStart();
    const again = await create();
    if (first?.status === 201) {
      const { id, key } = first.body as CreatedApiKey;
      assert.deepEqual([again.status, (again.body as { id?: string }).id], [409, id], name);
      assert.ok(await works(key), name);
      continue;
    }
    if (again.status === 409) {
      // The answer was ready when the server was killed, so it is never made again. Its id is there to revoke the key.
      const { id } = again.body as { id: string };
      assert.equal((await server.call("GET", `/v1/keys/${id}`, undefined)).status, 200, name);
      continue;
    }
    assert.equal(again.status, 201, `${name}: ${JSON.stringify(again.body)}`);
    assert.ok(await works((again.body as CreatedApiKey).key), name);
  }
  const { body } = await server.call("GET", "/v1/keys?limit=500", undefined);
  const made = (body as { items: { name: string }[] }).items
    .map(({ name }) => name)
    .filter((each) => /^key-/.test(each));
  assert.deepEqual(made.sort(), names.sort());
  assert.ok(names.length > 3, `${names.length} steps`);
});

test("an invitation is made once, and its link shown, before whichever statement the server is killed", {
  timeout: 600_000,
}, async () => {
  const names: string[] = [];
  for (let step = 1, survived = false; !survived; step += stride) {
    const name = `invited-${step}`;
    names.push(name);
    const body = { key: { name, role: "regulator" }, validMinutes: 60 };
    const create = () => server.call("POST", "/v1/invitations", body, { "idempotency-key": name });
    const first = await server.killBefore(step, () => create().catch(() => undefined));
    survived = first !== undefined && server.isRunning();
    await server.killAndStart();
    const again = await create();
    const made = again.status === 201 ? again : first;
    assert.ok(again.status === 201 || again.status === 409, `${name}: ${JSON.stringify(again.body)}`);
    if (made?.status !== 201) continue;
    const offer = await server.call("POST", "/v1/invitations/show", { token: String(made.body.token) });
    assert.deepEqual([offer.status, offer.body.name], [200, name]);
  }
  const { body } = await server.call("GET", "/v1/invitations?limit=500", undefined);
  const made = (body as { items: { key: { name: string } }[] }).items.map(({ key }) => key.name);
  assert.deepEqual(made.filter((each) => /^invited-/.test(each)).sort(), names.sort());
  assert.ok(names.length > 3, `${names.length} steps`);
});
