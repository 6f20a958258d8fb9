import { sql } from "drizzle-orm";
import {
  bigserial,
  boolean,
  customType,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  text,
  timestamp,
  uniqueIndex,
} from "drizzle-orm/pg-core";
import type { StoredPart } from "./wire/message-parts.ts";
import type { Attachment, HeldDelegation, History, JsonObject } from "./wire/turn.ts";

const bytes = customType<{ data: Uint8Array }>({ dataType: () => "bytea" });
const moment = (name: string) => timestamp(name, { withTimezone: true });

/** Conversations. A session is its user's alone. */
export const oracleSessions = pgTable(
  "oracle_sessions",
  {
    /** `$…:…`. */
    id: text("id").primaryKey(),
    userDid: text("user_did").notNull(),
    /** Of user and oracle: what outlives sessions is kept for it. */
    roomId: text("room_id").notNull(),
    /** The id that an AG-UI front end gave its thread; unique for its user. */
    threadId: text("thread_id"),
    /** Null until it can be made of two messages. */
    title: text("title"),
    /** Names of on-demand plugins; only grows. */
    loadedPlugins: jsonb("loaded_plugins").$type<string[]>().notNull().default([]),
    /** What the agent keeps of the thread. */
    state: jsonb("state").$type<JsonObject>().notNull().default({}),
    createdAt: moment("created_at").notNull(),
    lastUpdatedAt: moment("last_updated_at").notNull(),
  },
  (table) => [
    index("oracle_sessions_user").on(table.userDid, table.lastUpdatedAt),
    uniqueIndex("oracle_sessions_thread").on(table.userDid, table.threadId),
  ],
);

export type StoredCall = { name: string; id: string; args: JsonObject; status: string; output?: string };

/** Messages of both sides, in order of their number. */
export const oracleMessages = pgTable(
  "oracle_messages",
  {
    id: text("id").primaryKey(),
    number: bigserial("number", { mode: "number" }).notNull(),
    sessionId: text("session_id")
      .notNull()
      .references(() => oracleSessions.id, { onDelete: "cascade" }),
    /** Both messages of a turn have the same. */
    runId: text("run_id").notNull(),
    type: text("type").$type<"human" | "ai">().notNull(),
    content: text("content").notNull(),
    toolCalls: jsonb("tool_calls").$type<StoredCall[]>().notNull().default([]),
    reasoning: text("reasoning"),
    /** Of an answer with calls or components: the order in which it was said. */
    parts: jsonb("parts").$type<StoredPart[]>().notNull().default([]),
    /** False for the partial text of a turn that was aborted, interrupted or failed. */
    isComplete: boolean("is_complete").notNull(),
    attachments: jsonb("attachments").$type<Attachment[]>().notNull().default([]),
    /** Of the answer: the turn as the model saw it. */
    history: jsonb("history").$type<History>(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [index("oracle_messages_session").on(table.sessionId, table.number)],
);

/** Turns, under way or ended. */
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
    /** The id that the user gave the message itself: a second message with it begins no turn. */
    retryId: text("retry_id"),
    /** queued, running, recovering; or finished, aborted, interrupted, failed. */
    status: text("status").notNull(),
    /** Whether its message counts among its user's, who may have some free; a turn that fails is taken off the count. */
    isCounted: boolean("is_counted").notNull().default(false),
    /** The process that runs it. */
    processId: text("process_id").notNull(),
    /** Of the answer, given before it is there. */
    messageId: text("message_id").notNull(),
    /** Set by whichever process was asked to end it. */
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

/** Processes that run turns; one that is not seen for a while is dead, and its runs are ended by another. */
export const oracleProcesses = pgTable("oracle_processes", {
  id: text("id").primaryKey(),
  seenAt: moment("seen_at").notNull(),
});

/** What users have delegated to the oracle for its work in their name. */
export const oracleDelegations = pgTable("oracle_delegations", {
  userDid: text("user_did").primaryKey(),
  raw: text("raw").notNull(),
  cid: text("cid").notNull(),
  capabilities: jsonb("capabilities").$type<HeldDelegation["capabilities"]>().notNull(),
  expiresAt: moment("expires_at").notNull(),
  storedAt: moment("stored_at").notNull(),
});

/** Session keys that sign for a wallet's DID. */
export const oracleDidKeys = pgTable(
  "oracle_did_keys",
  {
    /** did:pkh or did:ethr. */
    did: text("did").notNull(),
    keyDid: text("key_did").notNull(),
    expiresAt: moment("expires_at").notNull(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.did, table.keyDid] })],
);

/** Socket messages between processes that are too large for a notification; the socket library's own table. */
export const socketIoAttachments = pgTable("socket_io_attachments", {
  id: bigserial("id", { mode: "bigint" }).notNull().unique(),
  createdAt: timestamp("created_at", { withTimezone: true }).defaultNow(),
  payload: bytes("payload"),
});

export type SessionRow = typeof oracleSessions.$inferSelect;
export type MessageRow = typeof oracleMessages.$inferSelect;
export type RunRow = typeof oracleRuns.$inferSelect;
