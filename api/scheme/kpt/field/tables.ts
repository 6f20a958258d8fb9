import { bigint, index, integer, jsonb, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";
import type { KptFuel } from "../../../../wire/src/kpt-visits.ts";
import type { StoveDay, StoveUse } from "../stove-use/compare.ts";

/** Data of a piece of a claim's evidence. It is for evaluators only: a photo may tell where a household lives. */
export const kptEvidence = pgTable(
  "kpt_evidence",
  {
    claim: text().notNull(),
    /** Place in the claim's evidence, from 0. */
    item: integer().notNull(),
    /** 64 hexadecimal digits: of the bytes that were sent, of the CID, or as the claim states it; null where none says it. */
    sha256: text(),
    /** SHA-256 of its link without the fragment, with 0x; null for claims that were stored before links were compared. */
    linkHash: text("link_hash"),
    /** EXIF time of the photo in the camera's time zone, without an offset. */
    takenAt: text("taken_at"),
    /** EXIF position in billionths of a degree. */
    latitude: bigint({ mode: "bigint" }),
    longitude: bigint({ mode: "bigint" }),
    /** EXIF maker and model. */
    device: text(),
  },
  (table) => [
    primaryKey({ columns: [table.claim, table.item] }),
    index("kpt_evidence_sha256").on(table.sha256),
    index("kpt_evidence_link_hash").on(table.linkHash),
  ],
);

/** A fuel of a visit: what was used, in grams (Wh of electricity) as decimal text, and the scale. */
export type VisitedFuel = { fuel: KptFuel; used: string; scaleId?: string | undefined };

/** The visits of a claim, for comparison with other claims. */
export const kptVisits = pgTable(
  "kpt_visits",
  {
    claim: text().notNull(),
    /** From the first day of the period, 0. */
    day: integer().notNull(),
    at: timestamp({ withTimezone: true, mode: "date" }).notNull(),
    collector: text().notNull(),
    /** In billionths of a degree. */
    latitude: bigint({ mode: "bigint" }),
    longitude: bigint({ mode: "bigint" }),
    fuels: jsonb().$type<VisitedFuel[]>().notNull(),
    /** Serials of the stoves that the visit names; null for visits of earlier versions. */
    stoves: jsonb().$type<string[]>(),
  },
  (table) => [
    primaryKey({ columns: [table.claim, table.day] }),
    index("kpt_visits_collector").on(table.collector, table.at),
  ],
);

/** The series of stove-use monitors, compared with the logs of their claims. */
export const kptStoveSeries = pgTable(
  "kpt_stove_series",
  {
    claim: text().notNull(),
    /** Place in the claim's evidence, from 0. */
    item: integer().notNull(),
    /** Serial or kind, as the claim states it. */
    stove: text(),
    measure: text().$type<StoveUse["measure"]>().notNull(),
    readings: integer().notNull(),
    firstAt: timestamp("first_at", { withTimezone: true, mode: "date" }).notNull(),
    lastAt: timestamp("last_at", { withTimezone: true, mode: "date" }).notNull(),
    /** Cooking events of the whole series. */
    events: integer().notNull(),
    comparedWith: text("compared_with").$type<StoveUse["comparedWith"]>().notNull(),
    days: jsonb().$type<StoveDay[]>().notNull(),
    /** Description by which copies are found (pattern.ts); empty for series that were stored before there was one. */
    pattern: text().array().notNull().default([]),
    longestEventMs: bigint("longest_event_ms", { mode: "number" }).notNull().default(0),
  },
  (table) => [
    primaryKey({ columns: [table.claim, table.item] }),
    index("kpt_stove_series_pattern").using("gin", table.pattern),
  ],
);

export type KptStoveSeriesRow = typeof kptStoveSeries.$inferSelect;
export type KptEvidenceRow = typeof kptEvidence.$inferSelect;
export type KptVisitRow = typeof kptVisits.$inferSelect;
