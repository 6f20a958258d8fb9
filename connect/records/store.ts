import {
  and,
  asc,
  desc,
  eq,
  gt,
  inArray,
  isNotNull,
  isNull,
  lt,
  max,
  ne,
  notInArray,
  or,
  type SQLWrapper,
  sql,
} from "drizzle-orm";
import type { Database, Transaction } from "../../api/platform/db/index.ts";
import type { Reason } from "./reasons.ts";
import { type SubmissionStatus, settled, submissionStatuses } from "./statuses.ts";
import { type AttachmentRow, odkAttachments, odkSubmissions, type SubmissionRow } from "./tables.ts";

export type SubmissionStore = ReturnType<typeof createSubmissionStore>;
export type SubmissionFilter = {
  implementerDid?: string | undefined;
  campaignId?: string | undefined;
  collectorId?: string | undefined;
  /**
   * Part of the person's name, in any case. `ids`: the query for people whose records were stored without a name. It is part of the
   * statement, which has 65 535 parameters at most.
   */
  person?: { name: string; ids: SQLWrapper } | undefined;
  region?: string | undefined;
  status?: SubmissionStatus | undefined;
};
/** The records of one collector in one region: how many have each status. An empty region stands for one that is not known. */
export type Progress = {
  collectorId: string;
  collectorName: string | null;
  region: string;
  counts: Partial<Record<SubmissionStatus, number>>;
  lastReceivedAt: Date;
};

const regionOrEmpty = sql<string>`coalesce(${odkSubmissions.region}, '')`;
const countsByStatus = sql<Partial<Record<SubmissionStatus, number>>>`jsonb_build_object(${sql.join(
  submissionStatuses.flatMap((status) => [
    sql.raw(`'${status}'`),
    sql`count(*) filter (where ${odkSubmissions.status} = ${sql.raw(`'${status}'`)})`,
  ]),
  sql`, `,
)})`;

