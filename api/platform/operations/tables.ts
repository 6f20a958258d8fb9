import { index, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { RuleDetail } from "../errors.ts";
import type { Actor } from "../http/index.ts";

/** Status of an operation. `cancelled`: nothing was left to do. */
export type OperationStatus = "queued" | "running" | "succeeded" | "partial" | "failed" | "cancelled";
export type OperationError = { code: string; message: string; details?: RuleDetail[] };

/** Long work that outlives its request and its process. */
export const operations = pgTable(
  "operations",
  {
    id: text("id").primaryKey(),
    type: text("type").notNull(),
    /** The caller that started it, with the permissions at that time. */
    actor: jsonb("actor").$type<Actor>().notNull(),
    input: jsonb("input").notNull(),
    status: text("status").$type<OperationStatus>().notNull(),
    /** `done`: answered rows; `total`: all rows; `failed`: refused rows. */
    done: integer("done").notNull(),
    total: integer("total").notNull(),
    failed: integer("failed").notNull(),
    result: jsonb("result"),
    error: jsonb("error").$type<OperationError>(),
    attempts: integer("attempts").notNull(),
    /** The process that runs it, until `leaseUntil`. */
    leaseOwner: text("lease_owner"),
    leaseUntil: timestamp("lease_until", { withTimezone: true }),
    /** Chain time until which it is paused; null: not paused. */
    waitsUntil: timestamp("waits_until", { withTimezone: true }),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    updatedAt: timestamp("updated_at", { withTimezone: true }).notNull(),
  },
  (table) => [
    index("operations_status").on(table.status, table.createdAt),
    index("operations_type").on(table.type, table.updatedAt),
  ],
);

export type OperationRowStatus = "queued" | "succeeded" | "failed";

/** Rows of an operation: the input of each and its answer. */
export const operationRows = pgTable(
  "operation_rows",
  {
    operationId: text("operation_id")
      .notNull()
      .references(() => operations.id, { onDelete: "cascade" }),
    /** Position from 0. */
    index: integer("index").notNull(),
    status: text("status").$type<OperationRowStatus>().notNull(),
    input: jsonb("input").notNull(),
    answer: jsonb("answer"),
  },
  (table) => [
    primaryKey({ columns: [table.operationId, table.index] }),
    index("operation_rows_status").on(table.operationId, table.status, table.index),
  ],
);
