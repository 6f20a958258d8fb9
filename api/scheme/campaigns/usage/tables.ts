import { boolean, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { LinkedEvidence } from "../../../platform/values/linked-evidence.ts";
import type { DropReason } from "../groups.ts";

/** A device that a usage survey may draw: its age is its year of life on the first day of the test. */
export type FrameDevice = { serial: string; age: number; household: number };

/** Devices of a usage survey's frame, by its Merkle root, which names them exactly. Stored before the root is committed. */
export const usageFrames = pgTable(
  "usage_frames",
  {
    root: text().notNull(),
    chunk: integer().notNull(),
    /** In the order of their leaves. */
    devices: jsonb().$type<FrameDevice[]>().notNull(),
    savedAt: timestamp("saved_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.root, table.chunk] })],
);

/** Drawn devices: recomputed from frame and seed, stored for reading. */
export const usagePositions = pgTable(
  "usage_positions",
  {
    campaign: integer().notNull(),
    /** By age, and of one age in the order of the draw, from 0. */
    position: integer().notNull(),
    age: integer().notNull(),
    serial: text().notNull(),
    /** Index of the household on chain. */
    household: integer().notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaign, table.position] })],
);

/** The end of each drawn position: a survey, or missing. Recorded once. */
export const usageRecords = pgTable(
  "usage_records",
  {
    campaign: integer().notNull(),
    position: integer().notNull(),
    outcome: text({ enum: ["surveyed", "missing"] }).notNull(),
    deviceSeen: boolean("device_seen"),
    inUse: boolean("in_use"),
    surveyedOn: text("surveyed_on"),
    surveyorDid: text("surveyor_did"),
    evidence: jsonb().$type<LinkedEvidence[]>().notNull(),
    /** Why it is missing. */
    reason: text().$type<DropReason>(),
    note: text(),
    recordedAt: timestamp("recorded_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.campaign, table.position] })],
);

export type UsagePosition = typeof usagePositions.$inferSelect;
export type UsageRecord = typeof usageRecords.$inferSelect;
