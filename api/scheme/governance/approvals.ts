import { type Address, isAddressEqual } from "viem";
import type { CouncilState } from "./council-state.ts";
import type { ApprovalRow } from "./tables.ts";

/** Compute how many members must approve: the Safe's threshold, and at least one besides the proposer. */
export function quorumOf({ threshold }: Pick<CouncilState, "threshold">): number {
  return Math.max(Number(threshold), 2);
}

/** List the approvals that count for one number of the Safe: one for each current member. */
export function countingApprovals(approvals: ApprovalRow[], nonce: bigint, { owners }: Pick<CouncilState, "owners">) {
  const isMember = (signer: string) => owners.some((owner) => isAddressEqual(owner, signer as Address));
  return approvals.filter((approval) => approval.nonce === nonce && isMember(approval.signer));
}

/** Explain why an approval does not count; undefined when it counts. */
export function whyVoid(
  approval: ApprovalRow,
  { nonce, safeNonce, owners }: { nonce: bigint; safeNonce: bigint; owners: Address[] },
): string | undefined {
  if (!owners.some((owner) => isAddressEqual(owner, approval.signer as Address)))
    return "The signer is no longer a member.";
  if (approval.nonce < safeNonce) {
    return `It was given for decision ${approval.nonce}, which another proposal now has: it must be given again.`;
  }
  if (approval.nonce !== nonce) {
    return `It counts only for decision ${approval.nonce}; approvals are now collected for decision ${nonce}.`;
  }
  return undefined;
}

/**
 * Whether a proposal moves to the number that an approval was just given for: when its number has passed, or when more
 * members have signed for the new one. So no single member moves what others have approved.
 */
export function movesTo(
  nonce: bigint,
  signer: Address,
  row: { nonce: bigint; approvals: ApprovalRow[] },
  state: Pick<CouncilState, "owners" | "nonce">,
): boolean {
  if (row.nonce < state.nonce) return true;
  const there = countingApprovals(row.approvals, nonce, state).filter(
    (each) => !isAddressEqual(each.signer as Address, signer),
  );
  return there.length + 1 > countingApprovals(row.approvals, row.nonce, state).length;
}
