import { availableOf, type Deposit } from "./deposits.ts";

/** An oracle's terms. `price` in stablecoin base units. */
export type PaymentTerms = { price: bigint; freeMessages: number; allowance: number };

/** What a user has used and owes, as of the block of `deposits`. */
export type AccountState = {
  /** Messages so far, free ones included. */
  messages: number;
  /** The user's accepted claims that no deposit pays, the oldest first. */
  onCredit: { id: string; amount: bigint }[];
  /** By payer: the sum of its accepted claims that are not paid yet, of all users. */
  promised: ReadonlyMap<string, bigint>;
  deposits: readonly (Omit<Deposit, "payer"> & { payer: string })[];
};

export type PaymentDecision =
  | { kind: "free" }
  /** `takesOver`: ids of claims on credit that this deposit pays as well. */
  | { kind: "paid"; payer: string; amount: bigint; takesOver: string[] }
  | { kind: "credit"; amount: bigint }
  | { kind: "refused"; amount: bigint };

/**
 * Decide whether a user's next message is free, paid, on credit, or refused.
 * A deposit must cover the message, the claims already promised from it, and the user's claims on credit.
 */
export function decidePayment(
  { price, freeMessages, allowance }: PaymentTerms,
  account: AccountState,
): PaymentDecision {
  const { messages, onCredit, promised, deposits } = account;
  if (price === 0n || messages < freeMessages) return { kind: "free" };
  for (const deposit of deposits) {
    const amount = price < deposit.acceptedPrice ? price : deposit.acceptedPrice;
    const payable = onCredit.filter((claim) => claim.amount <= deposit.acceptedPrice);
    const isCovered = (promised.get(deposit.payer) ?? 0n) + sum(payable) + amount <= availableOf(deposit);
    // Claims that this deposit may not pay still count against the allowance.
    if (isCovered && onCredit.length - payable.length <= allowance) {
      return { kind: "paid", payer: deposit.payer, amount, takesOver: payable.map(({ id }) => id) };
    }
  }
  return onCredit.length < allowance ? { kind: "credit", amount: price } : { kind: "refused", amount: price };
}

const sum = (claims: readonly { amount: bigint }[]): bigint => claims.reduce((total, { amount }) => total + amount, 0n);
