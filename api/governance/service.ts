import {
  type Address,
  encodeAbiParameters,
  getAddress,
  type Hex,
  hashTypedData,
  isAddressEqual,
  keccak256,
} from "viem";
import { refusalFrom } from "../chain/reverts.ts";
import { chainUnavailable } from "../chain/submit.ts";
import type { Deps } from "../deps.ts";
import { AppError, type RuleDetail, refuseBrokenRules } from "../errors.ts";
import { decodeCursor, toPage } from "../http/pagination.ts";
import type { ProposalRequest } from "./action-schemas.ts";
import { planAction } from "./actions.ts";
import { movesTo } from "./approvals.ts";
import { sendOnce } from "./carrier.ts";
import { contextToJson } from "./context-json.ts";
import { decisionOf } from "./decision.ts";
import type { CouncilNow } from "./governance.ts";
import { directId, encodeExecute, newOperation, operationId } from "./operations.ts";
import { safeTypedData } from "./safe-tx.ts";
import type { ApprovalRequest, ProposalAnswer, ToSign } from "./schemas.ts";
import { showProposal, showQueue, slotsOf } from "./show.ts";
import { verifySigner } from "./signatures.ts";
import { statementTypedData } from "./statement.ts";
import { beganAt, joinProposal, joinProposals, type Proposal, type ProposalStatus, readyAt } from "./status.ts";
import type { StoredProposal } from "./store.ts";
import type { ApprovalRow, ProposalRow } from "./tables.ts";

export type CouncilDeps = Pick<Deps, "chain" | "governance">;
type Answer = { created: boolean; body: ProposalAnswer | ToSign };

/** How long approvals are collected, in milliseconds. */
const collectingMs = 14 * 86_400_000;
/** How far ahead of the Safe's next number somebody may sign. */
const farthest = 100n;

/** Every proposal, newest first. */
export async function listProposals(
  { governance }: CouncilDeps,
  { status, limit, cursor }: { status?: ProposalStatus | undefined; limit: number; cursor?: string | undefined },
) {
  const council = await governance.read();
  const all = joinProposals(await governance.store.all(), council.history, council.now);
  const slots = slotsOf(all);
  const after = decodeCursor(cursor, 2);
  const rest = all.filter(
    (each) =>
      (status === undefined || each.status === status) &&
      (after === undefined ||
        beganAt(each) < Number(after[0]) ||
        (beganAt(each) === after[0] && each.id > String(after[1]))),
  );
  const cut = toPage(rest.slice(0, limit + 1), limit, (each) => [beganAt(each), each.id]);
  return { ...cut, items: cut.items.map((each) => showProposal(each, slots, council)) };
}

/** The council and what it may change, of which words are made. */
export async function readCouncil({ governance }: CouncilDeps) {
  return contextToJson((await governance.read()).context, []);
}

/** @throws AppError NOT_FOUND */
export async function getProposal(deps: CouncilDeps, id: Hex, problem?: AppError): Promise<ProposalAnswer> {
  const { proposal, council, all } = await findProposal(deps, id);
  return showProposal(proposal, slotsOf(all), council, problem?.message ?? null);
}

async function findProposal({ governance }: CouncilDeps, id: Hex) {
  const council = await governance.read();
  const all = joinProposals(await governance.store.all(), council.history, council.now);
  const proposal = all.find((each) => each.id === id);
  if (proposal === undefined) throw new AppError("NOT_FOUND", "There is no such proposal.");
  return { proposal, council, all };
}

/**
 * Propose, or, without signatures, be told what to sign.
 * @throws AppError FORBIDDEN unless the proposer is a member; RULE_VIOLATION with every broken rule
 */
