import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { type ScaleCalibrationRow, scaleCalibrations } from "./tables.ts";

/** The calibrations of a plan's scales. */
export function scaleStore(db: Database) {
  const { plan, serial, calibratedOn } = scaleCalibrations;
  return {
    /** @returns false where the scale has a calibration of that day */
    async add(row: ScaleCalibrationRow): Promise<boolean> {
      const added = await db.insert(scaleCalibrations).values(row).onConflictDoNothing().returning({ serial });
      return added.length === 1;
    },
    /** Calibrations of a plan after one, by serial and day. */
    async listAfter(
      index: number,
      [afterSerial, afterDay]: [string, string],
      limit: number,
    ): Promise<ScaleCalibrationRow[]> {
      const later = sql`(${serial}, ${calibratedOn}) > (${afterSerial}, ${afterDay})`;
      return db
        .select()
        .from(scaleCalibrations)
        .where(and(eq(plan, index), later))
        .orderBy(asc(serial), asc(calibratedOn))
        .limit(limit);
    },
    /** Every calibration of a plan's scales, by serial and day. */
    async all(index: number): Promise<ScaleCalibrationRow[]> {
      return db.select().from(scaleCalibrations).where(eq(plan, index)).orderBy(asc(serial), asc(calibratedOn));
    },
    /** Every calibration of some scales of a plan. */
    async of(index: number, serials: readonly string[]): Promise<ScaleCalibrationRow[]> {
      if (serials.length === 0) return [];
      return db
        .select()
        .from(scaleCalibrations)
        .where(and(eq(plan, index), inArray(serial, [...new Set(serials)])));
    },
  };
}
