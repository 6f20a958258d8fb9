import { and, asc, eq, gt, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { ConversionStatus } from "../../../indexer/schema/itmo-words.ts";
import type { Database } from "../../platform/db/index.ts";
import {
  type ApproachRow,
  type AuthorizationRow,
  type ConversionAnswerRow,
  type ConversionRow,
  itmoApproaches,
  itmoAuthorizations,
  itmoConversions,
  itmoResponses,
} from "./tables.ts";

export type ConversionFilter = {
  conversion?: number | undefined;
  implementers?: number[] | undefined;
  authorization?: number | undefined;
  approach?: number | undefined;
  status?: ConversionStatus | undefined;
};

export function openApproachStore(db: Database) {
  return {
    async byId(id: string): Promise<ApproachRow | null> {
      return (await db.select().from(itmoApproaches).where(eq(itmoApproaches.cooperativeApproachId, id)))[0] ?? null;
    },
    async byIndex(approach: number): Promise<ApproachRow | null> {
      return (await db.select().from(itmoApproaches).where(eq(itmoApproaches.approach, approach)))[0] ?? null;
    },
    async storedIndexes(): Promise<number[]> {
      const rows = await db.select({ index: itmoApproaches.approach }).from(itmoApproaches);
      return rows.map(({ index }) => index);
    },
    /** At most `limit` rows after an index, in the order of registration. */
    async listAfter(index: number, limit: number): Promise<ApproachRow[]> {
      const later = gt(itmoApproaches.approach, index);
      return db.select().from(itmoApproaches).where(later).orderBy(asc(itmoApproaches.approach)).limit(limit);
    },
    async save(row: ApproachRow): Promise<void> {
      await db.insert(itmoApproaches).values(row).onConflictDoNothing();
    },
  };
}
export type ApproachStore = ReturnType<typeof openApproachStore>;

export function openAuthorizationStore(db: Database) {
  const { authorization: indexColumn, approach: approachColumn } = itmoAuthorizations;
  return {
    async byId(id: string): Promise<AuthorizationRow | null> {
      return (await db.select().from(itmoAuthorizations).where(eq(itmoAuthorizations.authorizationId, id)))[0] ?? null;
    },
    async byIndex(authorization: number): Promise<AuthorizationRow | null> {
      return (await db.select().from(itmoAuthorizations).where(eq(indexColumn, authorization)))[0] ?? null;
    },
    async storedIndexes(): Promise<number[]> {
      const rows = await db.select({ index: indexColumn }).from(itmoAuthorizations);
      return rows.map(({ index }) => index);
    },
    /** At most `limit` rows after an index, in the order of registration; of one approach if its index is given. */
    async listAfter(index: number, limit: number, approach?: number): Promise<AuthorizationRow[]> {
      const later = gt(indexColumn, index);
      const wanted = approach === undefined ? later : and(later, eq(approachColumn, approach));
      return db.select().from(itmoAuthorizations).where(wanted).orderBy(asc(indexColumn)).limit(limit);
    },
    async save(row: AuthorizationRow): Promise<void> {
      await db.insert(itmoAuthorizations).values(row).onConflictDoNothing();
    },
  };
}
export type AuthorizationStore = ReturnType<typeof openAuthorizationStore>;

export function openConversionStore(db: Database) {
  return {
    async byIndex(conversion: number): Promise<ConversionRow | null> {
      return (await db.select().from(itmoConversions).where(eq(itmoConversions.conversion, conversion)))[0] ?? null;
    },
    /** The highest number up to which every conversion is stored. */
    async storedUpTo(): Promise<number> {
      const [row] = await db
        .select({
          count: sql<number>`count(*)::int`,
          last: sql<number>`coalesce(max(${itmoConversions.conversion}), 0)`,
        })
        .from(itmoConversions);
      if (row === undefined || row.count === row.last) return row?.last ?? 0;
      const rows = await db
        .select({ index: itmoConversions.conversion })
        .from(itmoConversions)
        .orderBy(asc(itmoConversions.conversion));
      const gap = rows.findIndex(({ index }, i) => index !== i + 1);
      return gap === -1 ? rows.length : gap;
    },
    async save(row: ConversionRow): Promise<void> {
      await db.insert(itmoConversions).values(row).onConflictDoNothing();
    },
    async responseOf(conversion: number): Promise<ConversionAnswerRow | null> {
      return (await db.select().from(itmoResponses).where(eq(itmoResponses.conversion, conversion)))[0] ?? null;
    },
    async saveAnswer(row: ConversionAnswerRow): Promise<void> {
      const { conversion: target } = itmoResponses;
      await db.insert(itmoResponses).values(row).onConflictDoUpdate({ target, set: row });
    },
    /** Numbers of the conversions whose answer is not stored. */
    async unanswered(): Promise<number[]> {
      const rows = await db
        .select({ conversion: itmoConversions.conversion })
        .from(itmoConversions)
        .leftJoin(itmoResponses, eq(itmoResponses.conversion, itmoConversions.conversion))
        .where(isNull(itmoResponses.conversion));
      return rows.map(({ conversion }) => conversion);
    },
    /** At most `limit` conversions after a number, in the order of the requests. */
    async listAfter(after: number, limit: number, filter: ConversionFilter): Promise<ConversionRow[]> {
      const rows = await db
        .select({ row: itmoConversions })
        .from(itmoConversions)
        .leftJoin(itmoResponses, eq(itmoResponses.conversion, itmoConversions.conversion))
        .where(and(gt(itmoConversions.conversion, after), ...conditions(filter)))
        .orderBy(asc(itmoConversions.conversion))
        .limit(limit);
      return rows.map(({ row }) => row);
    },
  };
}
export type ConversionStore = ReturnType<typeof openConversionStore>;

function conditions({ conversion, implementers, authorization, approach, status }: ConversionFilter): SQL[] {
  const { implementer, authorization: authorizationColumn, approach: approachColumn } = itmoConversions;
  return [
    ...(conversion === undefined ? [] : [eq(itmoConversions.conversion, conversion)]),
    ...(implementers === undefined
      ? []
      : [implementers.length === 0 ? sql`false` : inArray(implementer, implementers)]),
    ...(authorization === undefined ? [] : [eq(authorizationColumn, authorization)]),
    ...(approach === undefined ? [] : [eq(approachColumn, approach)]),
    ...(status === undefined
      ? []
      : [status === "requested" ? isNull(itmoResponses.conversion) : eq(itmoResponses.status, status)]),
  ];
}
