import {
  type Abi,
  type Address,
  decodeEventLog,
  decodeFunctionResult,
  type Hex,
  keccak256,
  parseTransaction,
  recoverTransactionAddress,
  type TransactionSerialized,
} from "viem";
import { encodeConversionId, encodeRedemptionId, encodeVoucherId, voucherOfRedemption } from "../../../wire/src/ids.ts";
import {
  abis,
  type ContractName,
  errorFromRevert,
  eventsIn,
  findByHash,
  type MinedCall,
  redemptionError,
  relaySigned,
} from "../chain/index.ts";
import { AppError } from "../errors.ts";
import { type RequestContext, requireScope } from "../http/index.ts";
import { chainUnavailable } from "../unavailable.ts";
import { allowedCallNames, type DecodedCall, readAllowedCall } from "./allowed-calls.ts";
import type { TransactionDeps } from "./deps.ts";
import type { SubmitRequest, Submitted } from "./schemas.ts";

export const RELAY_SCOPE = "transactions:relay";
type Opened = { raw: Hex; hash: Hex; sender: Address; nonce: number; to: Address; data: Hex; gas: bigint };

/**
 * Relay a transaction that its sender signed and wait for its block. The signature is the authority; the key only lets it in.
 * @throws AppError RULE_VIOLATION (not ours, not allowed, refused), CONFLICT (nonce), what the contract's refusal means
 */
export async function submitTransaction(
  deps: TransactionDeps,
  ctx: RequestContext,
  { signedTransaction }: SubmitRequest,
): Promise<Submitted> {
  requireScope(ctx.actor, RELAY_SCOPE);
  const { chain } = deps;
  const opened = await openSigned(signedTransaction, chain.id);
  const call = readAllowedCall(chain.addresses, opened.to, opened.data);
  if (call === null) {
    throw refused("transaction-allowed", `Only calls of our contracts are relayed: ${allowedCallNames}.`);
  }
  if ((await findByHash(chain.outbox.options.db, opened.hash)) === undefined) await review(deps, opened, call);
  const mined = await relaySigned(chain, { ...opened, contract: call.contract, functionName: call.functionName });
  refuseSingleRefusal(deps, call, mined);
  return show(deps, opened.sender, call, mined);
}

/** Read a signed transaction of this chain that makes a plain call. @throws AppError RULE_VIOLATION */
export async function openSigned(raw: Hex, chainId: number): Promise<Opened> {
  const parsed = await parseSigned(raw);
  if (parsed.type !== "eip1559" && parsed.type !== "eip2930" && parsed.type !== "legacy") {
    throw refused("transaction-form", "A transaction of type EIP-1559, EIP-2930 or legacy is expected.");
  }
  if (parsed.chainId !== chainId) throw refused("chain", `The transaction must name chain ${chainId}.`);
  const { to, data = "0x", nonce = 0, gas = 0n, value = 0n } = parsed;
  if (!to) throw refused("transaction-allowed", "A transaction that creates a contract is not relayed.");
  if (value !== 0n) throw refused("transaction-allowed", "A transaction that sends value is not relayed.");
  return { raw, hash: keccak256(raw), sender: parsed.sender, nonce, to, data, gas };
}

async function parseSigned(raw: Hex) {
  try {
    const serialized = raw as TransactionSerialized;
    const sender = await recoverTransactionAddress({ serializedTransaction: serialized });
    return { ...parseTransaction(serialized), sender };
  } catch (cause) {
    throw refused("transaction-form", "This is not a signed transaction.", cause);
  }
}

/** Check a call before it is sent, and name every rule that the contract would refuse it for. */
async function review(deps: TransactionDeps, opened: Opened, call: DecodedCall): Promise<void> {
  const { chain } = deps;
  const { sender: account, to, data, gas } = opened;
  try {
    const { data: answer = "0x" } = await chain.client.call({ account, to, data, gas });
    if (call.functionName !== "redeemMany") return;
    const verdicts = decodeFunctionResult({ abi: abis.vouchers, functionName: "redeemMany", data: answer });
    const refusals = verdicts.map((verdict) => redemptionError(verdict));
    const [first] = refusals;
    if (first && refusals.length === 1) throw first;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw errorFromRevert(error) ?? chainUnavailable(error);
  }
}

/** Throw when a batch of one order was refused, although its transaction succeeded. */
function refuseSingleRefusal(deps: TransactionDeps, call: DecodedCall, mined: MinedCall): void {
  if (call.functionName !== "redeemMany" || (call.args[1] as unknown[]).length !== 1) return;
  const { vouchers: address } = deps.chain.addresses;
  const [event] = eventsIn(mined.logs, { contract: "vouchers", address, eventName: "RedemptionRefused" });
  const refused = event && redemptionError(event.args.rules);
  if (refused) throw refused;
}

function show(deps: TransactionDeps, from: Address, call: DecodedCall, mined: MinedCall): Submitted {
  const { addresses } = deps.chain;
  const names = Object.keys(abis) as ContractName[];
  const events = mined.logs.flatMap((log) => {
    const contract = names.find((name) => addresses[name].toLowerCase() === log.address.toLowerCase());
    if (contract === undefined) return [];
    const { eventName, args } = decodeEventLog({ abi: abis[contract] as Abi, data: log.data, topics: log.topics });
    return [{ contract, event: eventName ?? "", args: plainOf(args) }];
  });
  const redemption = events.find(({ args }) => args.redemption !== undefined)?.args.redemption;
  const voucher = events.find(({ args }) => args.voucher !== undefined)?.args.voucher;
  const conversion = events.find(({ args }) => args.conversion !== undefined)?.args.conversion;
  const id = redemption === undefined ? undefined : BigInt(String(redemption));
  const voucherId = voucher === undefined ? id && voucherOfRedemption(id) : BigInt(String(voucher));
  return {
    transactionHash: mined.transactionHash,
    blockNumber: Number(mined.blockNumber),
    status: "mined",
    from,
    contract: call.contract,
    functionName: call.functionName,
    events,
    ...(voucherId === undefined ? {} : { voucherId: encodeVoucherId(voucherId) }),
    ...(id === undefined ? {} : { redemptionId: encodeRedemptionId(id) }),
    ...(conversion === undefined ? {} : { conversionId: encodeConversionId(BigInt(String(conversion))) }),
  };
}

/** Convert arguments to JSON; wide integers become decimal text. */
function plainOf(args: unknown): Record<string, unknown> {
  const entries = Object.entries((args ?? {}) as Record<string, unknown>);
  return Object.fromEntries(entries.map(([name, value]) => [name, withoutBigints(value)]));
}

function refused(rule: string, message: string, cause?: unknown): AppError {
  return new AppError("RULE_VIOLATION", message, { details: [{ path: "signedTransaction", rule, message }], cause });
}

/** Write wide integers as text, at any depth. */
function withoutBigints(value: unknown): unknown {
  if (typeof value === "bigint") return `${value}`;
  if (Array.isArray(value)) return value.map(withoutBigints);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutBigints(each)]));
}
