import { integer, jsonb, pgTable, text, timestamp } from "drizzle-orm/pg-core";
import type { PlanTerms } from "./terms.ts";

/** Monitoring plans, from their events on chain. They never change. */
export const monitoringPlans = pgTable("monitoring_plans", {
  planId: text("plan_id").primaryKey(),
  /** Index on chain, from 1. */
  plan: integer().notNull().unique(),
  /** Index of the plan's implementer. */
  implementer: integer().notNull(),
  terms: jsonb().$type<PlanTerms>().notNull(),
  transactionHash: text("transaction_hash").notNull(),
  registeredAt: timestamp("registered_at", { withTimezone: true, mode: "date" }).notNull(),
});

export type PlanRow = typeof monitoringPlans.$inferSelect;
