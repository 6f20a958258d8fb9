import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { toHex } from "viem";
import * as schema from "../../indexer/ponder.schema.ts";
import { prepareIndexer } from "../../indexer/start.ts";
import { type Indexer, startIndexerOn, waitForBlock } from "./ponder-process.ts";
import { registerParticipants } from "./story.ts";
import { createWorld, type World } from "./world.ts";

const mine = (world: World, blocks: number) => world.anvil.rpc("anvil_mine", [toHex(blocks)]);
const height = async (world: World) => BigInt((await world.anvil.rpc("eth_blockNumber")) as string);
const suspend = (world: World, reason: string) =>
  world.send("registrar", "participants", "setSupplierStatus", [1, false, reason]);

async function reasons(indexer: Indexer): Promise<string[]> {
  const rows = await indexer.client.db.select().from(schema.supplierStatus);
  return rows.sort((a, b) => Number(a.sequence - b.sequence)).map(({ reason }) => reason);
}

describe("an embedded index whose chain is no longer the one it mirrored", () => {
  const worlds: World[] = [];
  let indexer: Indexer | undefined;
  let folder: string;
  let world: World;

  before(async () => {
    const first = await createWorld();
    worlds.push(first);
    folder = join(first.folder, "indexer");
    await registerParticipants(first, 10);
    indexer = await startIndexerOn(first, folder);
    await waitForBlock(indexer, await height(first));
  });
  after(async () => {
    await indexer?.stop("SIGKILL");
    for (const each of worlds) await each.close();
  });

  it("refuses a second process in the same folder, and names the first", async () => {
    const [first] = worlds;
    const settings = {
      rpcUrl: first?.anvil.url ?? "",
      chainId: 31_337,
      deployment: first?.deployment ?? "",
      folder,
      host: "127.0.0.1",
      port: 1,
      requestsPerMinute: 600,
    };
    await assert.rejects(prepareIndexer(settings), /is in use by process \d+/);
  });

  it("is rebuilt on another genesis, without a single phantom row", async () => {
    await indexer?.stop("SIGKILL");
    world = await createWorld({ isNewChain: true });
    worlds.push(world);
    await registerParticipants(world, 3);
    await mine(world, 60);
    indexer = await startIndexerOn(world, folder);
    assert.match(String(indexer.rebuilt), /another chain or deployment/);
    await waitForBlock(indexer, await height(world));
    const households = await indexer.client.db.select().from(schema.household);
    assert.equal(households.length, 3);
  });

  it("marks no table after blocks that change nothing, and those that the next block changes", async () => {
    const live = indexer as Indexer;
    const count = /^ponder_database_method_duration_count\{.*method="commit_block".*\} (\d+)$/m;
    const marked = async () => Number(count.exec(await (await fetch(`${live.url}/metrics`)).text())?.[1] ?? 0);
    const before = await marked();
    await mine(world, 5);
    await waitForBlock(live, await height(world));
    assert.equal(await marked(), before);
    const { blockNumber } = await suspend(world, "checked");
    await waitForBlock(live, blockNumber);
    const changed = (await marked()) - before;
    assert.ok(changed > 0 && changed < 10, `${changed} tables`);
  });

  it("keeps its rows when a kill cost the chain a few blocks, but for the rows of those blocks", async () => {
    const live = indexer as Indexer;
    const snapshot = await world.anvil.rpc("evm_snapshot");
    const lost = await suspend(world, "lost with the chain's last blocks");
    await waitForBlock(live, lost.blockNumber);
    assert.equal((await reasons(live)).at(-1), "lost with the chain's last blocks");
    await live.stop("SIGKILL");
    await world.anvil.rpc("evm_revert", [snapshot]);
    await mine(world, 3);
    await suspend(world, "kept");
    indexer = await startIndexerOn(world, folder);
    assert.equal(indexer.rebuilt, undefined);
    await waitForBlock(indexer, await height(world));
    assert.deepEqual(await reasons(indexer), ["", "audit", "audit passed", "checked", "kept"]);
  });

  it("is rebuilt when the chain was rewound below what was final", async () => {
    const live = indexer as Indexer;
    const snapshot = await world.anvil.rpc("evm_snapshot");
    await suspend(world, "final, then gone");
    await mine(world, 100);
    await waitForBlock(live, await height(world));
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await live.stop("SIGKILL");
    await world.anvil.rpc("evm_revert", [snapshot]);
    await mine(world, 150);
    indexer = await startIndexerOn(world, folder);
    assert.match(String(indexer.rebuilt), /another hash now|rewound/);
    await waitForBlock(indexer, await height(world));
    assert.deepEqual(await reasons(indexer), ["", "audit", "audit passed", "checked", "kept"]);
  });
});
