import type { Hex } from "viem";
import type { CouncilHistory, Mark, PastOperation } from "./history.ts";
import type { StoredProposal } from "./store.ts";

export const statuses = ["collecting", "scheduled", "ready", "executed", "cancelled", "expired"] as const;
export type ProposalStatus = (typeof statuses)[number];

/** A proposal from its row and the chain; at least one of the two exists. */
export type Proposal = {
  id: Hex;
  row: StoredProposal | null;
  past: PastOperation | null;
  /** When the Safe executed a direct proposal. */
  done: Mark | null;
  status: ProposalStatus;
};

/** Join all proposals, newest first: those in the database, and those scheduled without it. */
export function joinProposals(rows: StoredProposal[], history: CouncilHistory, now: Date): Proposal[] {
  const known = new Set(rows.map(({ id }) => id));
  const onChainOnly = [...history.operations.values()].filter(({ id }) => !known.has(id));
  const all = [
    ...rows.map((row) => joinProposal(row.id as Hex, row, history, now)),
    ...onChainOnly.map(({ id }) => joinProposal(id, null, history, now)),
  ];
  return all.sort((a, b) => beganAt(b) - beganAt(a) || (a.id < b.id ? -1 : 1));
}

export function joinProposal(id: Hex, row: StoredProposal | null, history: CouncilHistory, now: Date): Proposal {
  const past = history.operations.get(id) ?? null;
  const hashes = row?.kind === "direct" ? row.approvals.map(({ safeTxHash }) => safeTxHash as Hex) : [];
  const done = hashes.map((hash) => history.done.get(hash)).find((mark) => mark !== undefined) ?? null;
  return { id, row, past, done, status: statusOf({ row, past, done }, now) };
}

/**
 * The chain decides. A proposal that is not on chain is still being collected, unless it was withdrawn or has expired.
 */
function statusOf({ row, past, done }: Pick<Proposal, "row" | "past" | "done">, now: Date): ProposalStatus {
  if (done !== null || past?.executed !== undefined) return "executed";
  if (past?.cancelled !== undefined) return "cancelled";
  if (past !== null) return readyAt(past) <= now.getTime() ? "ready" : "scheduled";
  if (row?.withdrawnAt) return "cancelled";
  return row !== null && row.expiresAt.getTime() <= now.getTime() ? "expired" : "collecting";
}

/** Compute when a scheduled operation may be executed, in milliseconds. */
export function readyAt({ scheduled, operation }: PastOperation): number {
  return Number(scheduled.time + operation.delay) * 1000;
}

/** Find when it was proposed, as far as is known, in milliseconds. */
export function beganAt({ row, past }: Proposal): number {
  return row?.createdAt.getTime() ?? Number((past?.scheduled.time ?? 0n) * 1000n);
}