export function createSubmissionStore(db: Database) {
  return {
    async find(
      implementerDid: string,
      formId: string,
      instanceId: string,
      within: Database | Transaction = db,
    ): Promise<SubmissionRow | undefined> {
      const [row] = await within
        .select()
        .from(odkSubmissions)
        .where(
          and(
            eq(odkSubmissions.implementerDid, implementerDid),
            eq(odkSubmissions.formId, formId),
            eq(odkSubmissions.instanceId, instanceId),
          ),
        );
      return row;
    },
    async byId(id: string): Promise<SubmissionRow | undefined> {
      return (await db.select().from(odkSubmissions).where(eq(odkSubmissions.id, id)))[0];
    },
    /** Store a record's row. Where another request has just stored it, that row is returned. */
    async insert(row: SubmissionRow, within: Database | Transaction = db): Promise<SubmissionRow> {
      const [made] = await within.insert(odkSubmissions).values(row).onConflictDoNothing().returning();
      if (made !== undefined) return made;
      const stored = await this.find(row.implementerDid, row.formId, row.instanceId, within);
      if (stored === undefined) throw new Error(`The record ${row.instanceId} was neither stored nor found.`);
      return stored;
    },
    async change(id: string, changes: Partial<SubmissionRow>): Promise<void> {
      await db.update(odkSubmissions).set(changes).where(eq(odkSubmissions.id, id));
    },
    /** Change a record that is in none of these statuses. @returns false when it is in one */
    async changeUnless(
      id: string,
      statuses: readonly SubmissionStatus[],
      changes: Partial<SubmissionRow>,
    ): Promise<boolean> {
      const found = and(eq(odkSubmissions.id, id), notInArray(odkSubmissions.status, [...statuses]));
      const changed = await db.update(odkSubmissions).set(changes).where(found).returning({ id: odkSubmissions.id });
      return changed.length === 1;
    },
    /**
     * Store a correction, with its new files, in the place of a refused record.
     * @returns false when that record is not refused any more
     */
    async replaceRefused(id: string, correction: SubmissionRow, files: readonly AttachmentRow[]): Promise<boolean> {
      return await db.transaction(async (tx) => {
        const refused = and(eq(odkSubmissions.id, id), eq(odkSubmissions.status, "refused"));
        const replaced = await tx
          .update(odkSubmissions)
          .set({ status: "replaced", replacedBy: correction.id })
          .where(refused)
          .returning({ id: odkSubmissions.id });
        if (replaced.length === 0) return false;
        await tx.insert(odkSubmissions).values(correction);
        if (files.length > 0) await tx.insert(odkAttachments).values([...files]);
        return true;
      });
    },
    /**
     * Let an edit take the place of a record, which one edit can. The same edit again changes nothing.
     * @returns false when the record was accepted or deleted, is being written, or has another edit in its place
     */
    async replaceBy(id: string, editId: string): Promise<boolean> {
      const isReplaceable = or(
        inArray(odkSubmissions.status, ["incomplete", "waiting", "refused"]),
        and(eq(odkSubmissions.status, "replaced"), eq(odkSubmissions.replacedBy, editId)),
      );
      const replaced = await db
        .update(odkSubmissions)
        .set({ status: "replaced", replacedBy: editId })
        .where(and(eq(odkSubmissions.id, id), isReplaceable))
        .returning({ id: odkSubmissions.id });
      return replaced.length === 1;
    },
    /**
     * Let a visit wait, with its day of a household's test, which one visit can have.
     * @returns `taken` when another visit has the day, and `settled` when the visit is not to be written any more
     */
    async takeDay(id: string, visit: { campaignId: string; householdDid: string; day: number }) {
      const { campaignId, householdDid, day } = visit;
      return await db.transaction(async (tx) => {
        // Visits of one test wait here for each other, also those of other processes.
        const test = JSON.stringify(["visits", campaignId, householdDid]);
        await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended(${test}, 0))`);
        const found = and(
          eq(odkSubmissions.campaignId, campaignId),
          eq(odkSubmissions.householdDid, householdDid),
          eq(odkSubmissions.day, day),
          ne(odkSubmissions.id, id),
          inArray(odkSubmissions.status, ["received", "waiting", "accepted", "refused"]),
        );
        const others = await tx.select({ id: odkSubmissions.id }).from(odkSubmissions).where(found).limit(1);
        const isTaken = others.length > 0;
        const changed = await tx
          .update(odkSubmissions)
          .set(isTaken ? { householdDid: null, day: null } : { householdDid, day, status: "waiting", details: [] })
          .where(and(eq(odkSubmissions.id, id), notInArray(odkSubmissions.status, [...settled])))
          .returning({ id: odkSubmissions.id });
        if (isTaken) return "taken";
        return changed.length === 0 ? "settled" : "waiting";
      });
    },
    /**
     * Abandon records that nobody corrected or completed since a time. They keep that time as their end. A visit that waits for its
     * test stays until it is refused (`endWaiting`).
     * @param details why, for the team and the phone
     * @returns how many
     */
    async abandonIdle(before: Date, details: Reason[], limit: number): Promise<number> {
      const since = sql`coalesce(${odkSubmissions.endedAt}, ${odkSubmissions.receivedAt})`;
      const idle = and(
        inArray(odkSubmissions.status, ["refused", "incomplete"]),
        sql`${since} < ${before.toISOString()}::timestamptz`,
      );
      const ids = db.select({ id: odkSubmissions.id }).from(odkSubmissions).where(idle).limit(limit);
      const given = await db
        .update(odkSubmissions)
        .set({ status: "deleted", details, endedAt: since })
        // Again: a request may have changed the record since it was found.
        .where(and(inArray(odkSubmissions.id, ids), idle))
        .returning({ id: odkSubmissions.id });
      return given.length;
    },
    /**
     * Ended records that may still have files that ended in no record: deleted ones, and accepted corrections.
     * @param except ids of records to leave out
     */
    async toRelease(before: Date, limit: number, except: readonly string[] = []): Promise<SubmissionRow[]> {
      const isOver = or(
        eq(odkSubmissions.status, "deleted"),
        and(eq(odkSubmissions.status, "accepted"), isNotNull(odkSubmissions.deprecatedId)),
      );
      return await db
        .select()
        .from(odkSubmissions)
        .where(
          and(
            isNull(odkSubmissions.filesReleasedAt),
            lt(odkSubmissions.endedAt, before),
            isOver,
            notInArray(odkSubmissions.id, [...except]),
          ),
        )
        .orderBy(asc(odkSubmissions.endedAt))
        .limit(limit);
    },
    /** The records in whose place a record came, directly or through other corrections. */
    async replacedBy(id: string): Promise<SubmissionRow[]> {
      const found: SubmissionRow[] = [];
      for (let ids = [id]; ids.length > 0; ) {
        const of = and(eq(odkSubmissions.status, "replaced"), inArray(odkSubmissions.replacedBy, ids));
        const rows = await db.select().from(odkSubmissions).where(of);
        found.push(...rows);
        ids = rows.map((row) => row.id);
      }
      return found;
    },
    /** Record that files were destroyed: those of these records are not listed any more. */
    async noteReleased({ id, withoutFiles }: { id: string; withoutFiles: readonly string[] }, at: Date): Promise<void> {
      await db.transaction(async (tx) => {
        if (withoutFiles.length > 0) {
          await tx.delete(odkAttachments).where(inArray(odkAttachments.submissionId, [...withoutFiles]));
        }
        await tx.update(odkSubmissions).set({ filesReleasedAt: at }).where(eq(odkSubmissions.id, id));
      });
    },
    /** Free the day of a visit that is refused for what it says itself. One that waited may be read again, by another mapping. */
    async leaveDay(id: string): Promise<void> {
      await this.changeUnless(id, settled, { householdDid: null, day: null });
    },
    /** Add files, or replace those of their names. */
    async keepFiles(rows: readonly AttachmentRow[]): Promise<void> {
      if (rows.length === 0) return;
      const { submissionId, name, cid, sha256, size, mimeType } = odkAttachments;
      const given = (column: { name: string }) => sql.raw(`excluded."${column.name}"`);
      const set = { cid: given(cid), sha256: given(sha256), size: given(size), mimeType: given(mimeType) };
      const target = [submissionId, name];
      // In one order, so that two requests with the same files do not wait for each other.
      const inOrder = rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      await db.insert(odkAttachments).values(inOrder).onConflictDoUpdate({ target, set });
    },
    async filesOf(ids: string[]): Promise<AttachmentRow[]> {
      if (ids.length === 0) return [];
      return await db
        .select()
        .from(odkAttachments)
        .where(inArray(odkAttachments.submissionId, ids))
        .orderBy(asc(odkAttachments.submissionId), asc(odkAttachments.name));
    },
    /**
     * The visits of a household's test, in the order of the days. A visit has a household once it passed its own checks; it is `refused`
     * when the whole claim was.
     */
    async visitsOf(campaignId: string, householdDid: string): Promise<SubmissionRow[]> {
      return await db
        .select()
        .from(odkSubmissions)
        .where(
          and(
            eq(odkSubmissions.campaignId, campaignId),
            eq(odkSubmissions.householdDid, householdDid),
            inArray(odkSubmissions.status, ["waiting", "accepted", "refused"]),
          ),
        )
        .orderBy(asc(odkSubmissions.day), asc(odkSubmissions.id));
    },
    /** The tests of households that have a waiting visit. */
    async waitingTests(): Promise<{ campaignId: string; householdDid: string }[]> {
      const found = await db
        .selectDistinct({ campaignId: odkSubmissions.campaignId, householdDid: odkSubmissions.householdDid })
        .from(odkSubmissions)
        .where(eq(odkSubmissions.status, "waiting"));
      return found.flatMap(({ campaignId, householdDid }) =>
        campaignId === null || householdDid === null ? [] : [{ campaignId, householdDid }],
      );
    },
    /** Refuse a visit that still waits. It keeps its day, so that the test can be completed. @returns false when it does not wait any more */
    async refuseWaiting(id: string, details: Reason[], endedAt: Date): Promise<boolean> {
      const waiting = and(eq(odkSubmissions.id, id), eq(odkSubmissions.status, "waiting"));
      const refused = await db
        .update(odkSubmissions)
        .set({ status: "refused", details, endedAt })
        .where(waiting)
        .returning({ id: odkSubmissions.id });
      return refused.length === 1;
    },
    /**
     * Records that a collector sent and that are not written to Hearth yet. A correction is left to the person who made it: only under
     * the same API key is it found out whether an interrupted request has written it.
     */
    async openOf(collectorId: string, limit: number): Promise<SubmissionRow[]> {
      return await db
        .select()
        .from(odkSubmissions)
        .where(
          and(
            eq(odkSubmissions.collectorId, collectorId),
            eq(odkSubmissions.status, "received"),
            isNull(odkSubmissions.correctedBy),
          ),
        )
        .orderBy(asc(odkSubmissions.receivedAt))
        .limit(limit);
    },
    /** List records, newest first: one more than `limit`, to show whether a page follows. */
    async list(
      filter: SubmissionFilter,
      limit: number,
      before?: { receivedAt: Date; id: string },
    ): Promise<SubmissionRow[]> {
      return await db
        .select()
        .from(odkSubmissions)
        .where(
          and(
            matches(filter),
            before &&
              or(
                lt(odkSubmissions.receivedAt, before.receivedAt),
                and(eq(odkSubmissions.receivedAt, before.receivedAt), lt(odkSubmissions.id, before.id)),
              ),
          ),
        )
        .orderBy(desc(odkSubmissions.receivedAt), desc(odkSubmissions.id))
        .limit(limit + 1);
    },
    /** Count records by collector and region, in that order: one more group than `limit`, to show whether a page follows. */
    async progress(
      filter: SubmissionFilter,
      limit: number,
      after?: { collectorId: string; region: string },
    ): Promise<Progress[]> {
      const rows = await db
        .select({
          collectorId: odkSubmissions.collectorId,
          collectorName: max(odkSubmissions.collectorName),
          region: regionOrEmpty,
          counts: countsByStatus,
          lastReceivedAt: max(odkSubmissions.receivedAt),
        })
        .from(odkSubmissions)
        .where(
          and(
            matches(filter),
            after &&
              or(
                gt(odkSubmissions.collectorId, after.collectorId),
                and(eq(odkSubmissions.collectorId, after.collectorId), gt(regionOrEmpty, after.region)),
              ),
          ),
        )
        .groupBy(odkSubmissions.collectorId, regionOrEmpty)
        .orderBy(asc(odkSubmissions.collectorId), asc(regionOrEmpty))
        .limit(limit + 1);
      return rows.map(({ lastReceivedAt, ...row }) => ({ ...row, lastReceivedAt: lastReceivedAt ?? new Date(0) }));
    },
  };
}

function matches({ implementerDid, campaignId, collectorId, person, region, status }: SubmissionFilter) {
  return and(
    implementerDid === undefined ? undefined : eq(odkSubmissions.implementerDid, implementerDid),
    campaignId === undefined ? undefined : eq(odkSubmissions.campaignId, campaignId),
    collectorId === undefined ? undefined : eq(odkSubmissions.collectorId, collectorId),
    person && isOf(person),
    region === undefined ? undefined : eq(regionOrEmpty, region),
    status === undefined ? undefined : eq(odkSubmissions.status, status),
  );
}

function isOf({ name, ids }: NonNullable<SubmissionFilter["person"]>) {
  const { collectorName, collectorId } = odkSubmissions;
  const isNamed = sql`strpos(lower(${collectorName}), lower(${name})) > 0`;
  return or(isNamed, and(isNull(collectorName), inArray(collectorId, ids)));
}
