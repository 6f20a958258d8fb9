import { bigserial, boolean, index, jsonb, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import type { StoredPart } from "../wire/message-parts.ts";
import type { Attachment, History, JsonObject, StoredCall } from "../wire/turn.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** Conversations. Only its user can access a session. */
export const oracleSessions = pgTable(
  "oracle_sessions",
  {
    /** `$…:…`. */
    id: text("id").primaryKey(),
    userDid: text("user_did").notNull(),
    /** Room of user and oracle, for data that outlives sessions. */
    roomId: text("room_id").notNull(),
    /** The id that an AG-UI front end gave its thread; unique for its user. */
    threadId: text("thread_id"),
    /** Null until the first turn has ended. */
    title: text("title"),
    /** Names of on-demand plugins; only grows. */
    loadedPlugins: jsonb("loaded_plugins").$type<string[]>().notNull().default([]),
    /** The agent's state of the thread. */
    state: jsonb("state").$type<JsonObject>().notNull().default({}),
    createdAt: moment("created_at").notNull(),
    lastUpdatedAt: moment("last_updated_at").notNull(),
  },
  (table) => [
    index("oracle_sessions_user").on(table.userDid, table.lastUpdatedAt),
    uniqueIndex("oracle_sessions_thread").on(table.userDid, table.threadId),
  ],
);

/** Messages of both sides, in order of their number. */
export const oracleMessages = pgTable(
  "oracle_messages",
  {
    id: text("id").primaryKey(),
    number: bigserial("number", { mode: "number" }).notNull(),
    sessionId: text("session_id")
      .notNull()
      .references(() => oracleSessions.id, { onDelete: "cascade" }),
    /** The same for both messages of a turn. */
    runId: text("run_id").notNull(),
    type: text("type").$type<"human" | "ai">().notNull(),
    content: text("content").notNull(),
    toolCalls: jsonb("tool_calls").$type<StoredCall[]>().notNull().default([]),
    reasoning: text("reasoning"),
    /** For an answer with calls or components: the order of its parts. */
    parts: jsonb("parts").$type<StoredPart[]>().notNull().default([]),
    /** False for the partial text of a turn that was aborted, interrupted or failed. */
    isComplete: boolean("is_complete").notNull(),
    attachments: jsonb("attachments").$type<Attachment[]>().notNull().default([]),
    /** For the answer: the turn as the model saw it. */
    history: jsonb("history").$type<History>(),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [index("oracle_messages_session").on(table.sessionId, table.number)],
);

export type SessionRow = typeof oracleSessions.$inferSelect;
export type MessageRow = typeof oracleMessages.$inferSelect;
