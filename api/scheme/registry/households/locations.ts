import { and, asc, eq, getTableColumns, gt, inArray, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../../platform/db/index.ts";
import { type JsonNumber, jsonScaled } from "../../../platform/values/numbers.ts";
import type { Location } from "./schemas.ts";
import { conditionsOf, type HouseholdFilter } from "./store.ts";
import { householdLocations, households } from "./tables.ts";

export type LocationInResponse = { latitude: JsonNumber; longitude: JsonNumber };

/** Where households are, by their hash. Locations change, so none is kept in memory. */
export function openLocationStore(db: Database) {
  return {
    async of(hashes: string[]): Promise<Map<string, Location>> {
      if (hashes.length === 0) return new Map();
      const rows = await db.select().from(householdLocations).where(inArray(householdLocations.hash, hashes));
      return new Map(rows.map(({ hash, ...location }) => [hash, location]));
    },
    /** Store locations, in place of earlier ones. */
    async save(rows: { hash: string; location: Location }[], within: Database | Transaction = db): Promise<void> {
      if (rows.length === 0) return;
      await within
        .insert(householdLocations)
        .values(rows.map(({ hash, location }) => ({ hash, ...location })))
        .onConflictDoUpdate({
          target: householdLocations.hash,
          set: { latitude: sql`excluded.latitude`, longitude: sql`excluded.longitude` },
        });
    },
    async remove(hash: string): Promise<void> {
      await db.delete(householdLocations).where(eq(householdLocations.hash, hash));
    },
    /** Households with a location after an index, in the order of the index. */
    async listAfter(index: number, limit: number, only: HouseholdFilter) {
      const { latitude, longitude } = getTableColumns(householdLocations);
      const rows = await db
        .select({ household: households.household, did: households.did, latitude, longitude })
        .from(householdLocations)
        .innerJoin(households, eq(households.hash, householdLocations.hash))
        .where(and(gt(households.household, index), ...conditionsOf(only)))
        .orderBy(asc(households.household))
        .limit(limit);
      return rows.map((row) => ({ ...row, household: row.household as number }));
    },
  };
}

/** Millionths of a degree as JSON numbers of degrees. */
export function inDegrees({ latitude, longitude }: Location): LocationInResponse {
  return { latitude: jsonScaled(BigInt(latitude), 6), longitude: jsonScaled(BigInt(longitude), 6) };
}
