import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, test } from "node:test";
import { indexerCheck } from "./indexer-ready.ts";

let status: unknown;
let code = 200;
const server = createServer((_, response) => {
  response.writeHead(code, { "content-type": "application/json" }).end(JSON.stringify(status));
});
let url: string;
before(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
after(() => server.close());

const at = (timestamp: number) => ({ hearth: { id: 31_337, block: { number: 7, timestamp } } });
const check = () => indexerCheck(url, async () => 1_000n)();

test("is ready while the indexer is at most 30 s of chain time behind", async () => {
  status = at(970);
  assert.deepEqual(await check(), { ready: true, blockNumber: 7, lagSeconds: 30 });
  status = at(969);
  assert.deepEqual(await check(), { ready: false, blockNumber: 7, lagSeconds: 31 });
});

test("is not ready while the indexer follows no chain or fails", async () => {
  status = {};
  assert.equal((await check()).ready, false);
  code = 503;
  assert.deepEqual(await check(), { ready: false, reason: "the indexer answers 503" });
});
