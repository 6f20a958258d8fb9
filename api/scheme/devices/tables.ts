import { bigint, index, integer, jsonb, pgTable, text, timestamp, uniqueIndex } from "drizzle-orm/pg-core";
import type { LinkedEvidence } from "../../platform/values/linked-evidence.ts";

/** Installed devices. Households are named by their index in the registry, never by DID. */
export const devices = pgTable(
  "devices",
  {
    serial: text().primaryKey(),
    /** The serial without differences of spelling (`spellingOf`); null for devices that were registered twice before it was kept. */
    spelling: text(),
    model: text().notNull(),
    /** Index of the monitoring plan on chain. */
    plan: integer().notNull(),
    /** Index of the household on chain. */
    household: integer().notNull(),
    installedOn: text("installed_on").notNull(),
    /** First day on which the device no longer counts; null while it is in place. */
    retiredOn: text("retired_on"),
    /** When the retirement was recorded; null also for those that were recorded before this was kept. */
    retirementRecordedAt: timestamp("retirement_recorded_at", { withTimezone: true, mode: "date" }),
    /** Number of the latest block when the retirement was recorded; null also for those of earlier versions. */
    retirementRecordedIn: bigint("retirement_recorded_in", { mode: "number" }),
    /** Photos of the installation, by link and SHA-256. */
    evidence: jsonb().$type<LinkedEvidence[]>().notNull().default([]),
    createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
    /** Number of the latest block when the device was recorded; null for those of earlier versions. */
    createdIn: bigint("created_in", { mode: "number" }),
  },
  (table) => [
    index("devices_plan_household").on(table.plan, table.household),
    uniqueIndex("devices_spelling").on(table.spelling),
  ],
);

export type DeviceRow = typeof devices.$inferSelect;
