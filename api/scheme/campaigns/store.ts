import { and, asc, count, eq, gt, gte, inArray, isNotNull, lt, lte, notInArray, sql } from "drizzle-orm";
import type { Hex } from "viem";
import { type Database, together } from "../../platform/db/index.ts";
import { type Frame, LEAF_BYTES } from "./frame/frame.ts";
import type { Group } from "./groups.ts";
import {
  campaignFrames,
  campaignMissing,
  campaignReplacements,
  campaignSamples,
  campaigns,
  type MissingRow,
  type ReplacementRow,
  type SampleRow,
  type StoredCampaign,
} from "./tables.ts";

/** Households of a frame's chunk. */
const CHUNK_LEAVES = 4_096;
const CHUNKS_PER_STATEMENT = 8;
const SAMPLES_PER_STATEMENT = 10_000;
const DIDS_PER_STATEMENT = 5_000;

/** A drawn household, and whether it was replaced since, or ended as missing. */
export type SampledRow = SampleRow & { isReplaced: boolean; isMissing: boolean };

const sampledColumns = {
  campaign: campaignSamples.campaign,
  group: campaignSamples.group,
  position: campaignSamples.position,
  leaf: campaignSamples.leaf,
  did: campaignSamples.did,
  isReplaced: sql<boolean>`${campaignReplacements.replacement} is not null`,
  isMissing: sql<boolean>`${campaignMissing.transactionHash} is not null`,
};
const replacementOfSample = and(
  eq(campaignReplacements.campaign, campaignSamples.campaign),
  eq(campaignReplacements.group, campaignSamples.group),
  eq(campaignReplacements.dropped, campaignSamples.position),
);
const missingOfSample = and(
  eq(campaignMissing.campaign, campaignSamples.campaign),
  eq(campaignMissing.group, campaignSamples.group),
  eq(campaignMissing.position, campaignSamples.position),
);

export function openCampaignStore(db: Database) {
  return { ...campaignRows(db), ...frameRows(db), ...sampleRows(db), ...replacementRows(db), ...missingRows(db) };
}
export type CampaignStore = ReturnType<typeof openCampaignStore>;

function campaignRows(db: Database) {
  return {
    async byId(campaignId: string): Promise<StoredCampaign | null> {
      return (await db.select().from(campaigns).where(eq(campaigns.campaignId, campaignId)))[0] ?? null;
    },
    async byIndex(index: number): Promise<StoredCampaign | null> {
      return (await db.select().from(campaigns).where(eq(campaigns.campaign, index)))[0] ?? null;
    },
    async storedIndexes(): Promise<number[]> {
      const rows = await db.select({ index: campaigns.campaign }).from(campaigns).orderBy(asc(campaigns.campaign));
      return rows.map(({ index }) => index);
    },
    /** At most `limit` rows after an index, in the order of their commits; of some implementers if their indexes are given. */
    async listAfter(index: number, limit: number, implementers?: number[]): Promise<StoredCampaign[]> {
      const later = gt(campaigns.campaign, index);
      const own = implementers === undefined ? later : and(later, inArray(campaigns.implementer, implementers));
      return db.select().from(campaigns).where(own).orderBy(asc(campaigns.campaign)).limit(limit);
    },
    async ofPlan(plan: number): Promise<StoredCampaign[]> {
      return db.select().from(campaigns).where(eq(campaigns.plan, plan)).orderBy(asc(campaigns.campaign));
    },
    /** Campaigns whose test periods overlap one, in the order of their commits. */
    async between(from: string, to: string): Promise<StoredCampaign[]> {
      const overlaps = and(lte(campaigns.startDate, to), gte(campaigns.endDate, from));
      return db.select().from(campaigns).where(overlaps).orderBy(asc(campaigns.campaign));
    },
    async save(row: StoredCampaign): Promise<void> {
      await db.insert(campaigns).values(row).onConflictDoNothing();
    },
  };
}

