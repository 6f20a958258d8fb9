import { type Address, createWalletClient, encodeFunctionData, type Hex, http, isAddressEqual } from "viem";
import { errorFromRevert } from "../../api/platform/chain/errors/reverts.ts";
import type { PreparedTransaction } from "../../api/platform/transactions/schemas.ts";
import { encodeCancel } from "../../api/scheme/governance/operations.ts";
import { poolAbi } from "../../deployments/abi/pool.ts";
import type { Deployment } from "../../deployments/deployment.ts";
import { openNode, type TrustedNode } from "./node.ts";
import type { Service } from "./service.ts";
import { confirm, type Signer } from "./signer.ts";
import { RefusedError, type Values } from "./usage.ts";

/** One call by the guardian, and its description. */
export type GuardianCall = { contract: keyof Deployment["contracts"]; data: Hex; title: string };
/** A call that the service accepts as well, and its route. */
type RelayedCall = GuardianCall & { path: string; body: Record<string, unknown> };

/** Pause the pool: one transaction of the guardian's own account. */
export async function pausePool(service: Service, values: Values, signer: Signer): Promise<void> {
  const data = encodeFunctionData({ abi: poolAbi, functionName: "pause" });
  const body = { from: signer.address };
  await sendAsGuardian(service, values, signer, {
    contract: "pool",
    data,
    path: "/pause",
    body,
    title: "Pause the pool",
  });
}

/** Cancel a scheduled operation immediately. */
export async function cancelAsGuardian(service: Service, values: Values, signer: Signer, id: Hex): Promise<void> {
  const path = `/proposals/${id}/cancel`;
  const title = `Cancel the scheduled operation ${id}`;
  const call = { contract: "timelock", data: encodeCancel(id), path, body: { by: signer.address }, title } as const;
  await sendAsGuardian(service, values, signer, call);
}

async function sendAsGuardian(service: Service, values: Values, signer: Signer, call: RelayedCall): Promise<void> {
  const node = await openNode(values);
  if (node !== undefined && signer.account !== undefined) return await sendToNode(node, values, signer, call);
  announce(call, signer);
  const signedTransaction = values["signed-transaction"] ?? (await signForService(service, values, signer, call));
  if (signedTransaction === undefined) return;
  const body = call.path === "/pause" ? { signedTransaction } : { ...call.body, signedTransaction };
  await service("POST", call.path, body);
  console.log("Done: it is on chain.");
}

function announce({ title }: GuardianCall, { address }: Signer): void {
  console.log(`${title.replace(/\.$/, "")}, immediately, as ${address}.`);
}

/** Send the guardian's transaction to a node. Where its key is elsewhere, print the call for its wallet instead. */
export async function sendToNode(
  { url, client, deployment }: TrustedNode,
  values: Values,
  signer: Signer,
  call: GuardianCall,
): Promise<void> {
  announce(call, signer);
  const to = deployment.contracts[call.contract];
  await client.call({ account: signer.address, to, data: call.data }).catch((cause: Error) => {
    const why = errorFromRevert(cause)?.message ?? cause.message.split("\n")[0];
    throw new RefusedError(`The chain refuses it: ${why}`);
  });
  const { account } = signer;
  if (account === undefined) {
    return console.log(`Send this from ${signer.address}:\n${JSON.stringify({ to, data: call.data }, null, 2)}`);
  }
  if (!(await confirm(`Send it to ${url}?`, values))) throw new RefusedError("Nothing was sent.");
  const wallet = createWalletClient({ account, transport: http(url) });
  const hash = await wallet.sendTransaction({ chain: null, to, data: call.data });
  const { status, blockNumber } = await client.waitForTransactionReceipt({ hash, pollingInterval: 500 });
  if (status !== "success") throw new RefusedError(`The chain refused it (${hash}).`);
  console.log(`Done in block ${blockNumber} (${hash}).`);
}

/** The signed bytes; undefined when the key is elsewhere and has yet to sign what is printed. */
async function signForService(
  service: Service,
  values: Values,
  { account, address }: Signer,
  call: RelayedCall,
): Promise<Hex | undefined> {
  const { body } = await service<Partial<PreparedTransaction>>("POST", call.path, call.body);
  const { transaction, unsignedTransaction } = body;
  if (transaction === undefined) throw new RefusedError(`${address} is not the guardian.`);
  const isSame =
    transaction.data.toLowerCase() === call.data &&
    transaction.value === "0" &&
    isAddressEqual(transaction.from as Address, address);
  if (!isSame) throw new RefusedError("The service asks for another transaction than this. Nothing was signed.");
  if (account === undefined) {
    console.log(
      `Sign this transaction, and call again with --signed-transaction:\n${JSON.stringify(transaction, null, 2)}\n${unsignedTransaction}`,
    );
    return undefined;
  }
  if (!(await confirm(`Sign a call of ${transaction.to}?`, values))) throw new RefusedError("Nothing was signed.");
  const { chainId, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction;
  const fees = { maxFeePerGas: BigInt(maxFeePerGas), maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas) };
  return await account.signTransaction({
    type: "eip1559",
    chainId,
    nonce,
    to: transaction.to as Address,
    data: call.data,
    gas: BigInt(gas),
    value: 0n,
    ...fees,
  });
}
