import { and, asc, eq, gt, inArray, isNotNull, lt, sql } from "drizzle-orm";
import { encodeKptClaimId, kptClaimIdOf } from "../../indexer/schema/ids.ts";
import type { Database } from "../db/client.ts";
import type { Group } from "./rules.ts";
import { type KptClaimRow, kptClaims, kptMeasuredDays, type NewKptClaim } from "./tables.ts";

/** What is signed for a claim, once its files are stored. */
export type SignedClaim = { claimHash: string; evidence: string[]; credential: string; credentialHash: string };
/** Where the chain has a claim. */
export type RecordedAt = { transactionHash: string; blockNumber: number; filedAt: Date };

type Place = { campaign: number; group: Group; position: number };
type Period = { startDay: number; endDay: number };

/** What other claims say to a new one. */
export type Surroundings = {
  /** A standing claim of the same household with a common day. */
  measuredBy: string | null;
  /** Number of the household's last claim at this place. */
  lastNumber: number;
  hasReferenceClaims: boolean;
  otherGroup: { hasClaims: boolean; sharesDay: boolean };
};

export function openKptStore(db: Database) {
  const byId = async (id: string): Promise<KptClaimRow | null> =>
    (await db.select().from(kptClaims).where(eq(kptClaims.id, id)))[0] ?? null;
  const isFiling = (id: string) => and(eq(kptClaims.id, id), eq(kptClaims.status, "filing"));

  /** Ends a claim and gives its days free, in one statement. */
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
    byId,
    /** By the id that the chain counts it by. */
    byPlace: (claim: bigint): Promise<KptClaimRow | null> => byId(encodeKptClaimId(claim)),
    async byIdempotencyId(id: string): Promise<KptClaimRow | null> {
      return (await db.select().from(kptClaims).where(eq(kptClaims.idempotencyId, id)))[0] ?? null;
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

    async surroundings(householdHash: string, place: Place, period: Period): Promise<Surroundings> {
      const { campaign, group, position } = place;
      const { startDay, endDay } = period;
      const other: Group = group === "reference" ? "intervention" : "reference";
      const of = (which: Group) => sql`campaign = ${campaign} and "group" = ${which} and status = 'verified'`;
      const { rows } = await db.execute(sql`select
        (select claim from ${kptMeasuredDays} where household_hash = ${householdHash}
          and day between ${startDay} and ${endDay} order by day limit 1) as measured_by,
        (select coalesce(max(number), 0)::int from ${kptClaims} where campaign = ${campaign} and "group" = ${group}
          and position = ${position}) as last_number,
        exists (select 1 from ${kptClaims} where ${of("reference")}) as has_reference,
        exists (select 1 from ${kptClaims} where ${of(other)}) as other_has,
        exists (select 1 from ${kptClaims} where ${of(other)} and start_day <= ${endDay} and end_day >= ${startDay})
          as other_shares`);
      const found = rows[0] as Record<string, unknown>;
      return {
        measuredBy: found.measured_by as string | null,
        lastNumber: Number(found.last_number),
        hasReferenceClaims: found.has_reference === true,
        otherGroup: { hasClaims: found.other_has === true, sharesDay: found.other_shares === true },
      };
    },

    /**
     * Takes the claim's days and its number in one statement: of two claims with a common day the database lets one through.
     * @returns null when a day or the number was taken meanwhile
     */
    async reserve(claim: NewKptClaim, number: number): Promise<KptClaimRow | null> {
      const { campaign, group, position } = claim;
      const id = encodeKptClaimId(kptClaimIdOf({ campaign, group, position, number }));
      try {
        const { rows } = await db.execute(sql`
          with filed as (
            insert into ${kptClaims} (id, campaign, campaign_id, "group", position, number, household_did, household_hash,
              start_day, end_day, total_grams, logs, content_hash, idempotency_id, status, created_at)
            values (${id}, ${campaign}, ${claim.campaignId}, ${group}, ${position}, ${number}, ${claim.householdDid},
              ${claim.householdHash}, ${claim.startDay}, ${claim.endDay}, ${String(claim.totalGrams)}, ${claim.logs},
              ${claim.contentHash}, ${claim.idempotencyId}, 'filing', ${claim.createdAt.toISOString()})
            returning id, sequence, household_hash, start_day, end_day
          ), measured as (
            insert into ${kptMeasuredDays} (household_hash, day, claim)
            select household_hash, day, id from filed, generate_series(start_day, end_day) as day order by day
          )
          select sequence from filed`);
        return { ...claim, ...unsigned, id, number, status: "filing", sequence: Number(rows[0]?.sequence) };
      } catch (error) {
        if (isTaken(error)) return null;
        throw error;
      }
    },

    /** False when the claim was given up meanwhile: then nothing of it may reach the chain. */
    async sign(id: string, signed: SignedClaim): Promise<boolean> {
      const changed = await db.update(kptClaims).set(signed).where(isFiling(id)).returning({ id: kptClaims.id });
      return changed.length === 1;
    },

    /** False when somebody else noted it. */
    async verify(id: string, at: RecordedAt): Promise<boolean> {
      const change = { ...at, status: "verified" as const };
      const changed = await db.update(kptClaims).set(change).where(isFiling(id)).returning({ id: kptClaims.id });
      return changed.length === 1;
    },

    /** The chain refused a claim. */
    refuse: (id: string, reason: string) => end(id, "filing", "refused", reason),
    revoke: (id: string, reason: string) => end(id, "verified", "revoked", reason),

    /** Gives up a claim that nothing was signed for; false when something was meanwhile. */
    async giveUp(id: string): Promise<boolean> {
      const given = await db.execute(sql`
        with ended as (
          update ${kptClaims} set status = 'refused', reason = 'interrupted', idempotency_id = null
          where id = ${id} and status = 'filing' and credential is null returning id
        ), freed as (delete from ${kptMeasuredDays} where claim in (select id from ended))
        select id from ended`);
      return given.rows.length === 1;
    },

    /** Claims that are on their way since before a moment, oldest first; of one campaign, if named. */
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

    /** Refused claims whose files or credential are still there. */
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

    /** Standing claims of a campaign, for its result: 100 000 in one statement. */
    async verified(campaign: number) {
      const { id, group, position, startDay, endDay, totalGrams, logs } = kptClaims;
      return await db
        .select({ id, group, position, startDay, endDay, totalGrams, logs })
        .from(kptClaims)
        .where(and(eq(kptClaims.campaign, campaign), eq(kptClaims.status, "verified")))
        .orderBy(asc(kptClaims.sequence));
    },

    /** Claims of a campaign that the chain has, in the order of filing. */
    async list(
      campaign: number,
      only: {
        after: number;
        limit: number;
        testGroup?: Group | undefined;
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

const unsigned = {
  reason: null,
  claimHash: null,
  evidence: null,
  credential: null,
  credentialHash: null,
  transactionHash: null,
  blockNumber: null,
  filedAt: null,
};

/** A unique violation, as both drivers tell it below drizzle's own error. */
function isTaken(error: unknown): boolean {
  for (let each = error; each instanceof Error; each = each.cause) {
    if ((each as { code?: unknown }).code === "23505") return true;
  }
  return false;
}