export async function propose(deps: CouncilDeps, input: ProposalRequest): Promise<Answer> {
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
    ...{ id, kind, salt: ownSalt, delay, nonce: 0n, proposer: getAddress(proposer) },
    action: JSON.parse(JSON.stringify(action, (_, value) => (typeof value === "bigint" ? `${value}` : value))),
    calls: calls.map(({ target, value, data }) => ({ target, value: `${value}`, data })),
    ...{ createdAt: council.now, expiresAt: new Date(council.now.getTime() + collectingMs) },
    ...{ withdrawnBy: null, withdrawal: null, withdrawnAt: null },
  };
  return await sign(deps, { ...row, approvals: [] }, council, {
    signer: proposer,
    nonce,
    signature,
    statementSignature,
  });
}

/** The same request gives the same proposal until the council has decided something; then it is a new one. */
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
 * Approve a proposal, or, without signatures, be told what to sign. When it has enough, it is carried to the chain.
 * @throws AppError NOT_FOUND; FORBIDDEN unless the signer is a member; CONFLICT when it is not being collected
 */
export async function approve(deps: CouncilDeps, id: Hex, input: ApprovalRequest): Promise<Answer> {
  const { proposal, council } = await findProposal(deps, id);
  requireMember(input.signer, council, "signer");
  const row = requireCollecting(proposal);
  return await sign(deps, row, council, input);
}

function requireMember(account: Address, { context }: CouncilNow, path: string): void {
  if (context.state.owners.some((owner) => isAddressEqual(owner, account))) return;
  const message = `${getAddress(account)} is no member of the council.`;
  throw new AppError("FORBIDDEN", message, { details: [{ path, rule: "council-member", message }] });
}

function requireCollecting({ row, status }: Proposal): StoredProposal {
  if (row !== null && status === "collecting") return row;
  const anew =
    status === "cancelled" || status === "expired" ? " With another salt the same can be proposed anew." : "";
  const message = `The proposal is ${status}: approvals are no longer taken.${anew}`;
  throw new AppError("CONFLICT", message, { details: [{ rule: "proposal-collecting", message }] });
}

async function sign(
  deps: CouncilDeps,
  row: StoredProposal,
  council: CouncilNow,
  input: ApprovalRequest,
): Promise<Answer> {
  const { governance } = deps;
  const open = joinProposals(await governance.store.collecting(council.now), council.history, council.now);
  const wish = wishedNonce(input.nonce, council);
  const isNew = row.approvals.length === 0;
  const slots = slotsOf(open);
  const queue = showQueue(row.id as Hex, slots, council, wish);
  const nonce = BigInt(queue.nonce);
  const decision = decisionOf(row, nonce, council.context);
  if (input.signature === undefined && input.statementSignature === undefined) {
    const body = await describeToSign(deps, { row, council, queue, decision, signer: getAddress(input.signer) });
    return { created: false, body };
  }
  const approval = await checkSignatures(deps, { row, council, decision, nonce, input });
  if (isNew) await governance.store.save({ ...row, nonce }, approval);
  else {
    const moves = movesTo(nonce, input.signer, row, council.context.state);
    await governance.store.approve(approval, { moves });
  }
  const problems = await governance.carrier.carryAll();
  return { created: true, body: await getProposal(deps, row.id as Hex, problems.get(row.id)) };
}

function wishedNonce(wish: bigint | undefined, { context }: CouncilNow): bigint | undefined {
  const next = context.state.nonce;
  if (wish === undefined || (wish >= next && wish < next + farthest)) return wish;
  const message = `The Safe's next number is ${next}; sign for it or one of the ${farthest} after it.`;
  throw new AppError("CONFLICT", message, { details: [{ path: "nonce", rule: "nonce-open", message }] });
}

type Decision = ReturnType<typeof decisionOf>;

async function describeToSign(
  { chain }: CouncilDeps,
  {
    row,
    council,
    queue,
    decision,
    signer,
  }: { row: StoredProposal; council: CouncilNow; queue: ToSign["queue"]; decision: Decision; signer: Address },
): Promise<ToSign> {
  const at = { chainId: chain.id, council: council.context.contracts.council };
  const { tx, statement } = decision;
  const { summary, changes, notBefore } = statement;
  const before = row.approvals.findLast((each) => isAddressEqual(each.signer as Address, signer));
  const again =
    before !== undefined && before.nonce !== tx.nonce
      ? `You approved it for number ${before.nonce}. ${queue.note ?? ""}`.trim()
      : null;
  return {
    id: row.id,
    typedData: plain(safeTypedData(at, tx)),
    statement: plain(statementTypedData(at, statement)),
    words: { summary, changes, notBefore },
    warnings: await warningsOf(chain, row, council),
    signer,
    nonce: `${tx.nonce}`,
    salt: row.salt,
    queue,
    again,
    context: contextToJson(council.context, [statement.operationId]),
  };
}

