import type { Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { inspect } from "node:util";
import { createAdaptorServer } from "@hono/node-server";
import { createWalletClient, type Hex, http, publicActions, toHex } from "viem";
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts";
import { openApp } from "../../../api/app.ts";
import type { Deps } from "../../../api/compose.ts";
import { oracleIdOf } from "../../../api/oracle/payments/oracle-id.ts";
import { registerOwnOracle } from "../../../api/oracle/payments/register-oracle.ts";
import { createLog } from "../../../api/platform/log.ts";
import { oraclesAbi } from "../../../deployments/abi/oracles.ts";
import { stablecoinAbi } from "../../../deployments/abi/stablecoin.ts";
import type { TestWorld } from "../chain.ts";
import { testAdminKey } from "../core.ts";

/** What a message costs in these tests. */
export const PRICE = 10_000n;

/** For tests: a whole API with its oracle in the registry of a real chain. */
export async function openPaidOracle(world: Pick<TestWorld, "config">, env: Record<string, string> = {}) {
  const config = world.config({
    ADMIN_API_KEY: testAdminKey,
    ORACLE_REQUESTS_PER_MINUTE: "1000000",
    ORACLE_NEW_USERS_PER_MINUTE: "1000000",
    ORACLE_PRICE: `${PRICE}`,
    PUBLIC_URL: "http://localhost:3000",
    ...env,
  });
  const { app, deps, close } = await openApp(config, createLog(config));
  await registerOwnOracle({ config, ...deps.oracle });
  const server = createAdaptorServer({ fetch: app.fetch }) as HttpServer;
  deps.oracle.attach(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    deps,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    did: deps.oracle.did,
    close: async () => {
      await deps.oracle.stop();
      server.closeAllConnections();
      server.close();
      await close();
    },
  };
}

export type PaidOracle = Awaited<ReturnType<typeof openPaidOracle>>;

/** For tests: an account that holds test coins, and signs for itself. */
export async function openPayer(world: TestWorld, deps: Deps, coins = 100_000_000n) {
  const account = privateKeyToAccount(generatePrivateKey());
  await world.anvil.rpc("anvil_setBalance", [account.address, toHex(10n ** 21n)]);
  const minter = walletOf(world, privateKeyToAccount(world.contracts.keys.deployer));
  const { stablecoin, oracles } = deps.chain.addresses;
  const mint = {
    abi: stablecoinAbi,
    address: stablecoin,
    functionName: "mint",
    args: [account.address, coins],
  } as const;
  await minter.waitForTransactionReceipt({ hash: await minter.writeContract({ ...mint, chain: null }) });
  const wallet = walletOf(world, account);
  const send = async (call: { to: Hex; data: Hex; gas: bigint }) => {
    const { status } = await wallet.waitForTransactionReceipt({
      hash: await wallet.sendTransaction({ ...call, chain: null }),
    });
    if (status !== "success") throw new Error("The payer's transaction was refused.");
  };
  const depositOf = async () => {
    const args = [oracleIdOf(deps.oracle.did), account.address] as const;
    return await wallet.readContract({ abi: oraclesAbi, address: oracles, functionName: "accountOf", args });
  };
  return { account, wallet, send, depositOf };
}

function walletOf(world: TestWorld, account: PrivateKeyAccount) {
  return createWalletClient({ account, transport: http(world.anvil.url), pollingInterval: 20 }).extend(publicActions);
}

/** For tests: ask until the answer is the one that is waited for. */
export async function until<T>(ask: () => Promise<T>, isThere: (answer: T) => boolean, ms = 60_000): Promise<T> {
  for (const end = Date.now() + ms; ; await sleep(50)) {
    const answer = await ask();
    if (isThere(answer)) return answer;
    if (Date.now() > end) throw new Error(`Waited in vain: ${inspect(answer)}`);
  }
}
