import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Marker } from "../../indexer/lib/marker.ts";
import { prepareIndexer } from "../../indexer/start.ts";
import { startRpcProxy } from "../support/rpc-proxy.ts";
import { createWorld, type World } from "./world.ts";

describe("the embedded index before its start", () => {
  let world: World;
  before(async () => {
    world = await createWorld();
  });
  after(() => world.close());

  it("is rebuilt when another PGlite wrote it, which may have had files of another form", async () => {
    const folder = join(world.folder, "indexer");
    const { deployment } = world;
    const settings = { rpcUrl: world.anvil.url, chainId: 31_337, deployment, folder, host: "127.0.0.1", port: 0 };
    const prepare = () => prepareIndexer({ ...settings, requestsPerMinute: 60 });
    assert.equal((await prepare()).rebuilt, undefined);
    assert.equal((await prepare()).rebuilt, undefined, "what is there is kept");
    const file = join(folder, "marker.json");
    const marker = JSON.parse(readFileSync(file, "utf8")) as Marker;
    writeFileSync(file, JSON.stringify({ ...marker, pglite: "0.2.13" }));
    assert.match(String((await prepare()).rebuilt), /another version/);
  });

  it("is kept, and not started, when a node of the list is of another chain", async () => {
    const folder = join(world.folder, "indexer-of-two-nodes");
    const { deployment } = world;
    const prepare = (rpcUrl: string) =>
      prepareIndexer({
        rpcUrl,
        chainId: 31_337,
        deployment,
        folder,
        host: "127.0.0.1",
        port: 0,
        requestsPerMinute: 60,
      });
    await prepare(world.anvil.url);
    const marker = readFileSync(join(folder, "marker.json"), "utf8");
    const silent = await startRpcProxy(world.anvil.url, () => ({ status: 502 }));
    const foreign = await startRpcProxy(world.anvil.url, ({ method }) =>
      method === "eth_chainId" ? { result: "0x1" } : undefined,
    );
    const other = await startRpcProxy(world.anvil.url, ({ method, params }) =>
      method === "eth_getBlockByNumber" ? { instead: { method, params: ["0x1", ...params.slice(1)] } } : undefined,
    );
    try {
      await assert.rejects(prepare(`${silent.url},${foreign.url}`), /Node 2 of RPC_URL is of chain 1, not of 31337/);
      await assert.rejects(prepare(`${world.anvil.url},${other.url}`), /Nodes 1 and 2 of RPC_URL are of different/);
      await prepare(`${silent.url},${world.anvil.url}`);
    } finally {
      for (const proxy of [silent, foreign, other]) await proxy.close();
    }
    assert.equal(readFileSync(join(folder, "marker.json"), "utf8"), marker);
  });
});
