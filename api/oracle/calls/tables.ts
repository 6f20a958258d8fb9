import { sql } from "drizzle-orm";
import { boolean, index, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import { oracleSessions } from "../sessions/tables.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** Live calls. A session has at most one running call. What participants say is not stored here. */
export const oracleCalls = pgTable(
  "oracle_calls",
  {
    /** `CALL-…`, unguessable. */
    id: text("id").primaryKey(),
    sessionId: text("session_id")
      .notNull()
      .references(() => oracleSessions.id, { onDelete: "cascade" }),
    /** The session's user, who owns the call. */
    userDid: text("user_did").notNull(),
    startedAt: moment("started_at").notNull(),
    endedAt: moment("ended_at"),
  },
  (table) => [uniqueIndex("oracle_calls_one_open").on(table.sessionId).where(sql`ended_at is null`)],
);

/** Current participants of calls; the row is deleted when a participant leaves. */
export const oracleCallParticipants = pgTable(
  "oracle_call_participants",
  {
    /** `PART-…`, unguessable; new for each join. */
    id: text("id").primaryKey(),
    callId: text("call_id")
      .notNull()
      .references(() => oracleCalls.id, { onDelete: "cascade" }),
    /** DID of the user, or of the oracle. */
    did: text("did").notNull(),
    kind: text("kind").$type<"user" | "agent">().notNull(),
    /** Base64url of a point on P-256, only for this join. */
    publicKey: text("public_key").notNull(),
    muted: boolean("muted").notNull(),
    video: boolean("video").notNull(),
    /** The process that has its socket, or runs the agent. */
    processId: text("process_id").notNull(),
    /** Id of its socket; the agent has none. */
    socketId: text("socket_id"),
    /** Time when its socket was lost; it stays in the call for a while and may return. */
    absentSince: moment("absent_since"),
    joinedAt: moment("joined_at").notNull(),
  },
  (table) => [
    index("oracle_call_participants_call").on(table.callId),
    uniqueIndex("oracle_call_participants_one_agent").on(table.callId).where(sql`kind = 'agent'`),
  ],
);

/** Invitations with which other users may join a call. They give no other access to its session. */
export const oracleCallInvitations = pgTable("oracle_call_invitations", {
  /** SHA-256 of the invitation, hexadecimal. */
  hash: text("hash").primaryKey(),
  callId: text("call_id")
    .notNull()
    .references(() => oracleCalls.id, { onDelete: "cascade" }),
  expiresAt: moment("expires_at").notNull(),
});

export type CallRow = typeof oracleCalls.$inferSelect;
export type ParticipantRow = typeof oracleCallParticipants.$inferSelect;
