import { and, asc, desc, eq, inArray, isNotNull, isNull, lt, ne, notExists, or, sql } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database } from "../../platform/db/index.ts";
import { oracleRuns } from "../runs/tables.ts";
import { type ClaimRow, oracleClaims } from "./tables.ts";

const { state, payer, runId, changedAt, settlementId, id, refusal, userDid, paidBlock } = oracleClaims;

/** Delay before a claim that the registry refused is retried, in milliseconds. */
const refusedMs = 60_000;

/** Condition for a claim with a running turn, which may still fail and then costs nothing. */
const hasEnded = notExists(
  sql`(select 1 from ${oracleRuns} where ${oracleRuns.id} = ${runId} and ${oracleRuns.endedAt} is null)`,
);

/**
 * Take claims into a settlement. Two processes never take the same claim.
 * @returns the oldest unpaid ones whose payers are known
 */
export async function takeForSettlement(
  db: Database,
  take: { settlementId: string; limit: number; at: Date },
): Promise<ClaimRow[]> {
  return await db.transaction(async (tx) => {
    const again = new Date(take.at.getTime() - refusedMs);
    const due = or(isNull(refusal), lt(changedAt, again));
    const found = await tx
      .select({ id })
      .from(oracleClaims)
      .where(and(eq(state, "unpaid"), isNotNull(payer), isNotNull(runId), hasEnded, due))
      .orderBy(asc(id))
      .limit(take.limit)
      .for("update", { skipLocked: true });
    if (found.length === 0) return [];
    const ids = found.map((row) => row.id);
    const change = { state: "unknown" as const, settlementId: take.settlementId, changedAt: take.at };
    return await tx.update(oracleClaims).set(change).where(inArray(id, ids)).returning();
  });
}

export type PaidBy = { block: bigint; transactionHash: Hex | null; at: Date };

export async function markPaid(db: Database, ids: string[], paid: PaidBy): Promise<void> {
  if (ids.length === 0) return;
  const { block, transactionHash, at } = paid;
  const change = { state: "paid" as const, paidBlock: block, transactionHash, refusal: null, changedAt: at };
  await db
    .update(oracleClaims)
    .set(change)
    .where(and(inArray(id, ids), ne(state, "paid")));
}

/**
 * Mark claims as unpaid after a settlement did not pay them. With a reason they are on credit again, so that another deposit can
 * pay them.
 */
export async function markUnpaid(
  db: Database,
  claims: { ids: string[]; settlementId: string; reason: string | null; at: Date },
): Promise<void> {
  if (claims.ids.length === 0) return;
  const refused = claims.reason === null ? {} : { payer: null, refusal: claims.reason };
  await db
    .update(oracleClaims)
    .set({ state: "unpaid", changedAt: claims.at, ...refused })
    .where(and(inArray(id, claims.ids), eq(state, "unknown"), eq(settlementId, claims.settlementId)));
}

/** Find claims in settlements without a recorded end since then. */
export async function unknownSince(db: Database, before: Date): Promise<ClaimRow[]> {
  return await db
    .select()
    .from(oracleClaims)
    .where(and(eq(state, "unknown"), lt(changedAt, before)))
    .orderBy(asc(id))
    .limit(1_000);
}

/** Find a user's accepted claims that a deposit should pay and that are not known to be paid. */
export async function openOf(db: Database, user: string): Promise<ClaimRow[]> {
  const own = and(eq(userDid, user), isNotNull(runId), isNotNull(payer), ne(state, "paid"));
  return await db.select().from(oracleClaims).where(own).orderBy(asc(id)).limit(500);
}

/** Find users with accepted claims that no deposit pays. */
export async function usersOnCredit(db: Database): Promise<string[]> {
  const owed = and(eq(state, "unpaid"), isNull(payer), isNotNull(runId));
  const rows = await db.selectDistinct({ userDid }).from(oracleClaims).where(owed).limit(1_000);
  return rows.map((row) => row.userDid);
}

export async function creditOf(db: Database, user: string): Promise<ClaimRow[]> {
  const owed = and(eq(userDid, user), eq(state, "unpaid"), isNull(payer), isNotNull(runId));
  return await db.select().from(oracleClaims).where(owed).orderBy(asc(id)).limit(500);
}

/** Assign claims on credit to a deposit. */
export async function assignPayer(db: Database, ids: string[], by: { payer: string; at: Date }): Promise<void> {
  if (ids.length === 0) return;
  const owed = and(inArray(id, ids), isNull(payer), eq(state, "unpaid"));
  await db.update(oracleClaims).set({ payer: by.payer, refusal: null, changedAt: by.at }).where(owed);
}

/** Find the claims that were paid last. */
export async function lastPaid(db: Database, limit: number): Promise<ClaimRow[]> {
  return await db.select().from(oracleClaims).where(eq(state, "paid")).orderBy(desc(paidBlock)).limit(limit);
}

/** Mark claims as unpaid because the chain lost their settlement. */
export async function forgetPayment(db: Database, ids: string[], at: Date): Promise<void> {
  if (ids.length === 0) return;
  const lost = { state: "unpaid" as const, paidBlock: null, transactionHash: null, changedAt: at };
  await db
    .update(oracleClaims)
    .set(lost)
    .where(and(inArray(id, ids), eq(state, "paid")));
}
