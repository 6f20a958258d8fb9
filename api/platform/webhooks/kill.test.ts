import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type KillableServer, startKillableServer } from "../../../test/support/killable-server.ts";

let server: KillableServer;

before(async () => {
  server = await startKillableServer();
});
after(() => server?.close());

test("a webhook is made once, and its secret shown, before whichever statement the server is killed", {
  timeout: 600_000,
}, async () => {
  const urls: string[] = [];
  for (let step = 1, survived = false; !survived; step += 1) {
    const url = `https://hooks.example.org/${step}`;
    urls.push(url);
    const create = () =>
      server.call("POST", "/v1/webhooks", { url, events: ["*"] }, { "idempotency-key": `webhook-${step}` });
    const first = await server.killBefore(step, () => create().catch(() => undefined));
    assert.ok(first === undefined || first.status === 201, JSON.stringify(first?.body));
    survived = first !== undefined && server.isRunning();
    await server.killAndStart();
    const again = await create();
    if (again.status === 409) {
      // The answer was ready when the server was killed, or had come, so it is never made again. Its id is there.
      const { id } = again.body as { id: string };
      assert.equal((await server.call("GET", `/v1/webhooks/${id}`, undefined)).status, 200, url);
      continue;
    }
    assert.equal(again.status, 201, `${url}: ${JSON.stringify(again.body)}`);
    assert.match(String(again.body.secret), /^whsec_/, url);
  }
  const { body } = await server.call("GET", "/v1/webhooks?limit=500", undefined);
  const made = (body as { items: { url: string }[] }).items.map(({ url }) => url);
  assert.deepEqual(made.sort(), urls.sort());
  assert.ok(urls.length > 3, `${urls.length} steps`);
});
