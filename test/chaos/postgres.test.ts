import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "../support/api-server.ts";
import { createTestWorld, type TestWorld } from "../support/chain.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { Redemptions, startServers } from "./redemptions.ts";

const restarts = 2;

let postgres: TestPostgres;
let world: TestWorld;
let servers: ServerProcess[] = [];
before(async () => {
  postgres = await startPostgres();
  world = await createTestWorld();
  servers = await startServers(world, await postgres.createDatabase(), 2);
});
after(async () => {
  for (const server of servers) await server.stop("SIGKILL");
  await world?.close();
  await postgres?.stop();
});

test("a restart of PostgreSQL ends no process, loses no redemption and does none twice", {
  timeout: 180_000,
}, async (t) => {
  const redemptions = await Redemptions.begin(servers);
  for (let round = 0; round < restarts; round++) {
    await sleep(1_500);
    await postgres.restart(1_000);
    t.diagnostic(`redeems again ${await redemptions.next()} ms after PostgreSQL is back`);
  }
  await sleep(1_000);
  t.diagnostic(await redemptions.end());
  for (const server of servers) assert.ok(server.isRunning(), "both processes are running");
});
