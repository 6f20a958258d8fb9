import { and, asc, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/index.ts";
import {
  type CardBatchRow,
  type CardChangeRow,
  type CardRow,
  type CardStatus,
  cardBatches,
  cardChanges,
  cards,
} from "./tables.ts";

export type CardFilter = {
  batchId?: string | undefined;
  status?: CardStatus | undefined;
  household?: number | undefined;
  /** Only cards of this implementer's batches. */
  implementerDids?: string[] | undefined;
};
export type CardWithBatch = CardRow & Pick<CardBatchRow, "implementerDid">;
type Change = Omit<CardChangeRow, "number">;

/** The cards in the database. Methods that take `within` can be part of a larger transaction. */
export function openCardStore(db: Database) {
  const withBatch = (within: Database | Transaction) =>
    within
      .select({ card: cards, implementerDid: cardBatches.implementerDid })
      .from(cards)
      .innerJoin(cardBatches, eq(cardBatches.batchId, cards.batchId));
  return {
    async addBatch(within: Transaction, row: CardBatchRow): Promise<void> {
      await within.insert(cardBatches).values(row);
    },
    /** Add cards of a batch, in order from a place. @returns how many were new: an id may be taken */
    async addCards(within: Transaction, ids: readonly string[], row: Omit<CardRow, "cardId">): Promise<number> {
      // One parameter for all ids: a parameter for each cell takes longer to send than to insert.
      const { rows } = await within.execute(sql`
        insert into ${cards} (card_id, batch_id, place, status, changed_at)
        select given.id, ${row.batchId}, ${row.place}::int + row_number() over (order by given.nth) - 1, ${row.status},
          ${row.changedAt.toISOString()}::timestamptz
        from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) with ordinality as given(id, nth)
        where not exists (select from ${cards} taken where taken.card_id = given.id)
        returning 1`);
      return rows.length;
    },
    async batch(batchId: string): Promise<CardBatchRow | null> {
      return (await db.select().from(cardBatches).where(eq(cardBatches.batchId, batchId)))[0] ?? null;
    },
    /** Batches after an id, oldest first. */
    async batchesAfter(after: string, limit: number, implementerDids: string[] | undefined): Promise<CardBatchRow[]> {
      const own = implementerDids === undefined ? undefined : inArray(cardBatches.implementerDid, implementerDids);
      const found = and(gt(cardBatches.batchId, after), own);
      return db.select().from(cardBatches).where(found).orderBy(asc(cardBatches.batchId)).limit(limit);
    },
    /** Find a card; `lock` holds its row until the transaction ends. */
    async card(cardId: string, within: Database | Transaction = db, lock = false): Promise<CardWithBatch | null> {
      const query = withBatch(within).where(eq(cards.cardId, cardId));
      const [found] = await (lock ? query.for("update", { of: cards }) : query);
      return found === undefined ? null : { ...found.card, implementerDid: found.implementerDid };
    },
    /** The household's card that has not ended. */
    async current(household: number, within: Database | Transaction = db): Promise<CardRow | null> {
      const open = and(eq(cards.household, household), inArray(cards.status, ["linked", "active", "blocked"]));
      return (await within.select().from(cards).where(open))[0] ?? null;
    },
    /** Cards after a place of a batch, by batch and place. */
    async listAfter([batch, place]: [string, number], limit: number, only: CardFilter): Promise<CardWithBatch[]> {
      const { batchId, status, household, implementerDids } = only;
      const later = or(gt(cards.batchId, batch), and(eq(cards.batchId, batch), gt(cards.place, place)));
      const conditions = [later];
      if (batchId !== undefined) conditions.push(eq(cards.batchId, batchId));
      if (status !== undefined) conditions.push(eq(cards.status, status));
      if (household !== undefined) conditions.push(eq(cards.household, household));
      if (implementerDids !== undefined) conditions.push(inArray(cardBatches.implementerDid, implementerDids));
      const rows = await withBatch(db)
        .where(and(...conditions))
        .orderBy(asc(cards.batchId), asc(cards.place))
        .limit(limit);
      return rows.map(({ card, implementerDid }) => ({ ...card, implementerDid }));
    },
    /** Ids of a batch's cards after a place, in the order of the sheets. Cards that were linked are included. */
    async idsAfter(batchId: string, place: number, limit: number): Promise<Pick<CardRow, "cardId" | "place">[]> {
      return db
        .select({ cardId: cards.cardId, place: cards.place })
        .from(cards)
        .where(and(eq(cards.batchId, batchId), gt(cards.place, place)))
        .orderBy(asc(cards.place))
        .limit(limit);
    },
    /** Link an issued card to a household. */
    async link(within: Transaction, cardId: string, household: number, change: Change): Promise<void> {
      const issued = and(eq(cards.cardId, cardId), isNull(cards.household));
      await within.update(cards).set({ status: change.status, household, changedAt: change.at }).where(issued);
      await within.insert(cardChanges).values(change);
    },
    /** Change a card's status. */
    async change(within: Transaction, change: Change, replacedBy: string | null = null): Promise<void> {
      const { cardId, status, at } = change;
      await within.update(cards).set({ status, replacedBy, changedAt: at }).where(eq(cards.cardId, cardId));
      await within.insert(cardChanges).values(change);
    },
    async changesOf(cardId: string): Promise<CardChangeRow[]> {
      return db.select().from(cardChanges).where(eq(cardChanges.cardId, cardId)).orderBy(asc(cardChanges.number));
    },
  };
}
export type CardStore = ReturnType<typeof openCardStore>;
