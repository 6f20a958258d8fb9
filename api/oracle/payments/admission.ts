import type { Database, Transaction } from "../../platform/db/index.ts";
import type { AppError } from "../../platform/errors.ts";
import type { PaidMessage, RequirePayment } from "../runs/admission.ts";
import { DuplicateMessageError } from "../runs/duplicate-message.ts";
import { sessionNotFound } from "../sessions/sessions.ts";
import { countMessage, findEarlier, lockUser, readAccountState, recordClaim, saveWaitingClaim } from "./claim-store.ts";
import { decidePayment, type PaymentDecision } from "./decide-payment.ts";
import type { DepositBook, Deposits } from "./deposits.ts";
import { type PaymentDemand, paymentRequired } from "./payment-required.ts";
import type { OnChainOracle, Terms } from "./terms.ts";

export type AdmissionDeps = {
  db: Database;
  clock: { now: () => Date };
  terms: Terms;
  deposits: DepositBook;
  /** Mark the user's claims that the chain has paid. */
  reconcile: (userDid: string) => Promise<void>;
  /** Settle claims soon. */
  settleSoon: () => void;
  hasSession: (sessionId: string, userDid: string) => Promise<boolean>;
  demand: (oracle: OnChainOracle, message: PaidMessage) => Omit<PaymentDemand, "claimIds" | "amount">;
};

/** Thrown to roll back the transaction of a turn that is no longer covered. */
class PaymentNeededError extends Error {}

/** Create the check of payment. While the oracle is free it reads and stores nothing. */
export function createAdmission(deps: AdmissionDeps): RequirePayment {
  return async function requirePayment(message) {
    const oracle = deps.terms.current;
    if (oracle === undefined || oracle.price === 0n) return undefined;
    const before = await findEarlier(deps.db, message);
    if (before !== undefined) throw new DuplicateMessageError(before.runId);
    const { decision, deposits, asked } = await decideNow(deps, oracle, message);
    if (decision.kind === "refused") throw await paymentError(deps, asked, message);
    return {
      start: (runId, store) => storePaid(deps, asked, { message, deposits, runId }, store),
      onEnd: deps.settleSoon,
    };
  };
}

/** Decide by cached deposits. Before a refusal, ask the chain and decide again. */
async function decideNow(
  { db, deposits: book, reconcile, terms }: AdmissionDeps,
  oracle: OnChainOracle,
  { userDid }: PaidMessage,
): Promise<{ decision: PaymentDecision; deposits: Deposits; asked: OnChainOracle }> {
  const known = await book.of(userDid);
  const decision = decidePayment(oracle, await readAccountState(db, userDid, known));
  if (decision.kind !== "refused") return { decision, deposits: known, asked: oracle };
  await reconcile(userDid);
  const deposits = await book.of(userDid, { fresh: true });
  const asked = (await terms.refresh()) ?? oracle;
  return { decision: decidePayment(asked, await readAccountState(db, userDid, deposits)), deposits, asked };
}

type Paid = { message: PaidMessage; deposits: Deposits; runId: string };

async function storePaid<T>(
  deps: AdmissionDeps,
  oracle: OnChainOracle,
  paid: Paid,
  store: (tx: Transaction) => Promise<T>,
): Promise<T> {
  try {
    return await deps.db.transaction(async (tx) => {
      const stored = await store(tx);
      if (typeof stored === "object") await charge(deps, oracle, paid, tx);
      return stored;
    });
  } catch (error) {
    if (error instanceof PaymentNeededError) throw await paymentError(deps, oracle, paid.message);
    throw error;
  }
}

async function charge(
  { clock }: AdmissionDeps,
  oracle: OnChainOracle,
  { message, deposits, runId }: Paid,
  tx: Transaction,
): Promise<void> {
  const { userDid } = message;
  await lockUser(tx, userDid);
  // The same message may have been accepted while this one waited.
  const before = await findEarlier(tx, message);
  if (before !== undefined) throw new DuplicateMessageError(before.runId);
  const decision = decidePayment(oracle, await readAccountState(tx, userDid, deposits));
  if (decision.kind === "refused") throw new PaymentNeededError();
  if (decision.kind !== "free") await recordClaim(tx, { ...message, runId, at: clock.now() }, decision);
  await countMessage(tx, { userDid, runId });
}

/** The 402 error: lists the claims that the user owes, with one for this message. */
async function paymentError(deps: AdmissionDeps, oracle: OnChainOracle, message: PaidMessage): Promise<AppError> {
  const { db, clock, deposits: book } = deps;
  if (!(await deps.hasSession(message.sessionId, message.userDid))) {
    return sessionNotFound();
  }
  const asked = await saveWaitingClaim(db, { ...message, amount: oracle.price, at: clock.now() });
  const { onCredit: owed } = await readAccountState(db, message.userDid, await book.of(message.userDid));
  const amount = owed.reduce((sum, claim) => sum + claim.amount, oracle.price);
  return paymentRequired({ ...deps.demand(oracle, message), amount, claimIds: [...owed.map(({ id }) => id), asked] });
}
