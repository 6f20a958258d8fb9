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
    return `It was given for decision ${approval.nonce}; the proposal is now collected as decision ${nonce}: it must be given again.`;
  }
  return undefined;
}
