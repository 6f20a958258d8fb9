import { sql } from "drizzle-orm";
import { boolean, index, integer, jsonb, pgTable, primaryKey, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import type { RuleDetail } from "../../api/platform/errors.ts";
import type { Fields } from "./model/record.ts";
import type { TableName } from "./model/table-names.ts";
import type { Profile } from "./settings/schemas.ts";
import type { RecordState, RunStatus } from "./states.ts";

const moment = (name: string) => timestamp(name, { withTimezone: true, mode: "date" });

/** Where to publish, and what only the regulator knows about the projects. There is one row. */
export const cadTrustSettings = pgTable("cad_trust_settings", {
  /** Always 1. */
  id: integer().primaryKey(),
  /** Without a slash at the end, and without the version. */
  serverUrl: text("server_url").notNull(),
  /** Null when the server needs none. */
  sealedApiKey: text("sealed_api_key"),
  /** Whether nothing is sent. */
  dryRun: boolean("dry_run").notNull(),
  profile: jsonb().$type<Profile>().notNull(),
  changedBy: text("changed_by").notNull(),
  changedAt: moment("changed_at").notNull(),
});
export type SettingsRow = typeof cadTrustSettings.$inferSelect;

/** Records that were sent to a server, with the ids that it made. Everything in them is public. */
export const cadTrustRecords = pgTable(
  "cad_trust_records",
  {
    server: text().notNull(),
    /** Table and own id, such as `verification/CERT-456`. */
    key: text().notNull(),
    table: text().$type<TableName>().notNull(),
    state: text().$type<RecordState>().notNull(),
    /** The server's id; null while the outcome of the first request is unknown. */
    remoteId: text("remote_id"),
    /** Fields as they were sent last, ids of parents included. */
    sent: jsonb().$type<Fields>().notNull(),
    /** Fields in which the server's record differs from what was sent, or why it refused it. */
    problems: text().array().notNull(),
    changedAt: moment("changed_at").notNull(),
    /** When the server first showed the committed record. */
    publishedAt: moment("published_at"),
  },
  (table) => [
    primaryKey({ columns: [table.server, table.key] }),
    index("cad_trust_records_state").on(table.server, table.state, table.key),
  ],
);
export type RecordRow = typeof cadTrustRecords.$inferSelect;

/** Publications. At most one of a server is open. */
export const cadTrustRuns = pgTable(
  "cad_trust_runs",
  {
    /** ULID. */
    id: text().primaryKey(),
    server: text().notNull(),
    status: text().$type<RunStatus>().notNull(),
    startedBy: text("started_by").notNull(),
    /** What it waits for, or why it failed. */
    message: text(),
    problems: jsonb().$type<RuleDetail[]>().notNull(),
    /** Records that it created, edited and removed. */
    created: integer().notNull(),
    edited: integer().notNull(),
    removed: integer().notNull(),
    /** Attempts in a row that failed for a reason that may pass. */
    failures: integer().notNull(),
    /** Who works on it, until when. A process that ended leaves it to another one then. */
    worker: text(),
    nextTryAt: moment("next_try_at").notNull(),
    createdAt: moment("created_at").notNull(),
    endedAt: moment("ended_at"),
  },
  (table) => [
    uniqueIndex("cad_trust_runs_open").on(table.server).where(sql`ended_at is null`),
    index("cad_trust_runs_created").on(table.createdAt, table.id),
  ],
);
export type RunRow = typeof cadTrustRuns.$inferSelect;
