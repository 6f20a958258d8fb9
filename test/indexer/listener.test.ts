import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, test } from "node:test";
import { limitListeners } from "../../indexer/lib/listener.ts";

const server = createServer();
after(() => server.close());

test("gives the server that Ponder opens its limits before it takes a connection", async () => {
  limitListeners();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  assert.deepEqual([server.headersTimeout, server.requestTimeout, server.maxConnections], [30_000, 60_000, 2_000]);
});
