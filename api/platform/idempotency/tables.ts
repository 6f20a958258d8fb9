import { index, integer, jsonb, pgTable, text, timestamp, unique } from "drizzle-orm/pg-core";

/** One row per Idempotency-Key, API key and route. Rows of finished writes are kept for 7 days. */
export const idempotencyRecords = pgTable(
  "idempotency_records",
  {
    /** Outbox rows refer to it. It stays the same after an interrupted attempt. */
    id: text("id").primaryKey(),
    keyId: text("key_id").notNull(),
    /** Method and path template, such as `POST /v1/vouchers/redeem`. */
    route: text("route").notNull(),
    idempotencyKey: text("idempotency_key").notNull(),
    /** SHA-256 over path, query and body, hexadecimal. */
    requestHash: text("request_hash").notNull(),
    status: text("status").$type<"running" | "done">().notNull(),
    /** The process that runs the write, until `leaseUntil`. */
    leaseOwner: text("lease_owner").notNull(),
    leaseUntil: timestamp("lease_until", { withTimezone: true }).notNull(),
    answerStatus: integer("answer_status"),
    answerHeaders: jsonb("answer_headers").$type<Record<string, string>>(),
    /** Null while the write runs, and always where the response held a secret. */
    answerBody: text("answer_body"),
    /** Id of what the request made or changed: stored with the change itself, or with a response that held a secret. */
    madeId: text("made_id"),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    unique("idempotency_records_natural_key").on(table.keyId, table.route, table.idempotencyKey),
    index("idempotency_records_created_at").on(table.createdAt),
  ],
);
