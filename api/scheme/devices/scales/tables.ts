import { integer, pgTable, primaryKey, text, timestamp } from "drizzle-orm/pg-core";

/** Calibrations of the scales that a plan's claims are weighed with. A scale is calibrated once on a day. */
export const scaleCalibrations = pgTable(
  "scale_calibrations",
  {
    /** Index of the monitoring plan on chain. */
    plan: integer().notNull(),
    serial: text().notNull(),
    calibratedOn: text("calibrated_on").notNull(),
    /** Last day on which the calibration is valid. */
    validUntil: text("valid_until").notNull(),
    /** URI of the certificate. */
    certificate: text().notNull(),
    /** SHA-256 of the certificate's file; null where it is not stated. */
    sha256: text(),
    createdAt: timestamp("created_at", { withTimezone: true, mode: "date" }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.plan, table.serial, table.calibratedOn] })],
);

export type ScaleCalibrationRow = typeof scaleCalibrations.$inferSelect;
