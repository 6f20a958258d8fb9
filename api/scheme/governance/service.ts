import { type Address, encodeAbiParameters, getAddress, type Hex, isAddressEqual, keccak256 } from "viem";
import { AppError, refuseBrokenRules } from "../../platform/errors.ts";
import type { ProposalRequest } from "./action-schemas.ts";
import { planAction } from "./actions.ts";
import type { CouncilNow } from "./council-reader.ts";
import type { GovernanceDeps } from "./deps.ts";
import { directId, encodeExecute, newOperation, operationId } from "./operations.ts";
import { sendOnce } from "./proposal-executor.ts";
import { findProposal, getProposal } from "./read.ts";
import type { ApprovalRequest, ProposalResponse } from "./schemas.ts";
import { type Answer, sign } from "./signing.ts";
import { joinProposal, type Proposal, readyAt } from "./status.ts";
import type { StoredProposal } from "./store.ts";
import type { ProposalRow } from "./tables.ts";

/** How long approvals are collected, in milliseconds. */
const collectingMs = 14 * 86_400_000;

/**
 * Create a proposal; without signatures, return what to sign.
 * @throws AppError FORBIDDEN unless the proposer is a member; RULE_VIOLATION with every broken rule
 */
export async function propose(deps: GovernanceDeps, input: ProposalRequest): Promise<Answer> {
  const { governance } = deps;
  const council = await governance.read();
  const { proposer, salt, nonce, signature, statementSignature, ...action } = input;
  requireMember(proposer, council, "proposer");
  const { kind, calls, problems } = planAction(action as ProposalRequest, council.context);
  refuseBrokenRules(problems);
  const { state } = council.context;
  const delay = kind === "operation" ? state.delay : 0n;
  const ownSalt =
    salt ??
    saltOf(
      calls.map(({ data }) => data),
      proposer,
      state.nonce,
    );
  const id =
    kind === "operation" ? operationId(newOperation(calls, { salt: ownSalt, delay })) : directId(first(calls), ownSalt);
  const known = (await governance.store.byId(id)) ?? null;
  const proposal = joinProposal(id, known, council.history, council.now);
  if (known !== null || proposal.past !== null) {
    requireCollecting(proposal);
    return await approve(deps, id, { signer: proposer, nonce, signature, statementSignature });
  }
  const row: ProposalRow = {
    id,
    kind,
    salt: ownSalt,
    delay,
    nonce: 0n,
    proposer: getAddress(proposer),
    action: JSON.parse(JSON.stringify(action, (_, value) => (typeof value === "bigint" ? `${value}` : value))),
    calls: calls.map(({ target, value, data }) => ({ target, value: `${value}`, data })),
    createdAt: council.now,
    expiresAt: new Date(council.now.getTime() + collectingMs),
    withdrawnBy: null,
    withdrawal: null,
    withdrawnAt: null,
  };
  return await sign(deps, { ...row, approvals: [] }, council, {
    signer: proposer,
    nonce,
    signature,
    statementSignature,
  });
}

/** The same request gives the same proposal until the council's next decision; after it, a new proposal. */
function saltOf(calls: Hex[], proposer: Address, safeNonce: bigint): Hex {
  const types = [{ type: "bytes[]" }, { type: "address" }, { type: "uint256" }] as const;
  return keccak256(encodeAbiParameters(types, [calls, proposer, safeNonce]));
}

function first<T>(list: T[]): T {
  const [item] = list;
  if (item === undefined) throw new Error("A decision has at least one call.");
  return item;
}

/**
 * Approve a proposal; without signatures, return what to sign. The approval that completes the quorum sends it to the
 * chain.
 * @throws AppError NOT_FOUND; FORBIDDEN unless the signer is a member; CONFLICT when the proposal is not open
 */
export async function approve(deps: GovernanceDeps, id: Hex, input: ApprovalRequest): Promise<Answer> {
  const { proposal, council } = await findProposal(deps, id);
  requireMember(input.signer, council, "signer");
  const row = requireCollecting(proposal);
  return await sign(deps, row, council, input);
}

function requireMember(account: Address, { context }: CouncilNow, path: string): void {
  if (context.state.owners.some((owner) => isAddressEqual(owner, account))) return;
  const message = `${getAddress(account)} is not a member of the council.`;
  throw new AppError("FORBIDDEN", message, { details: [{ path, rule: "council-member", message }] });
}

function requireCollecting({ row, status }: Proposal): StoredProposal {
  if (row !== null && status === "collecting") return row;
  const hint =
    status === "cancelled" || status === "expired" ? " With another salt the same can be proposed again." : "";
  const message = `The proposal is ${status}: approvals are no longer taken.${hint}`;
  throw new AppError("CONFLICT", message, { details: [{ rule: "proposal-collecting", message }] });
}

/**
 * Execute an operation whose delay is over. Anyone may, because the council has decided.
 * @throws AppError NOT_FOUND; CONFLICT when it is not due, or cancelled; or the error of a contract
 */
export async function execute(deps: GovernanceDeps, id: Hex): Promise<ProposalResponse> {
  const { proposal } = await findProposal(deps, id);
  const { past, status } = proposal;
  if (status !== "executed") {
    if (past === null || status !== "ready") throw notReady(proposal);
    const idempotencyKey = `council:execute:${id}:${past.scheduled.transactionHash}`;
    const call = { to: deps.chain.contracts.timelock, data: encodeExecute(past.operation), contract: "timelock" };
    await sendOnce(deps.chain, { ...call, functionName: "execute", purpose: "council.execute", idempotencyKey });
  }
  return await getProposal(deps, id);
}

function notReady({ status, past }: Proposal): AppError {
  const message =
    past !== null && status === "scheduled"
      ? `It can be executed from ${new Date(readyAt(past)).toISOString()} on.`
      : `The proposal is ${status}: there is nothing to execute.`;
  return new AppError("CONFLICT", message, { details: [{ rule: "operation-ready", message }] });
}
