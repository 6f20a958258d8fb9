import { type Address, isAddressEqual } from "viem";
import type { CouncilState } from "./council-state.ts";
import type { ApprovalRow } from "./tables.ts";

/** How many members must approve: what the Safe asks for, and never the proposer alone. */
export function quorumOf({ threshold }: Pick<CouncilState, "threshold">): number {
  return Math.max(Number(threshold), 2);
}

/** Approvals that count for one of the Safe's numbers: of those who are members now, one each. */
export function countingApprovals(approvals: ApprovalRow[], nonce: bigint, { owners }: Pick<CouncilState, "owners">) {
  const isMember = (signer: string) => owners.some((owner) => isAddressEqual(owner, signer as Address));
  return approvals.filter((approval) => approval.nonce === nonce && isMember(approval.signer));
}

/** Why an approval does not count, in words; undefined when it does. */
export function whyVoid(
  approval: ApprovalRow,
  { nonce, safeNonce, owners }: { nonce: bigint; safeNonce: bigint; owners: Address[] },
): string | undefined {
  if (!owners.some((owner) => isAddressEqual(owner, approval.signer as Address)))
    return "The signer is no member any more.";
  if (approval.nonce < safeNonce) {
    return `It was given for decision ${approval.nonce}, which another proposal has become: it must be given again.`;
  }
  if (approval.nonce !== nonce) {
    return `It counts for decision ${approval.nonce} alone; the proposal is collected as decision ${nonce}.`;
  }
  return undefined;
}

/**
 * Whether a proposal takes the number that an approval was just given for: when its own has passed, or more members have
 * signed for this one. So nobody alone moves what others have approved.
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
