import { sql } from "drizzle-orm";
import { boolean, index, integer, pgTable, primaryKey, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import { oracleSessions } from "../sessions/tables.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** Turns, running or ended. */
export const oracleRuns = pgTable(
  "oracle_runs",
  {
    /** ULID. */
    id: text("id").primaryKey(),
    sessionId: text("session_id")
      .notNull()
      .references(() => oracleSessions.id, { onDelete: "cascade" }),
    userDid: text("user_did").notNull(),
    requestId: text("request_id").notNull(),
    /** The id that the client gave the message: a second message with it starts no turn. */
    retryId: text("retry_id"),
    /** queued, running, recovering; or finished, aborted, interrupted, failed. */
    status: text("status").notNull(),
    /** Whether its message counts toward the user's free messages; a failed turn is not counted. */
    isCounted: boolean("is_counted").notNull().default(false),
    /** The process that runs it. */
    processId: text("process_id").notNull(),
    /** Id of the answer, assigned in advance. */
    messageId: text("message_id").notNull(),
    /** Set by the process that was asked to end it. */
    abortRequested: text("abort_requested"),
    /** Number of the last frame that is kept. */
    lastSeq: integer("last_seq").notNull().default(0),
    /** The last frame as it is sent; kept longer than the others. */
    doneFrame: text("done_frame"),
    inputTokens: integer("input_tokens"),
    outputTokens: integer("output_tokens"),
    startedAt: moment("started_at").notNull(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    index("oracle_runs_session").on(table.sessionId, table.startedAt),
    // A session has one turn at a time, whichever process runs it.
    uniqueIndex("oracle_runs_one_open").on(table.sessionId).where(sql`ended_at is null`),
    uniqueIndex("oracle_runs_retry").on(table.sessionId, table.retryId).where(sql`retry_id is not null`),
    index("oracle_runs_open").on(table.processId).where(sql`ended_at is null`),
    index("oracle_runs_ended").on(table.endedAt),
  ],
);

/** Frames of runs as they are sent, many to a row. */
export const oracleRunFrames = pgTable(
  "oracle_run_frames",
  {
    runId: text("run_id")
      .notNull()
      .references(() => oracleRuns.id, { onDelete: "cascade" }),
    firstSeq: integer("first_seq").notNull(),
    lastSeq: integer("last_seq").notNull(),
    /** Each ends with an empty line. */
    frames: text("frames").notNull(),
  },
  (table) => [primaryKey({ columns: [table.runId, table.firstSeq] })],
);

/** Processes that run turns; a process without a recent heartbeat is dead, and another process ends its runs. */
export const oracleProcesses = pgTable("oracle_processes", {
  id: text("id").primaryKey(),
  seenAt: moment("seen_at").notNull(),
});

export type RunRow = typeof oracleRuns.$inferSelect;
