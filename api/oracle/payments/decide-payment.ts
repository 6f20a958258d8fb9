import { availableOf, type Deposit } from "./deposits.ts";

/** What an oracle asks; stablecoin base units. */
export type Asked = { price: bigint; freeMessages: number; allowance: number };

/** What a user has had and owes, as of the block of `deposits`. */
export type Standing = {
  /** Messages so far. */
  messages: number;
  /** The user's accepted claims that no deposit pays, the oldest first. */
  onCredit: { id: string; amount: bigint }[];
  /** What accepted claims that are not paid yet take of the deposit of a payer, whoever sent their messages. */
  promised: ReadonlyMap<string, bigint>;
  deposits: readonly (Omit<Deposit, "payer"> & { payer: string })[];
};

export type Decision =
  | { kind: "free" }
  /** `takesOver`: claims on credit that the deposit pays from now on. */
  | { kind: "paid"; payer: string; amount: bigint; takesOver: string[] }
  | { kind: "credit"; amount: bigint }
  | { kind: "refused"; amount: bigint };

/**
 * Whether a user's next message is free, paid, on credit, or refused until there is a deposit.
 * A deposit covers a message when it also covers all that is promised of it, and what the user still owes on credit.
 */
export function decide({ price, freeMessages, allowance }: Asked, standing: Standing): Decision {
  const { messages, onCredit, promised, deposits } = standing;
  if (price === 0n || messages < freeMessages) return { kind: "free" };
  for (const deposit of deposits) {
    const amount = price < deposit.acceptedPrice ? price : deposit.acceptedPrice;
    const payable = onCredit.filter((claim) => claim.amount <= deposit.acceptedPrice);
    const isCovered = (promised.get(deposit.payer) ?? 0n) + sum(payable) + amount <= availableOf(deposit);
    // What this deposit may not pay counts against the allowance as before.
    if (isCovered && onCredit.length - payable.length <= allowance) {
      return { kind: "paid", payer: deposit.payer, amount, takesOver: payable.map(({ id }) => id) };
    }
  }
  return onCredit.length < allowance ? { kind: "credit", amount: price } : { kind: "refused", amount: price };
}

const sum = (claims: readonly { amount: bigint }[]): bigint => claims.reduce((total, { amount }) => total + amount, 0n);
