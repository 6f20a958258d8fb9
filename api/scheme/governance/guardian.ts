import { type Address, encodeFunctionData, getAddress, type Hex, hashTypedData, isAddressEqual } from "viem";
import { poolAbi } from "../../../deployments/abi/pool.ts";
import { roleNumbers } from "../../../deployments/role-numbers.ts";
import { withdrawalTypedData } from "../../../wire/src/typed-data.ts";
import { relaySigned } from "../../platform/chain/index.ts";
import { AppError } from "../../platform/errors.ts";
import { openSigned, type PreparedTransaction, unsignedCall } from "../../platform/transactions/index.ts";
import type { GovernanceDeps } from "./deps.ts";
import { changesGuardianOnly } from "./guardian-change.ts";
import { encodeCancel } from "./operations.ts";
import { getProposal } from "./read.ts";
import type { CancelRequest, PauseRequest } from "./schemas.ts";
import { approve, propose } from "./service.ts";
import { verifySigner } from "./signatures.ts";
import { joinProposal, joinProposals } from "./status.ts";

type GuardianCall = { contract: "pool" | "timelock"; functionName: string; data: Hex };

/**
 * Pause the pool with the guardian's signed transaction; without one, return the transaction to sign.
 * @throws AppError FORBIDDEN when the account is not the guardian's
 */
export async function pausePool(deps: GovernanceDeps, { from, signedTransaction }: PauseRequest) {
  const data = encodeFunctionData({ abi: poolAbi, functionName: "pause" });
  const call: GuardianCall = { contract: "pool", functionName: "pause", data };
  if (signedTransaction === undefined) {
    if (from === undefined) throw missing("from", "Name the guardian's account that will sign.");
    return await prepareFor(deps, getAddress(from), call);
  }
  const { transactionHash, blockNumber } = await relayFor(deps, signedTransaction, call);
  return { transactionHash, blockNumber: Number(blockNumber), paused: true };
}

async function prepareFor({ chain }: GovernanceDeps, from: Address, call: GuardianCall): Promise<PreparedTransaction> {
  return await unsignedCall(chain, { from, ...call, to: chain.contracts[call.contract] });
}

/** Send a signed transaction if it is exactly the route's call; the contract decides who may make it. */
async function relayFor(
  { chain }: GovernanceDeps,
  signedTransaction: Hex,
  { contract, functionName, data }: GuardianCall,
) {
  const opened = await openSigned(signedTransaction, chain.id);
  if (!isAddressEqual(opened.to, chain.contracts[contract]) || opened.data.toLowerCase() !== data.toLowerCase()) {
    const message = `The transaction must call ${contract}.${functionName} exactly as it was prepared.`;
    const details = [{ path: "signedTransaction", rule: "transaction-as-prepared", message }];
    throw new AppError("RULE_VIOLATION", message, { details });
  }
  return await relaySigned(chain, { ...opened, contract, functionName });
}

/**
 * Cancel a proposal. Before it is scheduled this needs the signature of its proposer or of the guardian; afterwards it
 * needs the guardian's transaction, which has no delay, or a decision of the council. Without signatures, return what
 * to sign.
 * @throws AppError NOT_FOUND; CONFLICT when there is nothing left to cancel; FORBIDDEN when the account may not
 */
export async function cancelProposal(deps: GovernanceDeps, id: Hex, input: CancelRequest) {
  const { governance, chain } = deps;
  const council = await governance.read();
  const proposal = joinProposal(id, await governance.store.byId(id), council.history, council.now);
  if (proposal.row === null && proposal.past === null) throw new AppError("NOT_FOUND", "There is no such proposal.");
  const { status } = proposal;
  const by = getAddress(input.by);
  const [isGuardian] = await chain.read("participants", "hasRole", [roleNumbers.guardian, by]);
  if (status === "collecting" && proposal.row !== null) {
    const isProposer = isAddressEqual(proposal.row.proposer as Address, by);
    // As in the timelock, the guardian must not block its removal.
    if (isGuardian && !isProposer && changesGuardianOnly(proposal.row.calls, chain.contracts)) {
      throw notAllowed("A guardian cannot take back what only replaces or removes the guardian.");
    }
    if (!isGuardian && !isProposer) {
      throw notAllowed("Before it is scheduled, its proposer or the guardian takes a proposal back.");
    }
    return await withdraw(deps, id, by, input);
  }
  if (status !== "scheduled" && status !== "ready") {
    const message = `The proposal is ${status}: there is nothing to cancel.`;
    throw new AppError("CONFLICT", message, { details: [{ rule: "operation-pending", message }] });
  }
  if (isGuardian) return await cancelAsGuardian(deps, id, by, input);
  const { nonce, signature, statementSignature } = input;
  const open = joinProposals(await governance.store.collecting(council.now), council.history, council.now).find(
    (each) =>
      each.status === "collecting" && each.row?.action.action === "cancel" && each.row.action.operationId === id,
  );
  const signing = { nonce, signature, statementSignature };
  if (open !== undefined) return (await approve(deps, open.id, { signer: by, ...signing })).body;
  return (await propose(deps, { action: "cancel", operationId: id, proposer: by, ...signing })).body;
}

async function cancelAsGuardian(deps: GovernanceDeps, id: Hex, by: Address, { signedTransaction }: CancelRequest) {
  const call: GuardianCall = { contract: "timelock", functionName: "cancel", data: encodeCancel(id) };
  if (signedTransaction === undefined) return await prepareFor(deps, by, call);
  await relayFor(deps, signedTransaction, call);
  return await getProposal(deps, id);
}

async function withdraw(deps: GovernanceDeps, id: Hex, by: Address, { signature }: CancelRequest) {
  const { chain, governance } = deps;
  const typedData = withdrawalTypedData({ chainId: chain.id, council: chain.contracts.council }, id);
  if (signature === undefined) {
    const note =
      "Sign it and send it as `signature`. Approvals given so far stay valid for the Safe until it has passed their number; " +
      "this service forgets them.";
    return {
      id,
      typedData: { ...typedData, domain: { ...typedData.domain }, types: copy(typedData.types) },
      signer: by,
      note,
    };
  }
  if ((await verifySigner(chain.client, { signer: by, hash: hashTypedData(typedData), signature })) === null) {
    throw missing("signature", `This is not ${by}'s signature of the withdrawal.`);
  }
  const withdrawnAt = new Date(Number(await chain.now()) * 1000);
  await governance.store.withdraw(id, { withdrawnBy: by, withdrawal: signature, withdrawnAt });
  return await getProposal(deps, id);
}

const copy = (types: Record<string, readonly { name: string; type: string }[]>) =>
  Object.fromEntries(Object.entries(types).map(([name, fields]) => [name, fields.map((field) => ({ ...field }))]));

function missing(path: string, message: string): AppError {
  return new AppError("RULE_VIOLATION", message, { details: [{ path, rule: `${path}-given`, message }] });
}

function notAllowed(message: string): AppError {
  return new AppError("FORBIDDEN", message, { details: [{ path: "by", rule: "may-cancel", message }] });
}
