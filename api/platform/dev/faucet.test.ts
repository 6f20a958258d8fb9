import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createWalletClient, erc20Abi, getAddress, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { stablecoinAbi } from "../../../deployments/abi/stablecoin.ts";
import { accountOf, openRegistryTest, type RegistryTest } from "../../../test/support/registry.ts";

let api: RegistryTest;

before(async () => {
  api = await openRegistryTest();
  await handFaucetToOperator();
});
after(() => api.close());

/** As scripts/deploy.ts leaves it on the embedded chain. */
async function handFaucetToOperator(): Promise<void> {
  const { anvil, contracts } = api.world;
  const account = privateKeyToAccount(contracts.keys.deployer);
  const wallet = createWalletClient({ account, transport: http(anvil.url) }).extend(publicActions);
  const hash = await wallet.writeContract({
    abi: stablecoinAbi,
    address: contracts.addresses.stablecoin,
    functionName: "transferOwnership",
    args: [api.deps.chain.senders.operator.address],
    chain: null,
  });
  await wallet.waitForTransactionReceipt({ hash, pollingInterval: 50 });
}

test("gives an account exactly the test stablecoin it asked for", async () => {
  const account = getAddress(accountOf(77));
  const { status, body } = await api.admin("POST", "/dev/faucet", { account, amount: 12.345678 });
  assert.equal(status, 201);
  const { stablecoin: address } = api.deps.chain.addresses;
  const balance = await api.deps.chain.client.readContract({
    address,
    abi: erc20Abi,
    functionName: "balanceOf",
    args: [account],
  });
  assert.equal(balance, 12_345_678n);
  assert.deepEqual(body, { ...(body as object), account, amount: 12.345678, token: address });
});

test("refuses the zero address and an amount of seven decimals, naming both", async () => {
  const account = `0x${"0".repeat(40)}`;
  const { status, body } = await api.admin("POST", "/dev/faucet", { account, amount: 0.0000001 });
  assert.equal(status, 400);
  assert.deepEqual((body as { details: { path: string }[] }).details.map(({ path }) => path).sort(), [
    "account",
    "amount",
  ]);
});