function frameRows(db: Database) {
  return {
    /** Keeps a frame; one that is here already is as good as new. */
    async saveFrame({ root, leaves, dids }: Frame, savedAt: Date): Promise<void> {
      const chunks = Array.from({ length: Math.ceil(dids.length / CHUNK_LEAVES) }, (_, chunk) => {
        const [from, to] = [chunk * CHUNK_LEAVES, (chunk + 1) * CHUNK_LEAVES];
        const some = leaves.subarray(from * LEAF_BYTES, to * LEAF_BYTES);
        return { root, chunk, leaves: some, dids: dids.slice(from, to), savedAt };
      });
      for (let i = 0; i < chunks.length; i += CHUNKS_PER_STATEMENT) {
        await db
          .insert(campaignFrames)
          .values(chunks.slice(i, i + CHUNKS_PER_STATEMENT))
          .onConflictDoUpdate({ target: [campaignFrames.root, campaignFrames.chunk], set: { savedAt } });
      }
    },
    async hasFrame(root: Hex): Promise<boolean> {
      const one = db.select({ chunk: campaignFrames.chunk }).from(campaignFrames).where(eq(campaignFrames.root, root));
      return (await one.limit(1)).length > 0;
    },
    /** The leaves of a frame, ascending; null unless the whole frame is here. */
    async leavesOf(root: Hex, size: number): Promise<Uint8Array | null> {
      const rows = await db
        .select({ leaves: campaignFrames.leaves })
        .from(campaignFrames)
        .where(eq(campaignFrames.root, root))
        .orderBy(asc(campaignFrames.chunk));
      const leaves = new Uint8Array(Buffer.concat(rows.map((row) => row.leaves)));
      return leaves.length === size * LEAF_BYTES ? leaves : null;
    },
    /** DIDs by their place among the frame's leaves. */
    async didsAt(root: Hex, places: Iterable<number>): Promise<Map<number, string>> {
      const wanted = new Map<number, number[]>();
      for (const place of places) {
        const chunk = Math.floor(place / CHUNK_LEAVES);
        const known = wanted.get(chunk);
        if (known) known.push(place);
        else wanted.set(chunk, [place]);
      }
      const found = new Map<number, string>();
      for (const [chunk, inChunk] of wanted) {
        const one = and(eq(campaignFrames.root, root), eq(campaignFrames.chunk, chunk));
        const [row] = await db.select({ dids: campaignFrames.dids }).from(campaignFrames).where(one);
        for (const place of inChunk) found.set(place, row?.dids[place - chunk * CHUNK_LEAVES] ?? "");
      }
      return found;
    },
    /** Removes frames that were saved before `until` and that no campaign of this database has. */
    async removeUnusedFrames(until: Date): Promise<void> {
      const used = db
        .select({ root: campaigns.referenceRoot })
        .from(campaigns)
        .union(db.select({ root: campaigns.interventionRoot }).from(campaigns));
      // A campaign's strata change with no amendment.
      const ofStrata = sql`(select jsonb_path_query(${campaigns.terms}, '$.sampling.strata[*].frames.*.root') #>> '{}' from ${campaigns})`;
      const isOld = lt(campaignFrames.savedAt, until);
      await db
        .delete(campaignFrames)
        .where(and(isOld, notInArray(campaignFrames.root, used), sql`${campaignFrames.root} not in ${ofStrata}`));
    },
  };
}

