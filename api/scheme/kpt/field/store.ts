import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { Database } from "../../../platform/db/index.ts";
import { type KptClaimRow, kptClaims } from "../tables.ts";
import {
  type KptEvidenceRow,
  type KptStoveSeriesRow,
  type KptVisitRow,
  kptEvidence,
  kptStoveSeries,
  kptVisits,
} from "./tables.ts";

/** A valid claim's period; days since 1970-01-01. */
export type FlaggedClaim = Pick<KptClaimRow, "id" | "startDay" | "endDay">;
/** A piece of evidence, or a visit, that another valid claim has as well. */
export type Repeated = { claim: string; place: number; others: string[] };

/** Reads the stored evidence data and visits of valid claims: of a campaign, or of one of its claims. */
export function fieldStore(db: Database, { campaign, claimId }: { campaign: number; claimId?: string | undefined }) {
  const isValid = and(eq(kptClaims.campaign, campaign), eq(kptClaims.status, "verified"));
  const wanted = claimId === undefined ? isValid : and(isValid, eq(kptClaims.id, claimId));
  const ids = db.select({ id: kptClaims.id }).from(kptClaims).where(wanted);
  const only = sql`k.campaign = ${campaign} and k.status = 'verified'
    and (${claimId ?? null}::text is null or k.id = ${claimId ?? null})`;
  const repeated = (rows: Record<string, unknown>[]): Repeated[] =>
    rows.map(({ claim, place, others }) => ({
      claim: String(claim),
      place: Number(place),
      others: others as string[],
    }));
  return {
    async claims(): Promise<FlaggedClaim[]> {
      const { id, startDay, endDay } = kptClaims;
      return db.select({ id, startDay, endDay }).from(kptClaims).where(wanted);
    },
    async evidence(): Promise<KptEvidenceRow[]> {
      const { claim, item } = kptEvidence;
      return db.select().from(kptEvidence).where(inArray(claim, ids)).orderBy(asc(claim), asc(item));
    },
    async visits(): Promise<KptVisitRow[]> {
      const { claim, day } = kptVisits;
      return db.select().from(kptVisits).where(inArray(claim, ids)).orderBy(asc(claim), asc(day));
    },
    async stoveSeries(): Promise<KptStoveSeriesRow[]> {
      const { claim, item } = kptStoveSeries;
      return db.select().from(kptStoveSeries).where(inArray(claim, ids)).orderBy(asc(claim), asc(item));
    },
    /** Evidence with the same bytes in valid claims of any campaign, or twice in one claim. */
    async repeatedEvidence(): Promise<Repeated[]> {
      const { rows } = await db.execute(sql`
        select a.claim, a.item as place, json_agg(distinct b.claim) as others from ${kptEvidence} a
        join ${kptClaims} k on k.id = a.claim
        join ${kptEvidence} b on b.sha256 = a.sha256 and (b.claim, b.item) <> (a.claim, a.item)
        join ${kptClaims} o on o.id = b.claim and o.status = 'verified'
        where ${only} group by a.claim, a.item order by a.claim, a.item`);
      return repeated(rows);
    },
    /**
     * Series that share at least three, and at least three fifths, of the parts of their pattern with another series of this claim or
     * of a valid claim of any campaign.
     */
    async copiedSeries(): Promise<Repeated[]> {
      const { rows } = await db.execute(sql`
        select a.claim, a.item as place, json_agg(distinct b.claim) as others from ${kptStoveSeries} a
        join ${kptClaims} k on k.id = a.claim
        join ${kptStoveSeries} b on b.pattern && a.pattern and (b.claim, b.item) <> (a.claim, a.item)
        join ${kptClaims} o on o.id = b.claim and o.status = 'verified'
        cross join lateral (
          select count(*) as shared from unnest(a.pattern) as part where part = any(b.pattern)
        ) as alike
        where ${only} and alike.shared >= 3
          and alike.shared * 5 >= 3 * greatest(cardinality(a.pattern), cardinality(b.pattern))
        group by a.claim, a.item order by a.claim, a.item`);
      return repeated(rows);
    },
    /** Visits of one collector to another household in the same second. */
    async simultaneousVisits(): Promise<Repeated[]> {
      const { rows } = await db.execute(sql`
        select a.claim, a.day as place, json_agg(distinct b.claim) as others from ${kptVisits} a
        join ${kptClaims} k on k.id = a.claim
        join ${kptVisits} b on b.collector = a.collector and b.claim <> a.claim
          and b.at >= date_trunc('second', a.at) and b.at < date_trunc('second', a.at) + interval '1 second'
        join ${kptClaims} o on o.id = b.claim and o.status = 'verified' and o.household_hash <> k.household_hash
        where ${only} group by a.claim, a.day order by a.claim, a.day`);
      return repeated(rows);
    },
  };
}

/** The series of every claim of a campaign that the chain has, the revoked ones too. */
export async function stoveSeriesOnRecord(db: Database, campaign: number): Promise<KptStoveSeriesRow[]> {
  const { claim, item } = kptStoveSeries;
  const recorded = and(eq(kptClaims.campaign, campaign), inArray(kptClaims.status, ["verified", "revoked"]));
  const ids = db.select({ id: kptClaims.id }).from(kptClaims).where(recorded);
  return db.select().from(kptStoveSeries).where(inArray(claim, ids)).orderBy(asc(claim), asc(item));
}

/** Delete the evidence data and visits of a refused claim. */
export async function removeFieldFacts(db: Database, claimId: string): Promise<void> {
  await db.delete(kptEvidence).where(eq(kptEvidence.claim, claimId));
  await db.delete(kptVisits).where(eq(kptVisits.claim, claimId));
  await db.delete(kptStoveSeries).where(eq(kptStoveSeries.claim, claimId));
}
