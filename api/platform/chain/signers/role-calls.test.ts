import assert from "node:assert/strict";
import { test } from "node:test";
import { encodeFunctionData, getAddress } from "viem";
import { generatePrivateKey } from "viem/accounts";
import { stablecoinAbi } from "../../../../deployments/abi/stablecoin.ts";
import type { DeployedContracts } from "../../../../deployments/deployment.ts";
import { abis } from "../contracts.ts";
import { restrictToRoles } from "./role-calls.ts";
import { keySigner } from "./signer.ts";

const names = [...Object.keys(abis), "council", "timelock"];
const contracts = Object.fromEntries(
  names.map((name, i) => [name, getAddress(`0x${(i + 1).toString(16).padStart(40, "0")}`)]),
) as unknown as DeployedContracts;

test("the operator mints the test token on the embedded chain only", async () => {
  const signer = () => keySigner(generatePrivateKey());
  const senders = { operator: signer(), registrar: signer(), evaluator: signer() };
  const mint = {
    type: "eip1559",
    chainId: 1,
    gas: 100_000n,
    nonce: 0,
    maxFeePerGas: 1n,
    maxPriorityFeePerGas: 0n,
    to: contracts.stablecoin,
    data: encodeFunctionData({ abi: stablecoinAbi, functionName: "mint", args: [senders.operator.address, 1n] }),
  } as const;
  const signs = async (isEmbedded: boolean, name: keyof typeof senders) =>
    restrictToRoles(senders, contracts, { isEmbedded })[name].signTransaction(mint);
  assert.match(await signs(true, "operator"), /^0x02/);
  await assert.rejects(signs(true, "registrar"), /its roles do not include that/);
  await assert.rejects(signs(false, "operator"), /its roles do not include that/);
});
