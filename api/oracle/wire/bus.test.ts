import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { startPostgres, type TestPostgres } from "../../../test/support/postgres.ts";
import { createLog } from "../../platform/log.ts";
import { createBus, createSocketPool, createSocketServer, whenListening } from "./bus.ts";

const log = createLog({ logLevel: "silent" });

/** Let the pool's next connection come late, as on a busy machine. */
function delayConnection(pool: pg.Pool, ms: number): void {
  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  pool.connect = (async () => {
    pool.connect = connect as typeof pool.connect;
    await sleep(ms);
    return await connect();
  }) as typeof pool.connect;
}

describe("messages between processes", () => {
  let postgres: TestPostgres;
  before(async () => {
    postgres = await startPostgres();
  });
  after(() => postgres.stop());

  it("arrive at a process as soon as it has started, however slowly its connection came", async () => {
    const url = await postgres.createDatabase();
    const [early, late] = [createSocketPool(url, log), createSocketPool(url, log)];
    delayConnection(late, 400);
    const [sender, receiver] = [createSocketServer(early, log), createSocketServer(late, log)];
    try {
      const heard: string[] = [];
      createBus(receiver, false).on("abort", ({ runId }) => void heard.push(runId));
      await Promise.all([whenListening(early, log), whenListening(late, log)]);
      createBus(sender, false).publish("abort", { runId: "first", reason: "aborted" });
      for (let i = 0; i < 100 && heard.length === 0; i += 1) await sleep(20);
      assert.deepEqual(heard, ["first"]);
    } finally {
      await Promise.all([sender, receiver].map((io) => io.of("/").adapter.close()));
      await Promise.all([early.end(), late.end()]);
    }
  });
});
