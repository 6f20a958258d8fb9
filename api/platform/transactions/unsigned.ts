import { type Address, type Hex, serializeTransaction } from "viem";
import { type Chain, type ContractName, encodeCall, simulate } from "../chain/index.ts";
import type { PreparedTransaction } from "./schemas.ts";

export type CallToSign = { from: Address; contract: ContractName; functionName: string; args: readonly unknown[] };

/**
 * Build the transaction that an account signs for a call, with its next nonce and current fees. It is simulated, so that a call
 * that would be refused is refused here. With `gas` it is not simulated, for a call that depends on an earlier one.
 * @param after number of the account's transactions that come before it
 * @throws AppError what the contract's refusal means
 */
export async function unsignedTransaction(
  chain: Chain,
  call: CallToSign,
  options: UnsignedOptions = {},
): Promise<PreparedTransaction> {
  const { from, contract, functionName } = call;
  const data = encodeCall(contract, functionName, call.args);
  return await unsignedCall(chain, { from, contract, functionName, to: chain.addresses[contract], data }, options);
}

export type UnsignedOptions = { gas?: bigint; after?: number };
/** An encoded call of any contract of the deployment. The names are only for display. */
export type EncodedCall = { from: Address; contract: string; functionName: string; to: Address; data: Hex };

/** Build the unsigned transaction of an encoded call. */
export async function unsignedCall(
  chain: Chain,
  { from, contract, functionName, to, data }: EncodedCall,
  { gas: given, after = 0 }: UnsignedOptions = {},
): Promise<PreparedTransaction> {
  const [gas, pending, fees] = await Promise.all([
    given ?? simulate(chain, { from, to, data }),
    chain.client.getTransactionCount({ address: from, blockTag: "pending" }),
    chain.fees.suggested(),
  ]);
  const nonce = pending + after;
  const unsigned = { type: "eip1559", chainId: chain.id, to, nonce, value: 0n, data, gas, ...fees } as const;
  return {
    kind: "transaction",
    contract,
    functionName,
    transaction: {
      type: "eip1559",
      chainId: chain.id,
      from,
      to,
      nonce,
      value: "0",
      data,
      gas: `${gas}`,
      maxFeePerGas: `${fees.maxFeePerGas}`,
      maxPriorityFeePerGas: `${fees.maxPriorityFeePerGas}`,
    },
    unsignedTransaction: serializeTransaction(unsigned),
  };
}
