import { and, asc, eq, gt, sql } from "drizzle-orm";
import type { Hex } from "viem";
import type { Database, Transaction } from "../../../platform/db/index.ts";
import {
  type FrameDevice,
  type UsagePosition,
  type UsageRecord,
  usageFrames,
  usagePositions,
  usageRecords,
} from "./tables.ts";

const CHUNK_DEVICES = 4_096;
const CHUNKS_PER_STATEMENT = 8;

/** A drawn position and its record; null while it is open. */
export type EndedPosition = { position: UsagePosition; record: UsageRecord | null };

/** Number of positions of one age by outcome. */
export type UsageCounts = { age: number; drawn: number; inUse: number; notInUse: number; missing: number };

/** Most positions of a survey. */
const maxPositions = 1_000_001;

/** The stored frames, draws and records of usage surveys. */
export function usageStore(db: Database) {
  const sameRecord = and(
    eq(usageRecords.campaign, usagePositions.campaign),
    eq(usageRecords.position, usagePositions.position),
  );
  return {
    async saveFrame(root: Hex, devices: readonly FrameDevice[], savedAt: Date): Promise<void> {
      const chunks = Array.from({ length: Math.ceil(devices.length / CHUNK_DEVICES) }, (_, chunk) => {
        const some = devices.slice(chunk * CHUNK_DEVICES, (chunk + 1) * CHUNK_DEVICES);
        return { root, chunk, devices: some, savedAt };
      });
      for (let i = 0; i < chunks.length; i += CHUNKS_PER_STATEMENT) {
        await db
          .insert(usageFrames)
          .values(chunks.slice(i, i + CHUNKS_PER_STATEMENT))
          .onConflictDoNothing();
      }
    },
    /** The devices of a frame, in the order of their leaves; empty where it is not stored here. */
    async frame(root: Hex): Promise<FrameDevice[]> {
      const rows = await db
        .select({ devices: usageFrames.devices })
        .from(usageFrames)
        .where(eq(usageFrames.root, root))
        .orderBy(asc(usageFrames.chunk));
      return rows.flatMap(({ devices }) => devices);
    },
    async isDrawn(campaign: number): Promise<boolean> {
      const found = db.select({ position: usagePositions.position }).from(usagePositions);
      return (await found.where(eq(usagePositions.campaign, campaign)).limit(1)).length > 0;
    },
    /** Store all positions of a draw or none. A stored draw does not change. */
    async saveDraw(rows: readonly UsagePosition[]): Promise<void> {
      await db.execute(sql`
        insert into ${usagePositions} (campaign, position, age, serial, household)
        select * from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as given(campaign int, position int, age int, serial text, household int)
        on conflict do nothing`);
    },
    /** Positions after one, in order. */
    async positionsAfter(campaign: number, after: number, limit: number): Promise<EndedPosition[]> {
      return db
        .select({ position: usagePositions, record: usageRecords })
        .from(usagePositions)
        .leftJoin(usageRecords, sameRecord)
        .where(and(eq(usagePositions.campaign, campaign), gt(usagePositions.position, after)))
        .orderBy(asc(usagePositions.position))
        .limit(limit);
    },
    /** All positions, in order. */
    async positions(campaign: number): Promise<EndedPosition[]> {
      return this.positionsAfter(campaign, -1, maxPositions);
    },
    async position(campaign: number, position: number): Promise<EndedPosition | null> {
      const [found] = await this.positionsAfter(campaign, position - 1, 1);
      return found?.position.position === position ? found : null;
    },
    /** @returns false where the position has a record */
    async addRecord(within: Transaction, row: UsageRecord): Promise<boolean> {
      const added = await within
        .insert(usageRecords)
        .values(row)
        .onConflictDoNothing()
        .returning({ position: usageRecords.position });
      return added.length === 1;
    },
    async counts(campaign: number): Promise<UsageCounts[]> {
      const countIf = (condition: ReturnType<typeof sql>) => sql<number>`(count(*) filter (where ${condition}))::int`;
      return db
        .select({
          age: usagePositions.age,
          drawn: sql<number>`count(*)::int`,
          inUse: countIf(sql`${usageRecords.inUse}`),
          notInUse: countIf(sql`${usageRecords.outcome} = 'surveyed' and not ${usageRecords.inUse}`),
          missing: countIf(sql`${usageRecords.outcome} = 'missing'`),
        })
        .from(usagePositions)
        .leftJoin(usageRecords, sameRecord)
        .where(eq(usagePositions.campaign, campaign))
        .groupBy(usagePositions.age)
        .orderBy(asc(usagePositions.age));
    },
  };
}
