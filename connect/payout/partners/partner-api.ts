/** A transfer to a supplier's mobile account. */
export type Transfer = {
  /** UUID; the same one again is the same transfer. */
  reference: string;
  /** The payment on chain, for the partner's books. */
  paymentId: string;
  /** Millionths of the currency, a multiple of the partner's smallest amount. */
  amount: bigint;
  currency: string;
  /** In the international format, `+260…`. */
  number: string;
  holder: string;
};

/**
 * What the partner answered to a call for a transfer.
 * `accepted`: it will decide. `refused`: it did nothing and would refuse this call again. `postponed`: it did nothing, for a reason
 * outside this transfer, such as a wrong key. `uncertain`: anything else; only the status says what happened.
 */
export type CallOutcome =
  | { kind: "accepted" }
  | { kind: "refused"; reason: string }
  | { kind: "postponed"; reason: string }
  | { kind: "uncertain"; reason: string };

/** What the partner says of a reference. Amount (as it is written) and currency are null where it does not name them. */
export type TransferStatus =
  | { kind: "pending" }
  | { kind: "succeeded"; partnerTransaction: string | null; amount: string | null; currency: string | null }
  | { kind: "failed"; reason: string }
  | { kind: "not-found" };

/** The API of one partner. */
export type PartnerApi = {
  /** Ask for a transfer. Never throws: a lost answer is `uncertain`. */
  transfer: (transfer: Transfer, signal: AbortSignal) => Promise<CallOutcome>;
  /** @throws PartnerError when the partner does not say */
  status: (reference: string, signal: AbortSignal) => Promise<TransferStatus>;
};

/** A partner that could not be asked, or whose answer is not as documented. */
export class PartnerError extends Error {
  override name = "PartnerError";
}

const longest = 200;

/** Shorten a partner's sentence and take numbers of people out of it. */
export function reasonOf(...parts: unknown[]): string {
  const text = parts.filter((part) => typeof part === "string" || typeof part === "number").join(" ");
  return text.replace(/\+?\d[\d -]{5,}\d/g, "…").slice(0, longest) || "no reason given";
}
