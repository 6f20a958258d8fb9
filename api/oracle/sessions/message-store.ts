import { and, asc, desc, eq, getTableColumns, gt, inArray, lt, sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { type MessageRow, oracleMessages } from "./tables.ts";

export type MessageStore = ReturnType<typeof createMessageStore>;
export type StoredMessage = Omit<MessageRow, "history">;

const { history: _, ...columns } = getTableColumns(oracleMessages);

export function createMessageStore(db: Database) {
  return {
    /** The last `limit` messages, oldest first. */
    async all(sessionId: string, limit: number): Promise<StoredMessage[]> {
      const rows = db.select(columns).from(oracleMessages).where(eq(oracleMessages.sessionId, sessionId));
      return (await rows.orderBy(desc(oracleMessages.number)).limit(limit)).reverse();
    },

    /**
     * List turns by the number of their first message, oldest first.
     * @param before only turns before this number, the nearest ones; `after` works the same way; without both, the last turns
     */
    async turns(sessionId: string, { limit, before, after }: { limit: number; before?: number; after?: number }) {
      const first = sql<number>`min(${oracleMessages.number})`.mapWith(Number);
      const turn = { runId: oracleMessages.runId, first };
      const grouped = db.select(turn).from(oracleMessages).where(eq(oracleMessages.sessionId, sessionId));
      const bounds = and(
        before === undefined ? undefined : lt(first, before),
        after === undefined ? undefined : gt(first, after),
      );
      const order = after === undefined ? desc(first) : asc(first);
      const found = await grouped
        .groupBy(oracleMessages.runId)
        .having(bounds)
        .orderBy(order)
        .limit(limit + 1);
      const page = found.slice(0, limit);
      return { turns: after === undefined ? page.reverse() : page, more: found.length > limit };
    },

    async ofTurns(sessionId: string, runIds: string[]): Promise<StoredMessage[]> {
      const of = and(eq(oracleMessages.sessionId, sessionId), inArray(oracleMessages.runId, runIds));
      return await db.select(columns).from(oracleMessages).where(of).orderBy(asc(oracleMessages.number));
    },

    /** The number of a turn's first message; undefined when the session has no such turn. */
    async firstOf(sessionId: string, runId: string): Promise<number | undefined> {
      const of = and(eq(oracleMessages.sessionId, sessionId), eq(oracleMessages.runId, runId));
      const first = db.select({ number: oracleMessages.number }).from(oracleMessages).where(of);
      return (await first.orderBy(asc(oracleMessages.number)).limit(1))[0]?.number;
    },
  };
}
