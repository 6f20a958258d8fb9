import { and, asc, count, desc, eq, gt, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { ulid } from "ulid";
import type { Database, Transaction } from "../../platform/db/index.ts";
import type { PaidMessage } from "../runs/admission.ts";
import type { RunOutcome } from "../runs/run-store.ts";
import { oracleRuns } from "../runs/tables.ts";
import type { AccountState, PaymentDecision } from "./decide-payment.ts";
import type { Deposits } from "./deposits.ts";
import { type ClaimRow, type ClaimState, oracleClaims, oracleUsage } from "./tables.ts";

type Db = Database | Transaction;
/** Read what the user has used and owes, as of the block of the deposits. */
export async function readAccountState(db: Db, userDid: string, { block, deposits }: Deposits): Promise<AccountState> {
  const [usage] = await db.select().from(oracleUsage).where(eq(oracleUsage.userDid, userDid));
  const { id, amount, payer, state, paidBlock, runId } = oracleClaims;
  const isOpen = and(or(ne(state, "paid"), gt(paidBlock, block)), isNotNull(runId));
  const onCredit = await db
    .select({ id, amount })
    .from(oracleClaims)
    .where(and(eq(oracleClaims.userDid, userDid), isNull(payer), isOpen))
    .orderBy(asc(id));
  const payers = deposits.map((deposit) => deposit.payer);
  // Summed in the database, because there can be many.
  const total = sql<string>`sum(${amount})::text`;
  const ofThese = and(inArray(payer, payers), isOpen);
  const sums =
    payers.length === 0 ? [] : await db.select({ payer, total }).from(oracleClaims).where(ofThese).groupBy(payer);
  const promised = new Map(sums.map((row) => [`${row.payer}`, BigInt(row.total)]));
  return { messages: usage?.messages ?? 0, onCredit, promised, deposits };
}

/** Count a turn's message. Locks the user's row, so no other message of the user is decided until the transaction ends. */
export async function countMessage(
  tx: Transaction,
  { userDid, runId }: { userDid: string; runId: string },
): Promise<void> {
  await tx.update(oracleRuns).set({ isCounted: true }).where(eq(oracleRuns.id, runId));
  const messages = sql`${oracleUsage.messages} + 1`;
  await tx
    .insert(oracleUsage)
    .values({ userDid, messages: 1 })
    .onConflictDoUpdate({ target: oracleUsage.userDid, set: { messages } });
}

/** Outcomes that cost the user nothing. */
const freeOutcomes: ReadonlySet<string> = new Set<RunOutcome>(["failed", "interrupted"]);

/**
 * SQL that deletes the claim of a turn and uncounts its message, if the turn ended through no act of its user.
 * @param status outcome of the turn. The statement must have an expression `ended` with the run's `id`, `user_did` and `is_counted`
 */
export function releaseCharge(status: RunOutcome): SQL {
  const isFree = sql.raw(String(freeOutcomes.has(status)));
  return sql`released as (
      delete from oracle_claims where ${isFree} and state = 'unpaid' and run_id in (select id from ended)),
    uncounted as (
      update oracle_usage u set messages = greatest(u.messages - 1, 0) from ended
      where ${isFree} and ended.is_counted and u.user_did = ended.user_did)`;
}

/** Lock the user: other messages of the user wait until the transaction ends. */
export async function lockUser(tx: Transaction, userDid: string): Promise<void> {
  await tx.insert(oracleUsage).values({ userDid }).onConflictDoNothing();
  await tx.select().from(oracleUsage).where(eq(oracleUsage.userDid, userDid)).for("update");
}

/** Record the claim of an accepted message. Reuses the claim that waited for payment, if there is one. */
export async function recordClaim(
  tx: Transaction,
  message: PaidMessage & { runId: string; at: Date },
  decision: Extract<PaymentDecision, { kind: "paid" | "credit" }>,
): Promise<void> {
  const { at, ...facts } = message;
  const payer = decision.kind === "paid" ? decision.payer : null;
  const change = { ...facts, amount: decision.amount, payer, changedAt: at };
  const waiting = and(eq(oracleClaims.userDid, message.userDid), isNull(oracleClaims.runId));
  const taken = await tx.update(oracleClaims).set(change).where(waiting).returning({ id: oracleClaims.id });
  if (taken.length === 0) await tx.insert(oracleClaims).values({ id: newClaimId(at), ...change, createdAt: at });
  if (decision.kind === "paid" && decision.takesOver.length > 0) {
    const owed = and(inArray(oracleClaims.id, decision.takesOver), isNull(oracleClaims.payer));
    await tx.update(oracleClaims).set({ payer, changedAt: at }).where(owed);
  }
}

/** Save the claim of a message that waits for payment. A user has at most one, however often messages are refused. */
export async function saveWaitingClaim(db: Db, message: PaidMessage & { amount: bigint; at: Date }): Promise<string> {
  const { at, ...facts } = message;
  const change = { ...facts, changedAt: at };
  const [row] = await db
    .insert(oracleClaims)
    .values({ id: newClaimId(at), ...change, createdAt: at })
    .onConflictDoUpdate({ target: oracleClaims.userDid, targetWhere: sql`run_id is null`, set: change })
    .returning({ id: oracleClaims.id });
  if (row === undefined) throw new Error("The claim was not kept");
  return row.id;
}

/** Find the claim of an earlier copy of this message. */
export async function findEarlier(db: Db, { userDid, retryId }: PaidMessage): Promise<ClaimRow | undefined> {
  if (retryId === null) return undefined;
  const same = and(eq(oracleClaims.userDid, userDid), eq(oracleClaims.retryId, retryId));
  const [row] = await db
    .select()
    .from(oracleClaims)
    .where(and(same, isNotNull(oracleClaims.runId)));
  return row;
}

export type ClaimQuery = { limit: number; before?: string | undefined; state?: ClaimState | undefined };

/** The user's claims, newest first. Returns one more than `limit` when there are more. */
export async function listClaims(db: Db, userDid: string, { limit, before, state }: ClaimQuery): Promise<ClaimRow[]> {
  const conditions = [
    eq(oracleClaims.userDid, userDid),
    before === undefined ? undefined : lt(oracleClaims.id, before),
    state === undefined ? undefined : eq(oracleClaims.state, state),
  ];
  return await db
    .select()
    .from(oracleClaims)
    .where(and(...conditions))
    .orderBy(desc(oracleClaims.id))
    .limit(limit + 1);
}

/** Count the user's claims by state. */
export async function countClaims(db: Db, userDid: string): Promise<Record<ClaimState, number>> {
  const { state } = oracleClaims;
  const rows = db.select({ state, claims: count() }).from(oracleClaims).where(eq(oracleClaims.userDid, userDid));
  const found = new Map((await rows.groupBy(state)).map((row) => [row.state, row.claims]));
  const of = (name: ClaimState) => found.get(name) ?? 0;
  return { unpaid: of("unpaid"), unknown: of("unknown"), paid: of("paid") };
}

const newClaimId = (at: Date) => `CLM-${ulid(at.getTime())}`;
