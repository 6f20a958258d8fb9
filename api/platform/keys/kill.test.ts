import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { type ServerProcess, startServer } from "../../../test/support/api-server.ts";
import { createTestWorld, type TestWorld } from "../../../test/support/chain.ts";
import type { CreatedApiKey } from "./schemas.ts";

/** Every statement in the long form, otherwise every other one. */
const stride = process.env.HEARTH_LONG ? 1 : 2;

let world: TestWorld;
let server: ServerProcess;
let killAt: string;

before(async () => {
  world = await createTestWorld();
  killAt = join(world.dataDir, "kill-at");
  const preload = fileURLToPath(new URL("../../../test/support/kill-at-statement.ts", import.meta.url));
  const env = { REQUESTS_PER_MINUTE: "100000", KILL_AT_FILE: killAt, NODE_OPTIONS: `--import=${preload}` };
  server = await startServer(world, env);
});
after(async () => {
  await server?.stop("SIGKILL");
  await world?.close();
});

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
    await writeFile(killAt, String(step));
    const first = await create().catch(() => undefined);
    await rm(killAt);
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
