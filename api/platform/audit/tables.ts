import { bigint, index, integer, pgTable, text, timestamp } from "drizzle-orm/pg-core";

/** Who changed what through /v1, when, and with what result. Refused attempts too. Bodies are not stored. */
export const auditEntries = pgTable(
  "audit_entries",
  {
    number: bigint("number", { mode: "number" }).primaryKey().generatedAlwaysAsIdentity(),
    at: timestamp("at", { withTimezone: true }).notNull(),
    /** The API key's id; for a session, the account's address in lower case. */
    keyId: text("key_id").notNull(),
    role: text("role").notNull(),
    /** Method and path of the route: `DELETE /v1/keys/{id}`. */
    route: text("route").notNull(),
    /** What the route does, in words. */
    summary: text("summary").notNull(),
    /** Ids of what was changed, without households'. */
    subject: text("subject").notNull(),
    /** Status of the response. */
    status: integer("status").notNull(),
    requestId: text("request_id").notNull(),
  },
  (table) => [index("audit_entries_key").on(table.keyId, table.number)],
);
