import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { type Anvil, startAnvil } from "../support/anvil.ts";
import type { ServerProcess } from "../support/api-server.ts";
import { createTestWorld, type TestWorld } from "../support/chain.ts";
import { startPostgres, type TestPostgres } from "../support/postgres.ts";
import { Redemptions, startServers } from "./redemptions.ts";

/** How long the node answers nothing, in milliseconds. */
const pauseMs = 20_000;

let postgres: TestPostgres;
let world: TestWorld;
let restarted: Anvil | undefined;
let servers: ServerProcess[] = [];
before(async () => {
  postgres = await startPostgres();
  world = await createTestWorld({ persistent: true, stateInterval: 1 });
  servers = await startServers(world, await postgres.createDatabase(), 2);
});
after(async () => {
  for (const server of servers) await server.stop("SIGKILL");
  await restarted?.stop("SIGKILL");
  await world?.close();
  await postgres?.stop();
});

test("a chain's node that hangs for 20 s, and one that is killed, lose no redemption and do none twice", {
  timeout: 240_000,
}, async (t) => {
  const redemptions = await Redemptions.begin(servers);
  await sleep(1_500);
  world.anvil.process.kill("SIGSTOP");
  await sleep(pauseMs);
  world.anvil.process.kill("SIGCONT");
  t.diagnostic(`redeems again ${await redemptions.next()} ms after the node answers again`);

  await sleep(1_500);
  await world.anvil.stop("SIGKILL");
  await sleep(2_000);
  restarted = await startAnvil({
    port: world.anvil.port,
    stateFile: join(world.dataDir, "chain.json"),
    stateInterval: 1,
  });
  t.diagnostic(`redeems again ${await redemptions.next()} ms after the node is back from a kill`);
  await sleep(1_000);
  t.diagnostic(await redemptions.end());
  for (const server of servers) assert.ok(server.isRunning(), "both processes are running");
});
