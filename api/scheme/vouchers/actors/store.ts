import { and, asc, count, eq, inArray, ne, sql } from "drizzle-orm";
import type { Hex } from "viem";
import type { ConsentLevel } from "../../../../indexer/schema/consent-words.ts";
import { type ChainTransaction, chainTransactions } from "../../../platform/chain/index.ts";
import type { Database, Transaction } from "../../../platform/db/index.ts";
import type { ActedBy } from "../../../platform/http/index.ts";
import { type RedemptionActorRow, redemptionActors, redemptionOrders } from "./tables.ts";

/** Store who acts in the orders of a transaction, in the transaction that stores it in the outbox. */
export async function saveOrders(
  tx: Transaction,
  transactionId: number,
  orders: readonly (ActedBy & { at: Date })[],
): Promise<void> {
  await tx.insert(redemptionOrders).values(orders.map((order, position) => ({ ...order, transactionId, position })));
}

/** What an order became on chain. */
type Made = { redemptionId: string; consent: ConsentLevel };

/**
 * Store who made a redemption, as its order said. Repeating it changes nothing.
 * @param transaction its id in the outbox, or its hash there
 */
export async function settleOrder(
  db: Database,
  { transaction, position }: { transaction: number | Hex; position: number },
  { redemptionId, consent }: Made,
): Promise<void> {
  const id =
    typeof transaction === "number"
      ? sql`${transaction}::bigint`
      : sql`(select id from ${chainTransactions} where hash = ${transaction})`;
  await db.execute(sql`
    with ordered as (
      delete from ${redemptionOrders} where transaction_id = ${id} and position = ${position}
      returning channel, role, caller, at
    )
    insert into ${redemptionActors} (redemption_id, channel, role, caller, consent, at)
    select ${redemptionId}, channel, role, caller, ${consent}, at from ordered
    on conflict do nothing`);
}

/** Forget orders that made no redemption: those that the ledger refused, or all of a transaction. */
export async function forgetOrders(db: Database, transactionId: number): Promise<void> {
  await db.delete(redemptionOrders).where(eq(redemptionOrders.transactionId, transactionId));
}

/** The transactions with orders whose end the outbox knows, oldest first. */
export async function endedTransactions(db: Database): Promise<ChainTransaction[]> {
  const ordered = db.selectDistinct({ id: redemptionOrders.transactionId }).from(redemptionOrders);
  const { id, status } = chainTransactions;
  const found = and(inArray(id, ordered), ne(status, "open"));
  return await db.select().from(chainTransactions).where(found).orderBy(asc(id));
}

/** Read who made some redemptions, by redemption. */
export async function redemptionActorsOf(
  db: Database,
  redemptionIds: readonly string[],
): Promise<Map<string, RedemptionActorRow>> {
  if (redemptionIds.length === 0) return new Map();
  const found = inArray(redemptionActors.redemptionId, [...redemptionIds]);
  const rows = await db.select().from(redemptionActors).where(found);
  return new Map(rows.map((row) => [row.redemptionId, row]));
}

/** Count redemptions by who acted and how the household agreed. */
export async function countByActor(
  db: Database,
): Promise<(Pick<RedemptionActorRow, "channel" | "consent"> & { count: number })[]> {
  const { channel, consent } = redemptionActors;
  return db
    .select({ channel, consent, count: count() })
    .from(redemptionActors)
    .groupBy(channel, consent)
    .orderBy(channel, consent);
}
