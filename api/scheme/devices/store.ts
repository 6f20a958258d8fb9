import { and, asc, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/index.ts";
import { type DeviceRow, devices } from "./tables.ts";

/** A period from its first day to its last. */
type Period = { from: string; to: string };

/** The household of a device by its index, and the days on which it is there. */
export type PlacedDevice = Pick<DeviceRow, "household" | "installedOn" | "retiredOn">;

export function openDeviceStore(db: Database) {
  return {
    async bySerial(serial: string): Promise<DeviceRow | null> {
      return (await db.select().from(devices).where(eq(devices.serial, serial)))[0] ?? null;
    },
    /** Devices of any plan by how their serials are spelled (`spellingOf`). */
    async bySpellings(spellings: readonly string[]): Promise<Map<string, PlacedDevice>> {
      if (spellings.length === 0) return new Map();
      const { spelling, household, installedOn, retiredOn } = devices;
      const known = sql`${spelling} in (select jsonb_array_elements_text(${JSON.stringify(spellings)}::jsonb))`;
      const rows = await db.select({ spelling, household, installedOn, retiredOn }).from(devices).where(known);
      return new Map(
        rows.flatMap(({ spelling, ...device }) => (spelling === null ? [] : [[spelling, device] as const])),
      );
    },
    /** Devices of a plan, or of one household of it, after a serial, in the order of the serials. */
    async listAfter(
      { plan, household }: { plan: number; household: number | undefined },
      serial: string,
      limit: number,
    ): Promise<DeviceRow[]> {
      const ofHousehold = household === undefined ? undefined : eq(devices.household, household);
      const found = and(eq(devices.plan, plan), ofHousehold, gt(devices.serial, serial));
      return db.select().from(devices).where(found).orderBy(asc(devices.serial)).limit(limit);
    },
    /** Add devices whose serials are new. @returns the serials that were added */
    async add(rows: DeviceRow[], within: Database | Transaction = db): Promise<Set<string>> {
      if (rows.length === 0) return new Set();
      // One parameter for all rows: a parameter for each cell takes longer to send than to insert.
      const { rows: added } = await within.execute(sql`
        insert into ${devices} (serial, spelling, model, plan, household, installed_on, retired_on,
          retirement_recorded_at, retirement_recorded_in, evidence, created_at, created_in)
        select * from jsonb_to_recordset(${JSON.stringify(rows.map(inColumns))}::jsonb) as given(
          serial text, spelling text, model text, plan int, household int, installed_on text, retired_on text,
          retirement_recorded_at timestamptz, retirement_recorded_in bigint, evidence jsonb, created_at timestamptz,
          created_in bigint)
        on conflict do nothing returning serial`);
      return new Set(added.map(({ serial }) => String(serial)));
    },
    /** Retire a device. @returns false when it is retired already */
    async retire(
      within: Transaction,
      serial: string,
      retirement: { retiredOn: string; retirementRecordedAt: Date; retirementRecordedIn: number },
    ): Promise<boolean> {
      const changed = await within
        .update(devices)
        .set(retirement)
        .where(and(eq(devices.serial, serial), isNull(devices.retiredOn)))
        .returning({ serial: devices.serial });
      return changed.length === 1;
    },
    async hasAny(plan: number): Promise<boolean> {
      return (
        (await db.select({ serial: devices.serial }).from(devices).where(eq(devices.plan, plan)).limit(1)).length > 0
      );
    },
    /** The household and the dates of every device of a plan, for counting. */
    async datesOf(plan: number): Promise<Omit<DeviceRow, "evidence" | "model" | "plan" | "spelling">[]> {
      const { serial, household, installedOn, retiredOn, createdAt, createdIn } = devices;
      const { retirementRecordedAt, retirementRecordedIn } = devices;
      return db
        .select({
          serial,
          household,
          installedOn,
          retiredOn,
          retirementRecordedAt,
          retirementRecordedIn,
          createdAt,
          createdIn,
        })
        .from(devices)
        .where(eq(devices.plan, plan));
    },
    /** Devices with photos of their installation, of all plans. */
    async withEvidence(): Promise<Pick<DeviceRow, "serial" | "plan" | "installedOn" | "evidence" | "createdAt">[]> {
      const { serial, plan, installedOn, evidence, createdAt } = devices;
      return db
        .select({ serial, plan, installedOn, evidence, createdAt })
        .from(devices)
        .where(sql`${evidence} <> '[]'::jsonb`)
        .orderBy(asc(serial));
    },
    /** Devices of a plan that are in place on a day. */
    async inPlace(
      plan: number,
      day: string,
    ): Promise<Pick<DeviceRow, "serial" | "installedOn" | "retiredOn" | "household">[]> {
      const { serial, installedOn, retiredOn, household } = devices;
      const isInPlace = and(
        eq(devices.plan, plan),
        sql`${devices.installedOn} <= ${day}`,
        or(isNull(devices.retiredOn), gt(devices.retiredOn, day)),
      );
      return db.select({ serial, installedOn, retiredOn, household }).from(devices).where(isInPlace);
    },
    /** Those of the households, by index, that have a device of the plan in place on every day of a period. */
    async equipped(plan: number, households: number[], { from, to }: Period): Promise<Set<number>> {
      const found = new Set<number>();
      const inPlace = and(
        eq(devices.plan, plan),
        sql`${devices.installedOn} <= ${from}`,
        or(isNull(devices.retiredOn), gt(devices.retiredOn, to)),
      );
      for (let i = 0; i < households.length; i += 10_000) {
        const some = inArray(devices.household, households.slice(i, i + 10_000));
        const rows = await db.selectDistinct({ household: devices.household }).from(devices).where(and(inPlace, some));
        for (const { household } of rows) found.add(household);
      }
      return found;
    },
  };
}
export type DeviceStore = ReturnType<typeof openDeviceStore>;

function inColumns({
  installedOn,
  retiredOn,
  retirementRecordedAt,
  retirementRecordedIn,
  createdAt,
  createdIn,
  ...row
}: DeviceRow) {
  const times = {
    installed_on: installedOn,
    retired_on: retiredOn,
    retirement_recorded_at: retirementRecordedAt,
    retirement_recorded_in: retirementRecordedIn,
    created_at: createdAt,
    created_in: createdIn,
  };
  return { ...row, ...times };
}