/** Typed data as JSON takes it: whole numbers as decimal text. */
function plain(typedData: {
  domain: object;
  types: object;
  primaryType: string;
  message: object;
}): ToSign["typedData"] {
  return JSON.parse(JSON.stringify(typedData, (_, value) => (typeof value === "bigint" ? `${value}` : value)));
}

/** What would refuse the calls if they were made now: the state may change until they are. */
async function warningsOf(
  chain: CouncilDeps["chain"],
  row: StoredProposal,
  { context }: CouncilNow,
): Promise<string[]> {
  const account = row.kind === "operation" ? context.contracts.timelock : context.contracts.council;
  const warnings: string[] = [];
  for (const { target, data } of row.calls) {
    try {
      await chain.client.call({ account, to: target as Address, data: data as Hex });
    } catch (error) {
      const refusal = refusalFrom(error);
      if (refusal === undefined) throw chainUnavailable(error);
      warnings.push(`As things stand it would be refused: ${refusal.message}`);
      break;
    }
  }
  return warnings;
}

type Signing = { row: StoredProposal; council: CouncilNow; decision: Decision; nonce: bigint; input: ApprovalRequest };

/** Both signatures must be the signer's: of the Safe's transaction, and of the words for it. */
async function checkSignatures(
  { chain }: CouncilDeps,
  { row, council, decision, nonce, input }: Signing,
): Promise<ApprovalRow> {
  const { signature, statementSignature } = input;
  const signer = getAddress(input.signer);
  const { statement } = decision;
  const at = { chainId: chain.id, council: council.context.contracts.council };
  const problems: RuleDetail[] = [];
  const check = async (path: string, given: Hex | undefined, hash: Hex, what: string) => {
    const verified = given && (await verifySigner(chain.client, { signer, hash, signature: given }));
    if (verified) return;
    const message =
      given === undefined
        ? `The signature of ${what} is missing: a member signs what is sent and what it says in words.`
        : `This is not ${signer}'s signature of ${what} for number ${nonce}, as things stand now; ask again what to sign.`;
    problems.push({ path, rule: path === "signature" ? "transaction-signed" : "statement-signed", message });
  };
  await check("signature", signature, statement.safeTxHash, "the Safe's transaction (typedData)");
  await check(
    "statementSignature",
    statementSignature,
    hashTypedData(statementTypedData(at, statement)),
    "the statement",
  );
  refuseBrokenRules(problems, problems[0]?.message);
  return {
    proposalId: row.id,
    signer,
    nonce,
    safeTxHash: statement.safeTxHash,
    signature: signature as Hex,
    statementSignature: statementSignature as Hex,
    statement: { ...statement },
    signedAt: council.now,
  };
}

/**
 * Execute an operation whose delay is over. Anyone may: the decision was the council's.
 * @throws AppError NOT_FOUND; CONFLICT when it is not due, or cancelled; what the contracts refuse
 */
export async function execute(deps: CouncilDeps, id: Hex): Promise<ProposalAnswer> {
  const { proposal } = await findProposal(deps, id);
  const { past, status } = proposal;
  if (status !== "executed") {
    if (past === null || status !== "ready") throw notReady(proposal);
    const idempotencyId = `council:execute:${id}:${past.scheduled.transactionHash}`;
    const call = { to: deps.chain.contracts.timelock, data: encodeExecute(past.operation), contract: "timelock" };
    await sendOnce(deps.chain, { ...call, functionName: "execute", purpose: "council.execute", idempotencyId });
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
