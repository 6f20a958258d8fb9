import { and, asc, desc, eq, gt, inArray, isNotNull, isNull, lt, sql } from "drizzle-orm";
import type { Database } from "../../db/client.ts";
import {
  oracleMessages,
  oracleProcesses,
  oracleRunFrames,
  oracleRuns,
  oracleSessions,
  type RunRow,
} from "../tables.ts";
import { insertFrames } from "./frame-writer.ts";
import type { FrameBlock } from "./frames.ts";

export type NewMessage = Omit<typeof oracleMessages.$inferInsert, "number">;
export type NewRun = typeof oracleRuns.$inferInsert;

/** How a run ended; what `done` says. */
export type RunOutcome = "finished" | "aborted" | "interrupted" | "failed";

export type RunEnd = {
  run: Pick<RunRow, "id" | "sessionId">;
  status: RunOutcome;
  answer: NewMessage;
  /** The last frames, `done` among them. */
  block: FrameBlock;
  doneFrame: string;
  usage: { inputTokens?: number | undefined; outputTokens?: number | undefined };
  title: string | null;
  at: Date;
};

export type RunStore = ReturnType<typeof createRunStore>;

export function createRunStore(db: Database) {
  return {
    /** False when another run of the session is still open, or the session is gone. */
    async begin(run: NewRun, message: NewMessage): Promise<boolean> {
      return await db.transaction(async (tx) => {
        const inserted = await tx.insert(oracleRuns).values(run).onConflictDoNothing().returning({ id: oracleRuns.id });
        if (inserted.length === 0) return false;
        await tx.insert(oracleMessages).values(message);
        return true;
      });
    },

    /** Keep the answer, the last frames and the run's end together. False when another process ended it before. */
    async end({ run, status, answer, block, doneFrame, usage, title, at }: RunEnd): Promise<boolean> {
      return await db.transaction(async (tx) => {
        const { inputTokens = null, outputTokens = null } = usage;
        const ended = await tx
          .update(oracleRuns)
          .set({ status, doneFrame, lastSeq: block.lastSeq, endedAt: at, inputTokens, outputTokens })
          .where(and(eq(oracleRuns.id, run.id), isNull(oracleRuns.endedAt)))
          .returning({ id: oracleRuns.id });
        if (ended.length === 0) return false;
        await tx.insert(oracleMessages).values(answer);
        await insertFrames(tx, [{ runId: run.id, ...block }]);
        await tx
          .update(oracleSessions)
          .set({ lastUpdatedAt: at, title: sql`coalesce(${oracleSessions.title}, ${title})` })
          .where(eq(oracleSessions.id, run.sessionId));
        return true;
      });
    },

    async find(id: string): Promise<RunRow | undefined> {
      const [row] = await db.select().from(oracleRuns).where(eq(oracleRuns.id, id));
      return row;
    },

    async openOf(sessionId: string): Promise<RunRow | undefined> {
      const open = and(eq(oracleRuns.sessionId, sessionId), isNull(oracleRuns.endedAt));
      const [row] = await db.select().from(oracleRuns).where(open).orderBy(desc(oracleRuns.startedAt)).limit(1);
      return row;
    },

    /** Blocks that hold frames after the number, in order; some thousand frames at most. */
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

    /** Ask whichever process runs the session's turn to end it; true when there is one. */
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

    /** Open runs of processes that were not seen since then. */
    async orphans(seenBefore: Date): Promise<RunRow[]> {
      const alive = db
        .select({ id: oracleProcesses.id })
        .from(oracleProcesses)
        .where(gt(oracleProcesses.seenAt, seenBefore));
      const orphaned = and(isNull(oracleRuns.endedAt), sql`${oracleRuns.processId} not in ${alive}`);
      return await db.select().from(oracleRuns).where(orphaned).limit(100);
    },

    /** Take an orphan over; false when another process was faster. */
    async adopt(run: RunRow, processId: string): Promise<boolean> {
      const adopted = await db
        .update(oracleRuns)
        .set({ processId, status: "recovering" })
        .where(and(eq(oracleRuns.id, run.id), eq(oracleRuns.processId, run.processId), isNull(oracleRuns.endedAt)))
        .returning({ id: oracleRuns.id });
      return adopted.length === 1;
    },

    /** Forget the frames of runs that ended before then, but for their last; and processes long gone. */
    async trim(endedBefore: Date): Promise<void> {
      const old = db.select({ id: oracleRuns.id }).from(oracleRuns).where(lt(oracleRuns.endedAt, endedBefore));
      await db.delete(oracleRunFrames).where(inArray(oracleRunFrames.runId, old));
      const unused = sql`not exists (select 1 from ${oracleRuns} r where r.process_id = ${oracleProcesses.id} and r.ended_at is null)`;
      await db.delete(oracleProcesses).where(and(lt(oracleProcesses.seenAt, endedBefore), unused));
    },
  };
}

const blocksAtOnce = 200;
