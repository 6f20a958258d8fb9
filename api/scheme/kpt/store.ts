import { and, asc, eq, gt, inArray, isNotNull, lt, sql } from "drizzle-orm";
import { type CampaignGroup, encodeKptClaimId } from "../../../wire/src/ids.ts";
import type { KptPeopleFed } from "../../../wire/src/kpt-visits.ts";
import type { Database } from "../../platform/db/index.ts";
import { openFilingStore } from "./filing-store.ts";
import { type FuelAmounts, type KptClaimRow, kptClaims, kptMeasuredDays } from "./tables.ts";

/** PostgreSQL takes at most 65 535 parameters in a statement. */
const IDS_PER_STATEMENT = 2_000;

type StandingClaim = Pick<
  KptClaimRow,
  "id" | "group" | "position" | "startDay" | "endDay" | "totalGrams" | "logs" | "fuels" | "weighed" | "fed"
>;
type Period = { startDay: number; endDay: number };

export function openKptStore(db: Database) {
  const byId = async (id: string): Promise<KptClaimRow | null> =>
    (await db.select().from(kptClaims).where(eq(kptClaims.id, id)))[0] ?? null;

  /** End a claim and release its reserved days, in one statement. */
  async function end(id: string, from: KptClaimRow["status"], to: "revoked" | "refused", reason: string) {
    const ended = await db.execute(sql`
      with ended as (
        update ${kptClaims} set status = ${to}, reason = ${reason}, idempotency_id = null
        where id = ${id} and status = ${from} returning id
      ), freed as (delete from ${kptMeasuredDays} where claim in (select id from ended))
      select id from ended`);
    return ended.rows.length === 1;
  }

  return {
    ...openFilingStore(db),
    byId,
    /** Find a claim by its number on chain. */
    byPlace: (claim: bigint): Promise<KptClaimRow | null> => byId(encodeKptClaimId(claim)),
    async byIdempotencyKey(id: string): Promise<KptClaimRow | null> {
      return (await db.select().from(kptClaims).where(eq(kptClaims.idempotencyKey, id)))[0] ?? null;
    },

    /** The claim that measured a household on one of the days; null when none did. */
    async measuredBy(householdHash: string, { startDay, endDay }: Period): Promise<KptClaimRow | null> {
      const { claim, householdHash: household, day } = kptMeasuredDays;
      const days = and(eq(household, householdHash), sql`${day} between ${startDay} and ${endDay}`);
      const [found] = await db
        .select({ row: kptClaims })
        .from(kptMeasuredDays)
        .innerJoin(kptClaims, eq(kptClaims.id, claim))
        .where(days)
        .orderBy(asc(day))
        .limit(1);
      return found?.row ?? null;
    },

    /** The chain refused a claim. */
    refuse: (id: string, reason: string) => end(id, "filing", "refused", reason),
    revoke: (id: string, reason: string) => end(id, "verified", "revoked", reason),

    /** Abandon a claim without a signed credential; false if it was signed meanwhile. */
    async giveUp(id: string): Promise<boolean> {
      const given = await db.execute(sql`
        with ended as (
          update ${kptClaims} set status = 'refused', reason = 'interrupted', idempotency_id = null
          where id = ${id} and status = 'filing' and credential is null returning id
        ), freed as (delete from ${kptMeasuredDays} where claim in (select id from ended))
        select id from ended`);
      return given.rows.length === 1;
    },

    /** Read claims in filing since before a time, oldest first; of one campaign, if given. */
    async filing({ before, campaign }: { before?: Date; campaign?: number }): Promise<KptClaimRow[]> {
      const conditions = [eq(kptClaims.status, "filing")];
      if (before !== undefined) conditions.push(lt(kptClaims.createdAt, before));
      if (campaign !== undefined) conditions.push(eq(kptClaims.campaign, campaign));
      return await db
        .select()
        .from(kptClaims)
        .where(and(...conditions))
        .orderBy(asc(kptClaims.sequence));
    },

    /** Read refused claims whose files or credential still exist. */
    async leftovers(limit = 500): Promise<KptClaimRow[]> {
      const left = eq(kptClaims.status, "refused");
      return await db.select().from(kptClaims).where(left).orderBy(asc(kptClaims.sequence)).limit(limit);
    },

    async voided(id: string): Promise<void> {
      const nothing = { status: "void" as const, evidence: null, credential: null };
      await db
        .update(kptClaims)
        .set(nothing)
        .where(and(eq(kptClaims.id, id), eq(kptClaims.status, "refused")));
    },

    /** Those of the claims that stand. */
    async standing(ids: string[]): Promise<KptClaimRow[]> {
      const found: KptClaimRow[] = [];
      for (let i = 0; i < ids.length; i += IDS_PER_STATEMENT) {
        const some = inArray(kptClaims.id, ids.slice(i, i + IDS_PER_STATEMENT));
        const stand = and(some, eq(kptClaims.status, "verified"));
        found.push(...(await db.select().from(kptClaims).where(stand)));
      }
      return found;
    },

    /** Standing claims of a campaign, for its result: 100 000 in one answer, which reads ten times faster than as rows. */
    async verified(campaign: number): Promise<StandingClaim[]> {
      const { rows } = await db.execute(sql`
        select coalesce(json_agg(claim), '[]')::text as claims from (
          select json_build_array(id, "group", position, start_day, end_day, total_grams::text, logs, fuels, weighed, fed) as claim
          from ${kptClaims} where campaign = ${campaign} and status = 'verified' order by sequence) standing`);
      const claims = JSON.parse(String(rows[0]?.claims)) as [
        string,
        CampaignGroup,
        number,
        number,
        number,
        string,
        number,
        FuelAmounts | null,
        FuelAmounts | null,
        KptPeopleFed | null,
      ][];
      return claims.map(([id, group, position, startDay, endDay, totalGrams, logs, fuels, weighed, fed]) => {
        return { id, group, position, startDay, endDay, totalGrams: BigInt(totalGrams), logs, fuels, weighed, fed };
      });
    },

    /** Claims of a campaign that were revoked, in the order of filing. */
    async revoked(campaign: number): Promise<Pick<KptClaimRow, "id" | "group" | "position">[]> {
      const { id, group, position, sequence, status } = kptClaims;
      return await db
        .select({ id, group, position })
        .from(kptClaims)
        .where(and(eq(kptClaims.campaign, campaign), eq(status, "revoked")))
        .orderBy(asc(sequence));
    },

    /** Every claim of a campaign that the chain has. */
    async recorded(campaign: number): Promise<KptClaimRow[]> {
      const onChain = inArray(kptClaims.status, ["verified", "revoked"]);
      return await db
        .select()
        .from(kptClaims)
        .where(and(eq(kptClaims.campaign, campaign), onChain));
    },

    /** Claims of a campaign that the chain has, in the order of filing. */
    async list(
      campaign: number,
      only: {
        after: number;
        limit: number;
        testGroup?: CampaignGroup | undefined;
        status?: "verified" | "revoked" | undefined;
      },
    ): Promise<KptClaimRow[]> {
      const conditions = [eq(kptClaims.campaign, campaign), gt(kptClaims.sequence, only.after)];
      conditions.push(inArray(kptClaims.status, only.status === undefined ? ["verified", "revoked"] : [only.status]));
      conditions.push(isNotNull(kptClaims.transactionHash));
      if (only.testGroup !== undefined) conditions.push(eq(kptClaims.group, only.testGroup));
      return await db
        .select()
        .from(kptClaims)
        .where(and(...conditions))
        .orderBy(asc(kptClaims.sequence))
        .limit(only.limit);
    },
  };
}
export type KptStore = ReturnType<typeof openKptStore>;
