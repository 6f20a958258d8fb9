import type { CoreDeps } from "../../platform/core.ts";
import type { Transaction } from "../../platform/db/client.ts";
import type { AppError } from "../../platform/errors.ts";
import { MessageTakenError } from "../runs/duplicate-message.ts";
import { sessionNotFound } from "../sessions/sessions.ts";
import {
  askClaim,
  countMessage,
  findEarlier,
  lockUser,
  type PaidMessage,
  readStanding,
  recordClaim,
} from "./claim-store.ts";
import { type Decision, decide } from "./decide-payment.ts";
import type { DepositBook, Deposits } from "./deposits.ts";
import { type PaymentDemand, paymentRequired } from "./payment-required.ts";
import type { OnChainOracle, Terms } from "./terms.ts";

/** Begins a turn together with its claim: both are kept, or neither. */
export type Admission = {
  /**
   * @param begin keeps the turn; what it answers other than an object means that no turn was begun
   * @throws AppError PAYMENT_REQUIRED where another message took the deposit meanwhile
   */
  begin: <T>(runId: string, begin: (tx: Transaction) => Promise<T>) => Promise<T>;
  /** The turn has ended: what it costs, if it costs anything, can be settled. */
  ended: () => void;
};

/** @throws AppError PAYMENT_REQUIRED, NOT_FOUND for a session that is not the user's, CONFLICT for a request that was accepted before */
export type RequirePayment = (message: PaidMessage) => Promise<Admission | undefined>;

type Parts = Pick<CoreDeps, "db" | "clock"> & {
  terms: Terms;
  deposits: DepositBook;
  /** Bring what the user owes into agreement with the chain. */
  reconcile: (userDid: string) => Promise<void>;
  /** A claim may be due. */
  due: () => void;
  hasSession: (sessionId: string, userDid: string) => Promise<boolean>;
  demand: (oracle: OnChainOracle, message: PaidMessage) => Omit<PaymentDemand, "claimIds" | "amount">;
};

class PaymentNeeded extends Error {}

/** Decides which messages are answered. Nothing is asked, read or kept as long as the oracle is free. */
export function createAdmission(parts: Parts): RequirePayment {
  return async function requirePayment(message) {
    const oracle = parts.terms.current;
    if (oracle === undefined || oracle.price === 0n) return undefined;
    const before = await findEarlier(parts.db, message);
    if (before !== undefined) throw new MessageTakenError(before.runId);
    const { decision, deposits, asked } = await decideNow(parts, oracle, message);
    if (decision.kind === "refused") throw await refusal(parts, asked, message);
    return {
      begin: (runId, begin) => beginPaid(parts, asked, { message, deposits, runId }, begin),
      ended: parts.due,
    };
  };
}

/** By what is known; and, before anybody is refused, by what the chain says at this moment. */
async function decideNow(
  { db, deposits: book, reconcile, terms }: Parts,
  oracle: OnChainOracle,
  { userDid }: PaidMessage,
): Promise<{ decision: Decision; deposits: Deposits; asked: OnChainOracle }> {
  const known = await book.of(userDid);
  const decision = decide(oracle, await readStanding(db, userDid, known));
  if (decision.kind !== "refused") return { decision, deposits: known, asked: oracle };
  await reconcile(userDid);
  const deposits = await book.of(userDid, { fresh: true });
  const asked = (await terms.refresh()) ?? oracle;
  return { decision: decide(asked, await readStanding(db, userDid, deposits)), deposits, asked };
}

type Paid = { message: PaidMessage; deposits: Deposits; runId: string };

async function beginPaid<T>(
  parts: Parts,
  oracle: OnChainOracle,
  paid: Paid,
  begin: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await parts.db.transaction(async (tx) => {
      const answer = await begin(tx);
      if (typeof answer === "object") await admit(parts, oracle, paid, tx);
      return answer;
    });
  } catch (error) {
    if (error instanceof PaymentNeeded) throw await refusal(parts, oracle, paid.message);
    throw error;
  }
}

async function admit(
  { clock }: Parts,
  oracle: OnChainOracle,
  { message, deposits, runId }: Paid,
  tx: Transaction,
): Promise<void> {
  const { userDid } = message;
  await lockUser(tx, userDid);
  // The same message may have been accepted while this one waited.
  const before = await findEarlier(tx, message);
  if (before !== undefined) throw new MessageTakenError(before.runId);
  const decision = decide(oracle, await readStanding(tx, userDid, deposits));
  if (decision.kind === "refused") throw new PaymentNeeded();
  if (decision.kind !== "free") await recordClaim(tx, { ...message, runId, at: clock.now() }, decision);
  await countMessage(tx, { userDid, runId });
}

/** @returns the refusal, with the claim that this message would be among those that are owed */
async function refusal(parts: Parts, oracle: OnChainOracle, message: PaidMessage): Promise<AppError> {
  const { db, clock, deposits: book } = parts;
  if (!(await parts.hasSession(message.sessionId, message.userDid))) {
    return sessionNotFound();
  }
  const asked = await askClaim(db, { ...message, amount: oracle.price, at: clock.now() });
  const { onCredit: owed } = await readStanding(db, message.userDid, await book.of(message.userDid));
  const amount = owed.reduce((sum, claim) => sum + claim.amount, oracle.price);
  return paymentRequired({ ...parts.demand(oracle, message), amount, claimIds: [...owed.map(({ id }) => id), asked] });
}

/** For a runtime without a chain: nothing is paid for. */
export const freeOfCharge: RequirePayment = async () => undefined;
