import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { privateKeyToAccount } from "viem/accounts";
import { type ServerProcess, startServer } from "../test/support/api-server.ts";
import { createTestWorld, type TestWorld } from "../test/support/chain.ts";
import { testAdminKey } from "../test/support/core.ts";
import { startS3 } from "../test/support/s3.ts";

let world: TestWorld;
let s3: Awaited<ReturnType<typeof startS3>> | undefined;
let server: ServerProcess;
before(async () => {
  world = await createTestWorld();
  s3 = await startS3();
  server = await startServer(world, { BLOB_URL: await s3.createBucket(), STORE_LIMIT_BYTES: "1000000" });
});
after(async () => {
  await server?.stop("SIGKILL");
  await s3?.stop();
  await world?.close();
});

/** Read the gauges of Hearth by name, with their labels. */
async function gauges(): Promise<Map<string, number>> {
  const response = await fetch(`${server.url}/metrics`);
  assert.equal(response.status, 200);
  const lines = (await response.text()).split("\n").filter((line) => line.startsWith("hearth_"));
  return new Map(lines.map((line) => line.split(" ")).map(([name, value]) => [String(name), Number(value)]));
}

async function checks(): Promise<Record<string, { ready: boolean; reason?: string }>> {
  const response = await fetch(`${server.url}/ready`);
  return ((await response.json()) as { checks: Record<string, { ready: boolean; reason?: string }> }).checks;
}

test("shows what an operator asks of the outbox, chain, senders, queues, pool and files", async () => {
  const seen = await gauges();
  const zero = ["outbox_open", "outbox_oldest_age_seconds", "operations_open", "webhook_deliveries_pending"];
  for (const name of zero) assert.equal(seen.get(`hearth_${name}`), 0, name);
  assert.equal(seen.get("hearth_files_limit_bytes"), 1_000_000);
  assert.equal(seen.get("hearth_pool_paused"), 0);
  for (const name of ["chain_block_number", "chain_gas_price_gwei", 'sender_balance_ether{sender="operator"}']) {
    assert.ok((seen.get(`hearth_${name}`) ?? 0) > 0, name);
  }
});

test("counts the event streams that clients keep open", async () => {
  const kinds = async () => {
    // A reading is kept for a second.
    await sleep(1_100);
    const seen = await gauges();
    return ["events", "answers", "sockets"].map((kind) => seen.get(`hearth_streams_open{kind="${kind}"}`));
  };
  const leave = new AbortController();
  const headers = { authorization: `Bearer ${testAdminKey}` };
  const stream = await fetch(`${server.url}/v1/events`, { headers, signal: leave.signal });
  assert.equal(stream.status, 200);
  assert.deepEqual(await kinds(), [1, 0, 0]);
  leave.abort();
  assert.deepEqual(await kinds(), [0, 0, 0]);
});

test("leaves out a gauge that cannot be read, and counts that", async () => {
  // This world has no indexer.
  const seen = await gauges();
  assert.equal(seen.has("hearth_indexer_lag_blocks"), false);
  assert.ok((seen.get('hearth_gauge_errors_total{group="indexer"}') ?? 0) > 0);
});

test("is not ready without ether for gas, and says whose account lacks it", async () => {
  assert.deepEqual((await checks()).gas, { ready: true });
  await world.anvil.rpc("anvil_setBalance", [privateKeyToAccount(world.contracts.keys.evaluator).address, "0x0"]);
  await sleep(1_100);
  assert.deepEqual((await checks()).gas, {
    ready: false,
    reason: "too little ether to pay for gas: evaluator",
  });
});

test("is not ready while the bucket is away", async () => {
  assert.deepEqual((await checks()).files, { ready: true });
  await s3?.stop();
  s3 = undefined;
  await sleep(2_100);
  assert.equal((await checks()).files?.ready, false);
});
