import { and, asc, eq, gt, gte, inArray, lt, lte, type SQL, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { itmoSettlements, type SettlementRow } from "../tables.ts";

export type SettlementFilter = {
  /** Number of a conversion. With `serials`: only settlements of these or of the whole conversion. */
  conversion?: number;
  serials?: { firstId: bigint; lastId: bigint };
  subjectId?: string;
  type?: SettlementRow["type"] | undefined;
  parties?: string[] | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};
/** Totals of a currency, exact decimals as text. */
export type CurrencyTotal = {
  currency: string;
  MOPA: string;
  exchange: string;
  open: string;
  supplierExchange: string;
};

const of = itmoSettlements;

export function openSettlementStore(db: Database) {
  return {
    /** Store a settlement, or return the stored one of the same type and reference. */
    async save(row: SettlementRow): Promise<SettlementRow> {
      const same = and(eq(of.type, row.type), eq(of.reference, row.reference));
      const [saved] = await db.insert(of).values(row).onConflictDoNothing().returning();
      const kept = saved ?? (await db.select().from(of).where(same))[0];
      if (kept === undefined) throw new Error(`The settlement ${row.settlementId} was not stored.`);
      return kept;
    },
    /** Read at most `limit` settlements after an id, in the order of recording. */
    async listAfter(after: string, limit: number, filter: SettlementFilter): Promise<SettlementRow[]> {
      const where = and(gt(of.settlementId, after), ...conditions(filter));
      return db.select().from(of).where(where).orderBy(asc(of.settlementId)).limit(limit);
    },
    /** Sum the settlements by currency. */
    async totals(filter: SettlementFilter): Promise<CurrencyTotal[]> {
      const sumOf = (condition: SQL) => sql`coalesce(sum(${of.amount}::numeric) filter (where ${condition}), 0)`;
      const plain = (sum: SQL) => sql<string>`trim_scale(${sum})::text`;
      const isExchange = sql`${of.type} = 'exchange'`;
      const mopa = sumOf(sql`${of.type} = 'MOPA'`);
      const exchange = sumOf(sql`${isExchange} and ${of.conversion} is not null`);
      return db
        .select({
          currency: of.currency,
          MOPA: plain(mopa),
          exchange: plain(exchange),
          open: plain(sql`${mopa} - ${exchange}`),
          supplierExchange: plain(sumOf(sql`${isExchange} and ${of.conversion} is null`)),
        })
        .from(of)
        .where(and(...conditions(filter)))
        .groupBy(of.currency)
        .orderBy(asc(of.currency));
    },
  };
}
export type SettlementStore = ReturnType<typeof openSettlementStore>;

function conditions({ conversion, serials, subjectId, type, parties, from, to }: SettlementFilter): SQL[] {
  return [
    ...(conversion === undefined ? [] : [eq(of.conversion, conversion)]),
    ...(serials === undefined ? [] : [meets(serials)]),
    ...(subjectId === undefined ? [] : [eq(of.subjectId, subjectId)]),
    ...(type === undefined ? [] : [eq(of.type, type)]),
    ...(parties === undefined ? [] : [parties.length === 0 ? sql`false` : inArray(of.partyDid, parties)]),
    ...(from === undefined ? [] : [gte(of.recordedAt, from)]),
    ...(to === undefined ? [] : [lt(of.recordedAt, to)]),
  ];
}

/** Condition: the row's serials overlap the given ones, or it settles the whole conversion. */
function meets({ firstId, lastId }: { firstId: bigint; lastId: bigint }): SQL {
  const [first, last] = [sql`${of.firstId}::numeric`, sql`${of.lastId}::numeric`];
  const met = and(lte(first, sql`${`${lastId}`}::numeric`), gte(last, sql`${`${firstId}`}::numeric`));
  return sql`(${of.firstId} is null or ${met})`;
}
