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
  let step = 0;
  for (let survived = false; !survived; ) {
    step += 1;
    const url = `https://hooks.example.org/${step}`;
    const create = () =>
      server.call("POST", "/v1/webhooks", { url, events: ["*"] }, { "idempotency-key": `webhook-${step}` });
    const first = await server.killBefore(step, () => create().catch(() => undefined));
    assert.ok(first === undefined || first.status === 201, JSON.stringify(first?.body));
    survived = first !== undefined && server.isRunning();
    await server.killAndStart();
    const { status, body } = await create();
    if (status === 409) {
      // The answer was ready when the server was killed, or had come, so it is never made again.
      const [{ rule } = { rule: "" }] = body.details as { rule: string }[];
      assert.equal(rule, "secret-shown-once", `${url}: ${JSON.stringify(body)}`);
    } else {
      assert.equal(status, 201, `${url}: ${JSON.stringify(body)}`);
      assert.match(String(body.secret), /^whsec_/, url);
    }
    const list = await server.call("GET", "/v1/webhooks", undefined);
    const made = (list.body as { items: { id: string; url: string }[] }).items;
    assert.deepEqual(
      made.map(({ id, url }) => ({ id, url })),
      [{ id: body.id, url }],
    );
    // A key can have 20 webhooks; a slow machine's background jobs make more steps than that.
    assert.equal((await server.call("DELETE", `/v1/webhooks/${body.id}`, undefined)).status, 200);
  }
  assert.ok(step > 3, `${step} steps`);
});
