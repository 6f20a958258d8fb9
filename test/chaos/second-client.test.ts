// The scheme is deployed and used on another client than anvil: Hardhat's node (EDR), started as a program.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createPublicClient, http } from "viem";
import type { ServerProcess } from "../support/api-server.ts";
import { killChildWithParent } from "../support/parent-watchdog.ts";
import type { TestPostgres } from "../support/postgres.ts";
import { loadParts, onlyLong } from "./long.ts";

const chainId = 31_337;

describe("Hardhat's node in place of anvil", { skip: onlyLong }, () => {
  let folder: string;
  let node: ChildProcess;
  let postgres: TestPostgres;
  let servers: ServerProcess[] = [];
  before(async () => {
    const { deployTestContracts, freePorts, startPostgres, startServers, outsideChain } = await loadParts();
    folder = await mkdtemp(join(tmpdir(), "hearth-edr-"));
    const [port] = (await freePorts(1)) as [number];
    node = spawn(
      "hardhat",
      ["node", "--port", String(port), "--hostname", "127.0.0.1", "--chain-id", String(chainId)],
      {
        stdio: ["ignore", "ignore", "inherit"],
      },
    );
    killChildWithParent(node);
    const url = `http://127.0.0.1:${port}`;
    const client = createPublicClient({ transport: http(url, { retryCount: 0 }), cacheTime: 0 });
    for (let i = 0; (await client.getChainId().catch(() => 0)) !== chainId; i++) {
      assert.ok(node.exitCode === null && i < 600, "Hardhat's node does not answer");
      await sleep(100);
    }
    // Its names of the test methods.
    const rpc = (method: string, params: unknown[] = []) =>
      client.request({ method: method.replace(/^anvil_/, "hardhat_"), params } as never) as Promise<unknown>;
    const unused = () => assert.fail();
    const anvil = {
      url,
      port,
      process: node,
      rpc,
      pauseMining: unused,
      resumeMining: unused,
      untilPending: unused,
      stop: async () => void node.kill("SIGKILL"),
    };
    const deployment = join(folder, "31337.json");
    const contracts = await deployTestContracts(anvil, deployment);
    await rpc("evm_setAutomine", [false]);
    await rpc("evm_setIntervalMining", [300]);
    postgres = await startPostgres();
    const world = { anvil, contracts, deployment, dataDir: folder, config: () => assert.fail(), close: async () => {} };
    servers = await startServers(world, await postgres.createDatabase(), 2, outsideChain(world));
  });
  after(async () => {
    for (const server of servers) await server.stop("SIGKILL");
    node?.kill("SIGKILL");
    await postgres?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it("takes the deployment, certificates, vouchers and redemptions, each once", { timeout: 240_000 }, async (t) => {
    const { Redemptions } = await loadParts();
    const redemptions = await Redemptions.begin(servers);
    await sleep(5_000);
    node.kill("SIGSTOP");
    await sleep(5_000);
    node.kill("SIGCONT");
    t.diagnostic(`redeems again ${await redemptions.next()} ms after the node answers again`);
    await sleep(5_000);
    t.diagnostic(await redemptions.end());
    assert.ok(redemptions.acknowledged > 10, `${redemptions.acknowledged} redemptions`);
  });
});
