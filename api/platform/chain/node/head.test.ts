import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { pino } from "pino";
import { createPublicClient, http } from "viem";
import { type Anvil, freePort, startAnvil } from "../../../../test/support/anvil.ts";
import { newWorkers } from "../../../../test/support/workers.ts";
import { type Head, HeadWatcher } from "./head.ts";

const log = pino({ level: "silent" });
/** Polling interval longer than any of these tests: an earlier block was heard from the node's notice. */
const never = 600_000;

describe("the watch over the latest block", { timeout: 60_000 }, () => {
  let anvil: Anvil;
  let deaf: Server;
  const heads: HeadWatcher[] = [];
  const watch = (pollMs: number, noticesFrom: string) => {
    const client = createPublicClient({ transport: http(anvil.url, { retryCount: 0 }), cacheTime: 0 });
    const head = new HeadWatcher(client, { pollMs, noticesFrom, workers: newWorkers({ log }) });
    heads.push(head);
    head.start();
    return head;
  };
  /** The next `count` heads. */
  const next = (head: HeadWatcher, count: number) =>
    new Promise<Head[]>((resolve) => {
      const heard: Head[] = [];
      const end = head.subscribe((each) => {
        heard.push(each);
        if (heard.length < count) return;
        end();
        resolve(heard);
      });
    });

  before(async () => {
    anvil = await startAnvil({ blockSeconds: 0.3 });
    // Closes the connection of every client that asks for a WebSocket.
    deaf = createServer().on("upgrade", (_, socket) => socket.destroy());
    deaf.listen(0, "127.0.0.1");
    await once(deaf, "listening");
  });
  after(async () => {
    for (const head of heads) head.close();
    deaf.close();
    await anvil.stop();
  });

  it("hears of every block from the node, without looking for it", async () => {
    const heard = await next(watch(never, anvil.url), 5);
    const numbers = heard.map(({ number }) => Number(number));
    const [first = 0] = numbers;
    assert.deepEqual(
      numbers,
      [0, 1, 2, 3, 4].map((i) => first + i),
    );
  });

  it("hears of blocks again after the node was away", async () => {
    const head = watch(never, anvil.url);
    await next(head, 2);
    await anvil.stop("SIGKILL");
    anvil = await startAnvil({ blockSeconds: 0.3, port: anvil.port });
    await next(head, 3);
  });

  it("sees that a node was set back", async () => {
    await anvil.pauseMining();
    const snapshot = await anvil.rpc("evm_snapshot");
    const head = watch(never, anvil.url);
    const [before] = await next(head, 1);
    const mined = next(head, 1);
    await anvil.rpc("evm_mine");
    await mined;
    const setBack = next(head, 1);
    await anvil.rpc("evm_revert", [snapshot]);
    assert.equal((await setBack)[0]?.number, before?.number);
    await anvil.resumeMining();
  });

  it("looks for blocks where the node tells of none", async () => {
    const address = deaf.address();
    const port = typeof address === "object" && address !== null ? address.port : await freePort();
    await next(watch(50, `http://127.0.0.1:${port}`), 3);
  });
});
