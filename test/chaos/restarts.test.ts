// API processes behind nginx are restarted one after the other, and killed, while clients work.
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import type { ServerProcess } from "../support/api-server.ts";
import type { TestWorld } from "../support/chain.ts";
import { type Nginx, withoutNginx } from "../support/nginx.ts";
import type { TestPostgres } from "../support/postgres.ts";
import { loadParts, onlyLong } from "./long.ts";
import type { Target } from "./redemptions.ts";

const inFlight = 100;
const value = 1_000_000;
const [killEveryMs, kills] = [5_000, 6];

describe("two API processes behind a load balancer", { skip: onlyLong || withoutNginx() || false }, () => {
  let postgres: TestPostgres;
  let world: TestWorld;
  let nginx: Nginx | undefined;
  let servers: ServerProcess[] = [];
  let balancer: Target;
  let voucherId: string;
  before(async () => {
    const { callAt, createTestWorld, issueOneVoucher, startNginx, startPostgres, startServers } = await loadParts();
    [postgres, world] = await Promise.all([startPostgres(), createTestWorld()]);
    servers = await startServers(world, await postgres.createDatabase(), 2, { TRUST_PROXY: "1" });
    nginx = await startNginx(servers.map(({ url }) => url));
    balancer = { call: callAt(nginx.url), isRunning: () => true };
    voucherId = await issueOneVoucher(balancer, value);
  });
  after(async () => {
    await nginx?.close();
    for (const server of servers) await server.stop("SIGKILL");
    await world?.close();
    await postgres?.stop();
  });

  it("answer every one of 100 requests in flight while each process is restarted", { timeout: 300_000 }, async (t) => {
    const { productId, supplierDid } = await loadParts();
    const path = `/v1/vouchers/${encodeURIComponent(voucherId)}`;
    const answers: Record<string, number> = {};
    const failures: string[] = [];
    let [isOver, redeemed] = [false, 0];
    const once = async (client: number) => {
      const headers = { "idempotency-key": randomUUID() };
      const body = { voucherId, supplierDid, productId, amount: 1 };
      const answer = await (client % 4 === 0
        ? balancer.call("POST", "/v1/vouchers/redeem", body, headers)
        : balancer.call("GET", path)
      ).catch((error: unknown) => ({ status: 0, body: { error: String(error) } }));
      answers[answer.status] = (answers[answer.status] ?? 0) + 1;
      // 202: accepted, and followed by an operation.
      if (client % 4 === 0 && [201, 202].includes(answer.status)) redeemed++;
      else if (answer.status !== 200) failures.push(JSON.stringify(answer).slice(0, 300));
    };
    const work = Promise.all(
      Array.from({ length: inFlight }, async (_, client) => {
        while (!isOver) await once(client);
      }),
    );
    await sleep(2_000);
    for (const server of servers) {
      const begin = Date.now();
      await server.restart();
      t.diagnostic(`restarted in ${Date.now() - begin} ms`);
      await sleep(2_000);
    }
    isOver = true;
    await work;
    t.diagnostic(`answers by status: ${JSON.stringify(answers)}`);
    if (failures.length > 0) t.diagnostic(String(await nginx?.errors()));
    assert.deepEqual(failures, []);
    for (let i = 0; i < 300; i++) {
      if ((await balancer.call("GET", path)).body.remainingBalance === value - redeemed) return;
      await sleep(100);
    }
    assert.fail("the chain has each accepted redemption once");
  });

  it(`lose no redemption and do none twice while one is killed every ${killEveryMs / 1000} s`, {
    timeout: 400_000,
  }, async (t) => {
    const { Redemptions } = await loadParts();
    const redemptions = await Redemptions.begin([balancer], voucherId);
    for (let kill = 0; kill < kills; kill++) {
      await sleep(killEveryMs);
      const server = servers[kill % servers.length] as ServerProcess;
      const replaced = server.killAndStart();
      t.diagnostic(`redeems again ${await redemptions.next()} ms after a kill`);
      await replaced;
    }
    const begin = Date.now();
    t.diagnostic(await redemptions.end());
    t.diagnostic(
      `${redemptions.acknowledged} redemptions; the last was acknowledged ${Date.now() - begin} ms after the end`,
    );
  });
});
