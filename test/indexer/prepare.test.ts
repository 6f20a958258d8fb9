import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Marker } from "../../indexer/lib/marker.ts";
import { prepareIndexer } from "../../indexer/start.ts";
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
});
