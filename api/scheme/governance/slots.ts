/** A proposal that is collecting approvals, and the Safe's number that it collects them for. */
export type Slot = { id: string; nonce: bigint };

/**
 * Choose the Safe's number that a proposal collects approvals for. The Safe executes its numbers strictly in order, so
 * proposals queue. A proposal keeps its number while other proposals hold every number before it. When one before it
 * becomes free, or the Safe has passed its number, it moves to the first free one and must be signed again.
 */
export function slotFor(id: string, nonce: bigint | undefined, others: Slot[], safeNonce: bigint): bigint {
  const taken = new Set(others.filter((other) => other.id !== id).map((other) => other.nonce));
  let first = safeNonce;
  while (taken.has(first)) first++;
  if (nonce === undefined || nonce < safeNonce) return first;
  // Nobody fills the gap before it: it would wait forever.
  return first < nonce ? first : nonce;
}

/** Count the decisions of the council that must come before this one. */
export function decisionsBefore(nonce: bigint, safeNonce: bigint): number {
  return nonce > safeNonce ? Number(nonce - safeNonce) : 0;
}
