import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import type { FrameBlock } from "../wire/frames.ts";
import { oracleProcesses, oracleRunFrames, oracleRuns, type RunRow } from "./tables.ts";

/** How a run ended; what `done` says. */
export type RunOutcome = "finished" | "aborted" | "interrupted" | "failed";

export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore(db: Database) {
  return {
    async find(id: string): Promise<RunRow | undefined> {
      const [row] = await db.select().from(oracleRuns).where(eq(oracleRuns.id, id));
      return row;
    },

    /** The last run in the session that this request of the user started. */
    async byRequest(userDid: string, sessionId: string, requestId: string) {
      const { id, messageId, startedAt } = oracleRuns;
      const own = and(eq(oracleRuns.sessionId, sessionId), eq(oracleRuns.userDid, userDid));
      const rows = db.select({ id, messageId }).from(oracleRuns);
      const [row] = await rows
        .where(and(own, eq(oracleRuns.requestId, requestId)))
        .orderBy(desc(startedAt))
        .limit(1);
      return row && { ...row, requestId };
    },

    async openOf(sessionId: string): Promise<RunRow | undefined> {
      const open = and(eq(oracleRuns.sessionId, sessionId), isNull(oracleRuns.endedAt));
      const [row] = await db.select().from(oracleRuns).where(open).orderBy(desc(oracleRuns.startedAt)).limit(1);
      return row;
    },

    /** Blocks with frames after a number, in order; at most 200. */
    async framesAfter(runId: string, after: number): Promise<FrameBlock[]> {
      const { firstSeq, lastSeq, frames } = oracleRunFrames;
      const later = and(eq(oracleRunFrames.runId, runId), gt(lastSeq, after));
      return await db
        .select({ firstSeq, lastSeq, frames })
        .from(oracleRunFrames)
        .where(later)
        .orderBy(asc(firstSeq))
        .limit(blocksAtOnce);
    },

    /** Ask the process that runs the session's turn to end it; undefined when no turn runs. */
    async requestAbort(sessionId: string, reason: "aborted" | "superseded"): Promise<RunRow | undefined> {
      const [row] = await db
        .update(oracleRuns)
        .set({ abortRequested: reason })
        .where(and(eq(oracleRuns.sessionId, sessionId), isNull(oracleRuns.endedAt)))
        .returning();
      return row;
    },

    async abortRequested(processId: string): Promise<Pick<RunRow, "id" | "abortRequested">[]> {
      const { id, abortRequested } = oracleRuns;
      const open = and(eq(oracleRuns.processId, processId), isNull(oracleRuns.endedAt), isNotNull(abortRequested));
      return await db.select({ id, abortRequested }).from(oracleRuns).where(open);
    },

    async beat(processId: string, now: Date): Promise<void> {
      const set = { seenAt: now };
      const row = { id: processId, ...set };
      await db.insert(oracleProcesses).values(row).onConflictDoUpdate({ target: oracleProcesses.id, set });
    },

    /** Open runs of processes without a heartbeat since then. */
    async orphans(seenBefore: Date): Promise<RunRow[]> {
      const alive = db
        .select({ id: oracleProcesses.id })
        .from(oracleProcesses)
        .where(gt(oracleProcesses.seenAt, seenBefore));
      const orphaned = and(isNull(oracleRuns.endedAt), sql`${oracleRuns.processId} not in ${alive}`);
      return await db.select().from(oracleRuns).where(orphaned).limit(100);
    },

    /** Take over an orphaned run; false when another process did so first. */
    async adopt(run: RunRow, processId: string): Promise<boolean> {
      const adopted = await db
        .update(oracleRuns)
        .set({ processId, status: "recovering" })
        .where(and(eq(oracleRuns.id, run.id), eq(oracleRuns.processId, run.processId), isNull(oracleRuns.endedAt)))
        .returning({ id: oracleRuns.id });
      return adopted.length === 1;
    },

    /** Delete frames of runs that ended before then, and processes that are long gone. A run keeps its `done` frame. */
    async trim(endedBefore: Date): Promise<void> {
      const old = db.select({ id: oracleRuns.id }).from(oracleRuns).where(lt(oracleRuns.endedAt, endedBefore));
      await db.delete(oracleRunFrames).where(inArray(oracleRunFrames.runId, old));
      const unused = sql`not exists (select 1 from ${oracleRuns} r where r.process_id = ${oracleProcesses.id} and r.ended_at is null)`;
      await db.delete(oracleProcesses).where(and(lt(oracleProcesses.seenAt, endedBefore), unused));
    },
  };
}

const blocksAtOnce = 200;
