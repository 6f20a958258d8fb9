import type { Hex } from "viem";
import { countingApprovals, quorumOf, whyVoid } from "./approvals.ts";
import type { CouncilNow } from "./council-reader.ts";
import { callsOf, decisionOf } from "./decision.ts";
import { describeCalls } from "./describe/describe-decision.ts";
import { duration } from "./describe/figures.ts";
import type { Mark } from "./history.ts";
import type { CouncilCall } from "./operations.ts";
import type { ProposalResponse, ToSign } from "./schemas.ts";
import { decisionsBefore, type Slot, slotFor } from "./slots.ts";
import { beganAt, type Proposal, readyAt } from "./status.ts";

const iso = (milliseconds: number) => new Date(milliseconds).toISOString();
const serializeMark = (mark: Mark | null | undefined) =>
  mark
    ? {
        transactionHash: mark.transactionHash,
        blockNumber: Number(mark.blockNumber),
        at: iso(Number(mark.time) * 1000),
      }
    : null;

/** List the numbers for which open proposals collect approvals. */
export function slotsOf(proposals: Proposal[]): Slot[] {
  return proposals.flatMap(({ id, row, status }) => (row && status === "collecting" ? [{ id, nonce: row.nonce }] : []));
}

/**
 * Serialize a proposal for the public. Signatures of the Safe's transaction are left out: enough of them would execute
 * it.
 */
export function serializeProposal(
  proposal: Proposal,
  slots: Slot[],
  council: CouncilNow,
  problem: string | null = null,
): ProposalResponse {
  const { id, row, past, done, status } = proposal;
  const { state } = council.context;
  const calls = row === null ? (past?.operation.calls ?? []) : callsOf(row);
  const nonce = row?.nonce ?? 0n;
  const counting = row === null ? [] : countingApprovals(row.approvals, nonce, state);
  const collecting = status === "collecting";
  const needed = quorumOf(state);
  return {
    id,
    kind: row?.kind ?? "operation",
    status,
    ...describeProposal(proposal, calls, council),
    action: row?.action ?? null,
    calls: calls.map(({ target, value, data }) => ({ target, value: `${value}`, data })),
    salt: row?.salt ?? past?.operation.salt ?? "0x",
    delaySeconds: Number(row?.delay ?? past?.operation.delay ?? 0n),
    proposer: row?.proposer ?? null,
    createdAt: iso(beganAt(proposal)),
    expiresAt: row?.expiresAt.toISOString() ?? null,
    readyAt: past === null ? null : iso(readyAt(past)),
    asOf: council.now.toISOString(),
    approvals: (row?.approvals ?? []).map((approval) => {
      const void_ = collecting ? whyVoid(approval, { nonce, safeNonce: state.nonce, owners: state.owners }) : undefined;
      const { signer, statement, statementSignature } = approval;
      const signedAt = approval.signedAt.toISOString();
      return {
        signer,
        nonce: `${approval.nonce}`,
        counts: void_ === undefined,
        whyNot: void_ ?? null,
        signedAt,
        statement,
        statementSignature,
      };
    }),
    approvalsNeeded: needed,
    approvalsMissing: collecting ? Math.max(needed - (nonce < state.nonce ? 0 : counting.length), 0) : 0,
    queue: collecting && row !== null ? serializeQueue(id, slots, council) : null,
    scheduled: serializeMark(past?.scheduled),
    executed: serializeMark(past?.executed ?? done),
    cancelled: serializeMark(past?.cancelled),
    withdrawnBy: row?.withdrawnBy ?? null,
    problem,
  };
}

/** Compare with present values only in open proposals; for past ones they would be wrong. */
function describeProposal({ row, past, status }: Proposal, calls: CouncilCall[], { context }: CouncilNow) {
  const open = status === "collecting" || status === "scheduled" || status === "ready";
  const { state, ...rest } = context;
  const timeless = { ...rest, symbol: state.stablecoinSymbol };
  if (row !== null && status === "collecting") {
    const { statement, alarms } = decisionOf(row, row.nonce, context);
    const { summary, changes, notBefore } = statement;
    return { words: { summary, changes, notBefore }, alarms };
  }
  const { changes, alarms } = describeCalls({ calls }, open ? context : timeless);
  const notBefore =
    past === null
      ? ""
      : `No earlier than ${duration(past.operation.delay)} after it was scheduled: ${iso(readyAt(past))}.`;
  const summary = `${calls.length} ${calls.length === 1 ? "change" : "changes, all or none"} by the council: ${status}.`;
  return { words: { summary, changes, notBefore }, alarms };
}

/** Serialize the number that a proposal collects approvals for, and what must come before it. */
export function serializeQueue(id: Hex, slots: Slot[], { context }: CouncilNow, wish?: bigint): ToSign["queue"] {
  const safeNonce = context.state.nonce;
  const own = slots.find((slot) => slot.id === id)?.nonce;
  const nonce = wish ?? slotFor(id, own, slots, safeNonce);
  const before = decisionsBefore(nonce, safeNonce);
  const ahead = slots.filter((slot) => slot.id !== id && slot.nonce < nonce && slot.nonce >= safeNonce);
  const rivals = slots.filter((slot) => slot.id !== id && slot.nonce === nonce);
  const notes: string[] = [];
  if (own !== undefined && nonce !== own) {
    notes.push(
      own < safeNonce
        ? `The council has decided something else as number ${own}, so approvals of this proposal must be given again, for number ${nonce}.`
        : `Approvals are asked for number ${nonce} instead of ${own}: those given before must be given again.`,
    );
  }
  if (before > 0) {
    notes.push(
      `${before} other ${before === 1 ? "decision comes" : "decisions come"} first. To overtake, all approve it for number ${safeNonce} ("nonce":"${safeNonce}").`,
    );
  }
  if (rivals.length > 0) {
    notes.push(
      `Another proposal asks for the same number ${nonce}: whichever is approved first takes it, the other must be approved again.`,
    );
  }
  return {
    nonce: `${nonce}`,
    safeNonce: `${safeNonce}`,
    ahead: ahead.map((slot) => slot.id),
    note: notes.join(" ") || null,
  };
}
