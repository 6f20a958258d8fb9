import { count, inArray } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { type RedemptionActorRow, redemptionActors } from "./tables.ts";

/** Store who made a redemption. A repeated request changes nothing. */
export async function saveRedemptionActor(db: Database, row: RedemptionActorRow): Promise<void> {
  await db.insert(redemptionActors).values(row).onConflictDoNothing();
}

/** Read who made some redemptions, by redemption. */
export async function redemptionActorsOf(
  db: Database,
  redemptionIds: readonly string[],
): Promise<Map<string, RedemptionActorRow>> {
  if (redemptionIds.length === 0) return new Map();
  const found = inArray(redemptionActors.redemptionId, [...redemptionIds]);
  const rows = await db.select().from(redemptionActors).where(found);
  return new Map(rows.map((row) => [row.redemptionId, row]));
}

/** Count redemptions by who acted and how the household agreed. */
export async function countByActor(
  db: Database,
): Promise<(Pick<RedemptionActorRow, "channel" | "consent"> & { count: number })[]> {
  const { channel, consent } = redemptionActors;
  return db
    .select({ channel, consent, count: count() })
    .from(redemptionActors)
    .groupBy(channel, consent)
    .orderBy(channel, consent);
}
