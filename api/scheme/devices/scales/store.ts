import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../../platform/db/index.ts";
import { type ScaleCalibrationRow, scaleCalibrations } from "./tables.ts";

/** The calibrations of a plan's scales. */
export function scaleStore(db: Database) {
  const { plan, serial, calibratedOn } = scaleCalibrations;
  return {
    /** @returns false where the scale has a calibration of that day */
    async add(within: Transaction, row: ScaleCalibrationRow): Promise<boolean> {
      const added = await within.insert(scaleCalibrations).values(row).onConflictDoNothing().returning({ serial });
      return added.length === 1;
    },
    /** The calibration of a scale on a day. */
    async ofDay(
      of: Pick<ScaleCalibrationRow, "plan" | "serial" | "calibratedOn">,
    ): Promise<ScaleCalibrationRow | null> {
      const found = and(eq(plan, of.plan), eq(serial, of.serial), eq(calibratedOn, of.calibratedOn));
      return (await db.select().from(scaleCalibrations).where(found))[0] ?? null;
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
    /** The certificates of all calibrations of all plans. */
    async certificates(): Promise<Pick<ScaleCalibrationRow, "certificate" | "sha256">[]> {
      const { certificate, sha256 } = scaleCalibrations;
      return db.select({ certificate, sha256 }).from(scaleCalibrations);
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
