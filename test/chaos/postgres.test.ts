// PostgreSQL restarts while clients redeem at two API processes. Neither may end, and each redemption happens once.
import assert from "node:assert/strict";
import { randomBytes, randomUUID } from "node:crypto";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { issueOneVoucher, productId, supplierDid } from "../e2e/scheme.ts";
import { type ServerProcess, startServer } from "../support/api-server.ts";
import { createTestWorld, type TestWorld } from "../support/chain.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";

const restarts = 2;
const clients = 8;
const value = 1_000_000;

let postgres: TestPostgres;
let world: TestWorld;
const servers: ServerProcess[] = [];
before(async () => {
  postgres = await startPostgres();
  world = await createTestWorld();
  const env = {
    DATABASE_URL: await postgres.createDatabase(),
    SERVICE_KEY: randomBytes(32).toString("hex"),
    VFS_KEK: randomBytes(32).toString("hex"),
    BLOB_URL: `file://${world.dataDir}/shared-files`,
    REQUESTS_PER_MINUTE: "1000000",
  };
  servers.push(await startServer(world, env), await startServer(world, env));
});
after(async () => {
  for (const server of servers) await server.stop("SIGKILL");
  await world?.close();
  await postgres?.stop();
});

type Seen = {
  /** Id of the redemption that each key was answered with. */
  acknowledged: Map<string, string>;
  /** Number of answers of each status. */
  statuses: Map<number, number>;
};

/** Redeem one unit again and again, each time under a new key, which is sent until it is acknowledged. */
async function redeemRepeatedly(server: ServerProcess, voucherId: string, seen: Seen, isOver: () => boolean) {
  const body = { voucherId, supplierDid, productId, amount: 1 };
  while (!isOver()) {
    const key = randomUUID();
    for (;;) {
      const answer = await server.call("POST", "/v1/vouchers/redeem", body, { "idempotency-key": key });
      seen.statuses.set(answer.status, (seen.statuses.get(answer.status) ?? 0) + 1);
      if (answer.status === 201) {
        seen.acknowledged.set(key, String(answer.body.redemptionId));
        break;
      }
      assert.ok([202, 409, 503].includes(answer.status), JSON.stringify(answer));
      await sleep(100);
    }
  }
}

test("a restart of PostgreSQL ends no process, loses no redemption and does none twice", {
  timeout: 180_000,
}, async (t) => {
  const [one] = servers as [ServerProcess];
  const voucherId = await issueOneVoucher(one, value);
  const seen: Seen = { acknowledged: new Map(), statuses: new Map() };
  let over = false;
  const work = Array.from({ length: clients }, (_, client) =>
    redeemRepeatedly(servers[client % servers.length] as ServerProcess, voucherId, seen, () => over),
  );
  for (let round = 0; round < restarts; round++) {
    await sleep(1_500);
    await postgres.restart(1_000);
    const up = Date.now();
    const before = seen.acknowledged.size;
    while (seen.acknowledged.size === before) await sleep(10);
    t.diagnostic(`redeems again ${Date.now() - up} ms after PostgreSQL is back`);
  }
  await sleep(1_000);
  over = true;
  await Promise.all(work);
  t.diagnostic(`answers by status: ${JSON.stringify(Object.fromEntries(seen.statuses))}`);

  assert.ok(
    servers.every((server) => server.isRunning()),
    "both processes are running",
  );
  const ids = [...seen.acknowledged.values()];
  assert.equal(new Set(ids).size, ids.length, "every acknowledged write has a separate redemption");
  const voucher = await one.call("GET", `/v1/vouchers/${encodeURIComponent(voucherId)}`);
  assert.equal(voucher.body.remainingBalance, value - ids.length, "the chain has each of them once");
});
