import {
  type Abi,
  type Address,
  BaseError,
  type ContractFunctionArgs,
  type ContractFunctionName,
  encodeFunctionData,
  type Hex,
} from "viem";
import type { Transaction } from "../db/index.ts";
import type { RequestContext } from "../http/index.ts";
import { chainUnavailable } from "../unavailable.ts";
import type { Chain } from "./chain.ts";
import { type Abis, abis, type ContractName } from "./contracts.ts";
import type { SubmitDeps } from "./deps.ts";
import { errorFromRevert, type RevertReading } from "./errors/reverts.ts";
import type { MinedCall } from "./outbox/outbox.ts";
import type { SenderOf } from "./signers/role-calls.ts";
import type { SenderName } from "./signers/senders.ts";

type WriteName<C extends ContractName> = ContractFunctionName<Abis[C], "nonpayable">;

export type Call<C extends ContractName, F extends WriteName<C>> = {
  sender: SenderOf<C, F>;
  contract: C;
  functionName: F;
  args: ContractFunctionArgs<Abis[C], "nonpayable", F>;
  /** Gas limit; estimated when absent. */
  gas?: bigint;
  /** Name of the purpose in the outbox, such as "voucher.issue". */
  purpose: string;
  /** Converts contract errors to the feature's errors. */
  reading?: RevertReading;
  /** Checks before the call is sent. Skipped when an earlier attempt of the same request has sent it. */
  review?: () => Promise<void>;
  /** Writes that are committed together with the transaction in the outbox. What it throws prevents both. */
  alsoStore?: (tx: Transaction, transactionId: number) => Promise<void>;
  /** Distinguishes several transactions of one idempotent request. */
  part?: string;
};

export type SubmitContext = Pick<RequestContext, "idempotencyKey">;

/**
 * Simulate, sign, store, send, wait for the block.
 * @returns the transaction's block and logs
 * @throws AppError what the contract's refusal means; UNAVAILABLE when the chain does not answer
 * @throws PendingTransactionError when the block does not come within TX_WAIT_MS (answered 202)
 */
export async function submitCall<C extends ContractName, F extends WriteName<C>>(
  deps: SubmitDeps,
  ctx: SubmitContext,
  call: Call<C, F>,
): Promise<MinedCall> {
  const idempotencyKey = partKey(ctx.idempotencyKey, call.part);
  return await deps.chain.outbox.once(idempotencyKey, () => sendFirst(deps, idempotencyKey, call), call.reading);
}

async function sendFirst<C extends ContractName, F extends WriteName<C>>(
  { chain }: SubmitDeps,
  idempotencyKey: string | undefined,
  call: Call<C, F>,
): Promise<MinedCall> {
  const { contract, functionName, purpose, reading, alsoStore } = call;
  await call.review?.();
  await chain.outbox.open();
  const account = chain.senders[call.sender as SenderName];
  const to = chain.addresses[contract];
  const data = encodeCall(contract, functionName, call.args as readonly unknown[]);
  const gas = await simulate(chain, { from: account.address, to, data, gas: call.gas }, reading);
  const parts = idempotencyKey === undefined ? [] : [{ idempotencyKey, position: 0 }];
  const row = await chain.outbox.store({ account, to, data, gas, contract, functionName, purpose, parts, alsoStore });
  return await chain.outbox.deliver(row, reading);
}

/**
 * Return the outcome of a call that an interrupted attempt of the same request has sent; null when it has sent none.
 * @throws as `submitCall`
 */
export async function findSent(
  deps: SubmitDeps,
  { idempotencyKey: request }: SubmitContext,
  { part, reading }: { part?: string; reading?: RevertReading },
): Promise<MinedCall | null> {
  const earlier = await deps.chain.outbox.earlierOutcome(partKey(request, part), reading);
  return earlier?.mined ?? null;
}

/** Derive the key of one of several transactions of an idempotent request. */
export function partKey(idempotencyKey: string | undefined, part: string | undefined): string | undefined {
  return idempotencyKey === undefined || part === undefined ? idempotencyKey : `${idempotencyKey}:${part}`;
}

export function encodeCall(contract: ContractName, functionName: string, args: readonly unknown[]): Hex {
  return encodeFunctionData({ abi: abis[contract] as Abi, functionName, args });
}

export type Simulation = { from: Address; to: Address; data: Hex; gas?: bigint | undefined };

/**
 * Simulate the call on the latest block.
 * @returns the gas limit to send it with: the given one, or the estimate plus a third, because the state may change until its block
 * @throws AppError when the contract refuses, or the chain does not answer
 */
export async function simulate(chain: Chain, call: Simulation, reading?: RevertReading): Promise<bigint> {
  const { from, to, data, gas } = call;
  const { client } = chain;
  try {
    if (gas !== undefined) {
      await client.call({ account: from, to, data, gas });
      return gas;
    }
    const estimate = await client.request({ method: "eth_estimateGas", params: [{ from, to, data }, "latest"] });
    return (BigInt(estimate) * 4n) / 3n + 20_000n;
  } catch (error) {
    throw errorFromRevert(error, reading) ?? chainUnavailable(error);
  }
}

/** Await a read from the chain. @throws AppError UNAVAILABLE when the chain does not answer */
export async function orUnavailable<T>(read: Promise<T>): Promise<T> {
  try {
    return await read;
  } catch (error) {
    throw error instanceof BaseError ? chainUnavailable(error) : error;
  }
}