function sampleRows(db: Database) {
  // Claims that arrive together ask together.
  const sampledAt = together(async (leaves: readonly Hex[]) => {
    const rows = await db
      .select(sampledColumns)
      .from(campaignSamples)
      .leftJoin(campaignReplacements, replacementOfSample)
      .leftJoin(campaignMissing, missingOfSample)
      .where(inArray(campaignSamples.leaf, [...new Set(leaves)]))
      .orderBy(asc(campaignSamples.campaign));
    const byLeaf = Map.groupBy(rows, (row) => row.leaf);
    return leaves.map((leaf) => byLeaf.get(leaf) ?? []);
  });
  return {
    /** How many positions of each group are kept here: always the first ones. */
    async sampledCounts(campaign: number): Promise<Record<Group, number>> {
      const rows = await db
        .select({ group: campaignSamples.group, count: count() })
        .from(campaignSamples)
        .where(eq(campaignSamples.campaign, campaign))
        .groupBy(campaignSamples.group);
      const of = (group: Group) => rows.find((row) => row.group === group)?.count ?? 0;
      return { reference: of("reference"), intervention: of("intervention") };
    },
    /** All of them or none; what is here already stays. */
    async saveSamples(rows: SampleRow[]): Promise<void> {
      await db.transaction(async (tx) => {
        for (let i = 0; i < rows.length; i += SAMPLES_PER_STATEMENT) {
          // One parameter for all rows: a parameter for each cell takes longer to send than to insert.
          await tx.execute(sql`
            insert into ${campaignSamples} (campaign, "group", position, leaf, did)
            select * from jsonb_to_recordset(${JSON.stringify(rows.slice(i, i + SAMPLES_PER_STATEMENT))}::jsonb)
              as given(campaign int, "group" text, position int, leaf text, did text)
            on conflict do nothing`);
        }
      });
    },
    /** The drawn households of a campaign, by group and position. */
    async sampled(campaign: number): Promise<SampledRow[]> {
      return db
        .select(sampledColumns)
        .from(campaignSamples)
        .leftJoin(campaignReplacements, replacementOfSample)
        .leftJoin(campaignMissing, missingOfSample)
        .where(eq(campaignSamples.campaign, campaign))
        .orderBy(asc(campaignSamples.group), asc(campaignSamples.position));
    },
    /** Where a household was drawn: in one campaign, or in all when none is named. */
    async sampledByLeaf(leaf: Hex, campaign?: number): Promise<SampledRow[]> {
      const rows = await sampledAt(leaf);
      return campaign === undefined ? rows : rows.filter((row) => row.campaign === campaign);
    },
    /** DIDs of drawn households by position. */
    async sampledDids(campaign: number, group: Group, positions: number[]): Promise<Map<number, string>> {
      const found = new Map<number, string>();
      for (let i = 0; i < positions.length; i += DIDS_PER_STATEMENT) {
        const some = inArray(campaignSamples.position, positions.slice(i, i + DIDS_PER_STATEMENT));
        const rows = await db
          .select({ position: campaignSamples.position, did: campaignSamples.did })
          .from(campaignSamples)
          .where(and(eq(campaignSamples.campaign, campaign), eq(campaignSamples.group, group), some));
        for (const { position, did } of rows) found.set(position, did);
      }
      return found;
    },
  };
}

function replacementRows(db: Database) {
  const { campaign, group, dropped, replacement } = campaignReplacements;
  const target = [campaign, group, dropped];
  return {
    /** The replacements that the chain has, by group and in their order. */
    async replacements(index: number): Promise<ReplacementRow[]> {
      return db
        .select()
        .from(campaignReplacements)
        .where(and(eq(campaign, index), isNotNull(replacement)))
        .orderBy(asc(group), asc(replacement));
    },
    /** Keeps the reason and note of a replacement that is on its way to the chain. */
    async savePendingReplacement(row: ReplacementRow): Promise<void> {
      const { reason, note, evidence } = row;
      await db
        .insert(campaignReplacements)
        .values(row)
        .onConflictDoUpdate({ target, set: { reason, note, evidence }, setWhere: sql`${replacement} is null` });
    },
    /** Notes replacements as the chain has them; notes that are here stay. */
    async saveReplacements(rows: ReplacementRow[]): Promise<void> {
      for (const { note: _, evidence: __, ...row } of rows) {
        const set = { ...row };
        await db.insert(campaignReplacements).values(row).onConflictDoUpdate({ target, set });
      }
    },
    /** Write the note of the replacement that the chain recorded. */
    async saveNote(row: Pick<ReplacementRow, "campaign" | "group" | "dropped" | "note" | "evidence">): Promise<void> {
      const same = and(eq(campaign, row.campaign), eq(group, row.group), eq(dropped, row.dropped));
      await db.update(campaignReplacements).set({ note: row.note, evidence: row.evidence }).where(same);
    },
  };
}

function missingRows(db: Database) {
  const { campaign, group, position, transactionHash } = campaignMissing;
  const target = [campaign, group, position];
  return {
    /** The positions that the chain has as missing, by group and position. */
    async missing(index: number): Promise<MissingRow[]> {
      return db
        .select()
        .from(campaignMissing)
        .where(and(eq(campaign, index), isNotNull(transactionHash)))
        .orderBy(asc(group), asc(position));
    },
    /** Keeps the note and evidence of a mark that is on its way to the chain. */
    async savePendingMissing(row: MissingRow): Promise<void> {
      const { reason, note, evidence } = row;
      await db
        .insert(campaignMissing)
        .values(row)
        .onConflictDoUpdate({ target, set: { reason, note, evidence }, setWhere: sql`${transactionHash} is null` });
    },
    /** Notes missing positions as the chain has them; notes that are here stay. */
    async saveMissing(rows: MissingRow[]): Promise<void> {
      for (const { note: _, evidence: __, ...row } of rows) {
        const set = { ...row };
        await db.insert(campaignMissing).values(row).onConflictDoUpdate({ target, set });
      }
    },
  };
}
