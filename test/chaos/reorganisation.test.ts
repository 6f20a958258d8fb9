// The chain loses its last 20 blocks while clients redeem: the outbox sends what was lost again, and the index follows.
import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { Indexer } from "../indexer/ponder-process.ts";
import type { ServerProcess } from "../support/api-server.ts";
import type { TestWorld } from "../support/chain.ts";
import type { TestPostgres } from "../support/postgres.ts";
import { loadParts, onlyLong } from "./long.ts";

const depth = 20;

describe("a reorganisation of 20 blocks", { skip: onlyLong }, () => {
  let postgres: TestPostgres;
  let world: TestWorld;
  let indexer: Indexer | undefined;
  let servers: ServerProcess[] = [];
  before(async () => {
    const parts = await loadParts();
    [postgres, world] = await Promise.all([parts.startPostgres(), parts.createTestWorld()]);
    indexer = await parts.startIndexerOn({ ...world, folder: world.dataDir } as never, join(world.dataDir, "indexer"));
    const env = parts.outsideChain(world);
    servers = await parts.startServers(world, await postgres.createDatabase(), 2, env);
  });
  after(async () => {
    for (const server of servers) await server.stop("SIGKILL");
    await indexer?.stop("SIGKILL");
    await world?.close();
    await postgres?.stop();
  });

  it("loses no redemption, does none twice, and leaves the index equal to the chain", {
    timeout: 600_000,
  }, async (t) => {
    const { Redemptions, countIndexedRedemptions } = await loadParts();
    const redemptions = await Redemptions.begin(servers);
    for (let round = 0; round < 3; round++) {
      await sleep(4_000);
      await world.anvil.rpc("anvil_reorg", [depth, []]);
      t.diagnostic(`redeems again ${await redemptions.next()} ms after ${depth} blocks were lost`);
    }
    await sleep(2_000);
    t.diagnostic(await redemptions.end());
    for (const server of servers) assert.ok(server.isRunning(), "both processes are running");
    const { acknowledged } = redemptions;
    let indexed = 0;
    const begin = Date.now();
    while (indexed !== acknowledged && Date.now() - begin < 240_000) {
      await sleep(300);
      // A socket that was kept alive may be closed under the request.
      indexed = (await countIndexedRedemptions(indexer as Indexer).catch(() => undefined)) ?? indexed;
    }
    t.diagnostic(`the index is right ${Date.now() - begin} ms after the last redemption`);
    assert.equal(indexed, acknowledged, `the index has each of them once; it says: ${indexer?.output().slice(-2_000)}`);
  });
});
