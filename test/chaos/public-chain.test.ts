// What happens on public chains, with API processes as programs: nodes that differ or hang, and a base fee above the cap.
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { parseGwei, toHex } from "viem";
import type { ServerProcess } from "../support/api-server.ts";
import type { TestWorld } from "../support/chain.ts";
import type { TestPostgres } from "../support/postgres.ts";
import type { RpcProxy } from "../support/rpc-proxy.ts";
import { loadParts, onlyLong } from "./long.ts";

describe("two API processes on a public chain", { skip: onlyLong }, () => {
  let postgres: TestPostgres;
  let world: TestWorld;
  let nodes: RpcProxy[] = [];
  let servers: ServerProcess[] = [];
  let voucherId: string;
  let isMixed = false;
  let isFirstAway = false;
  before(async () => {
    const parts = await loadParts();
    [postgres, world] = await Promise.all([parts.startPostgres(), parts.createTestWorld()]);
    let calls = 0;
    const isBehind = () => isMixed && calls++ % 3 === 0;
    nodes = [
      await parts.startRpcProxy(world.anvil.url, () => (isFirstAway ? { status: 502 } : undefined)),
      await parts.startLaggingNode(world.anvil.url, { blocks: 20, isBehind }),
    ];
    const [first, second] = nodes as [RpcProxy, RpcProxy];
    const env = {
      ...parts.outsideChain(world, `${first.url},${second.url}`),
      MAX_FEE_GWEI: "20",
      MAX_PRIORITY_FEE_GWEI: "2",
      TX_WAIT_MS: "3000",
    };
    servers = await parts.startServers(world, await postgres.createDatabase(), 2, env);
    voucherId = await parts.issueOneVoucher(servers[0] as ServerProcess, 1_000_000);
  });
  after(async () => {
    for (const server of servers) await server.stop("SIGKILL");
    for (const node of nodes) await node.close();
    await world?.close();
    await postgres?.stop();
  });

  it("lose no redemption while the first node is away and the second one's latest block goes back and forth", {
    timeout: 300_000,
  }, async (t) => {
    const { Redemptions } = await loadParts();
    const redemptions = await Redemptions.begin(servers, voucherId);
    await sleep(3_000);
    isFirstAway = true;
    t.diagnostic(`redeems again ${await redemptions.next()} ms after the first node went away`);
    await sleep(3_000);
    isMixed = true;
    await sleep(15_000);
    t.diagnostic(`redeems after ${await redemptions.next()} ms with nodes that differ by 20 blocks`);
    isMixed = false;
    isFirstAway = false;
    await sleep(3_000);
    t.diagnostic(await redemptions.end());
  });

  it("store writes while the base fee is above the cap, say so, and carry them out once it has fallen", {
    timeout: 120_000,
  }, async (t) => {
    const { productId, supplierDid } = await loadParts();
    const [one, other] = servers as [ServerProcess, ServerProcess];
    const path = `/v1/vouchers/${encodeURIComponent(voucherId)}`;
    const before = Number((await one.call("GET", path)).body.remainingBalance);
    await world.anvil.pauseMining();
    await world.anvil.rpc("anvil_setNextBlockBaseFeePerGas", [toHex(parseGwei("200"))]);
    await world.anvil.rpc("evm_mine");
    await sleep(2_500);
    const body = { voucherId, supplierDid, productId, amount: 1 };
    const answer = await one.call("POST", "/v1/vouchers/redeem", body, { "idempotency-key": "above-the-cap" });
    assert.equal(answer.status, 202, JSON.stringify(answer));
    const url = String(answer.body.url);
    await sleep(1_500);
    for (const server of [one, other]) {
      const { body: operation } = await server.call("GET", url);
      assert.equal((operation.waitsFor as { rule: string } | undefined)?.rule, "base-fee", JSON.stringify(operation));
      const metrics = await (await fetch(`${server.url}/metrics`)).text();
      assert.match(metrics, /^hearth_outbox_waiting_for_base_fee 1$/m);
    }
    const begin = Date.now();
    await world.anvil.rpc("anvil_mine", [toHex(30)]);
    await world.anvil.resumeMining();
    for (;;) {
      const { body: operation } = await other.call("GET", url);
      if (operation.status === "succeeded") break;
      assert.ok(Date.now() - begin < 60_000, JSON.stringify(operation));
      await sleep(200);
    }
    t.diagnostic(`carried out ${Date.now() - begin} ms after the base fee fell`);
    const again = await other.call("POST", "/v1/vouchers/redeem", body, { "idempotency-key": "above-the-cap" });
    assert.ok([201, 202].includes(again.status), JSON.stringify(again));
    assert.equal((await one.call("GET", path)).body.remainingBalance, before - 1, "it is done once");
  });
});
