/** A proposal that is collecting approvals, and the Safe's number that it collects them for. */
export type Slot = { id: string; nonce: bigint };

/**
 * The Safe's number that a proposal asks to be signed for. The Safe takes its numbers strictly in order, so proposals
 * queue: each keeps its number as long as every number before it is another one's; when a number before it is given up,
 * or the Safe has passed its own, it moves to the first free one, and must be signed again.
 */
export function slotFor(id: string, nonce: bigint | undefined, others: Slot[], safeNonce: bigint): bigint {
  const taken = new Set(others.filter((other) => other.id !== id).map((other) => other.nonce));
  let first = safeNonce;
  while (taken.has(first)) first++;
  if (nonce === undefined || nonce < safeNonce) return first;
  // Nobody fills a gap before it: it would wait for ever.
  return first < nonce ? first : nonce;
}

/** How many decisions of the council must come before this one. */
export function decisionsBefore(nonce: bigint, safeNonce: bigint): number {
  return nonce > safeNonce ? Number(nonce - safeNonce) : 0;
}
