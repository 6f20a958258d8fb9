import { index, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { RuleDetail } from "../errors.ts";
import type { Actor } from "../http/index.ts";

/** `cancelled`: there was nothing to do any more. */
export type OperationStatus = "queued" | "running" | "succeeded" | "partial" | "failed" | "cancelled";
export type OperationError = { code: string; message: string; details?: RuleDetail[] };

/** Long work that outlives its request and its process. */
export const operations = pgTable(
  "operations",
  {
    id: text("id").primaryKey(),
    type: text("type").notNull(),
    /** The key that started it, as it was then. */
    actor: jsonb("actor").$type<Actor>().notNull(),
    input: jsonb("input").notNull(),
    status: text("status").$type<OperationStatus>().notNull(),
    /** Rows answered, all rows, rows refused. */
    done: integer("done").notNull(),
    total: integer("total").notNull(),
    failed: integer("failed").notNull(),
    result: jsonb("result"),
    error: jsonb("error").$type<OperationError>(),
    attempts: integer("attempts").notNull(),
    /** The process that runs it, and until when the others leave it alone. */
    leaseOwner: text("lease_owner"),
    leaseUntil: timestamp("lease_until", { withTimezone: true }),
    /** What it waits for comes no earlier, chain time; nobody runs it meanwhile. Null: it does not wait. */
    waitsUntil: timestamp("waits_until", { withTimezone: true }),
    createdAt: timestamp("created_at", { withTimezone: true }).notNull(),
    updatedAt: timestamp("updated_at", { withTimezone: true }).notNull(),
  },
  (table) => [index("operations_status").on(table.status, table.createdAt)],
);

export type OperationRowStatus = "queued" | "succeeded" | "failed";

/** What an operation works through, one by one: what came in and what became of it. */
export const operationRows = pgTable(
  "operation_rows",
  {
    operationId: text("operation_id")
      .notNull()
      .references(() => operations.id, { onDelete: "cascade" }),
    /** From 0, in the order given. */
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
