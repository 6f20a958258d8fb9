import { and, asc, eq, inArray, isNotNull, sql } from "drizzle-orm";
import type { CampaignGroup } from "../../../../wire/src/ids.ts";
import type { Database } from "../../../platform/db/index.ts";
import type { ClaimEvidence } from "../../campaigns/index.ts";
import { type KptClaimRow, kptClaims } from "../tables.ts";
import {
  type KptEvidenceRow,
  type KptStoveSeriesRow,
  type KptVisitRow,
  kptEvidence,
  kptStoveSeries,
  kptVisits,
} from "./tables.ts";

/** A valid claim's household, group, period (days since 1970-01-01) and evidence. */
export type FlaggedClaim = Pick<KptClaimRow, "id" | "householdDid" | "group" | "startDay" | "endDay" | "evidence">;
/** A piece of evidence, or a visit, that another valid claim has as well. */
export type Repeated = { claim: string; place: number; others: string[] };

export type KnownEvidenceRow = KptEvidenceRow & { sha256: string };

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
      const { id, householdDid, group, startDay, endDay, evidence } = kptClaims;
      return db.select({ id, householdDid, group, startDay, endDay, evidence }).from(kptClaims).where(wanted);
    },
    /** Evidence whose bytes are known by their SHA-256. */
    async evidence(): Promise<KnownEvidenceRow[]> {
      const { claim, item, sha256 } = kptEvidence;
      const known = and(inArray(claim, ids), isNotNull(sha256));
      const rows = await db.select().from(kptEvidence).where(known).orderBy(asc(claim), asc(item));
      return rows.flatMap((row) => (row.sha256 === null ? [] : [{ ...row, sha256: row.sha256 }]));
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

type Comparison = { campaign: number; marks: readonly string[] };

/** The marks of the valid claims of a campaign: links and SHA-256 of their evidence. */
const marksOfCampaign = (campaign: number) => sql`
  select k.id, k."group", k.position, e.link_hash as mark from ${kptClaims} k join ${kptEvidence} e on e.claim = k.id
  where k.campaign = ${campaign} and k.status = 'verified' and e.link_hash is not null
  union all
  select k.id, k."group", k.position, e.sha256 from ${kptClaims} k join ${kptEvidence} e on e.claim = k.id
  where k.campaign = ${campaign} and k.status = 'verified' and e.sha256 is not null`;

/** Find the valid claims of a campaign with evidence of another one of them, or with one of the marks. */
export async function claimsWithSharedEvidence(
  db: Database,
  { campaign, marks }: Comparison,
): Promise<ClaimEvidence[]> {
  const { rows } = await db.execute(sql`
    with own as (${marksOfCampaign(campaign)}), compared as (
      select mark from own group by mark having min(id) <> max(id)
      union
      select jsonb_array_elements_text(${JSON.stringify(marks)}::jsonb)
    ), found as (
      select id, "group", position, json_agg(distinct own.mark) as marks from own join compared on compared.mark = own.mark
      group by id, "group", position
    )
    select coalesce(json_agg(json_build_array(id, "group", position, marks)), '[]')::text as claims from found`);
  const claims = JSON.parse(String(rows[0]?.claims)) as [string, CampaignGroup, number, string[]][];
  return claims.map(([id, group, position, shared]) => ({ id, group, position, marks: shared }));
}

/** Find which evidence of a campaign's valid claims, and which of the marks, valid claims of other campaigns have. */
export async function evidenceOfOthers(
  db: Database,
  { campaign, marks }: Comparison,
): Promise<{ campaignId: string; mark: string }[]> {
  const { rows } = await db.execute(sql`
    with own as (
      select mark from (${marksOfCampaign(campaign)}) claimed
      union
      select jsonb_array_elements_text(${JSON.stringify(marks)}::jsonb)
    ), found as (
      select e.claim, own.mark from own join ${kptEvidence} e on e.link_hash = own.mark
      union all
      select e.claim, own.mark from own join ${kptEvidence} e on e.sha256 = own.mark
    )
    select distinct k.campaign_id, found.mark from found
    join ${kptClaims} k on k.id = found.claim and k.status = 'verified' and k.campaign <> ${campaign}`);
  return rows.map(({ campaign_id, mark }) => ({ campaignId: String(campaign_id), mark: String(mark) }));
}

/** List the valid claims of a campaign whose links are not stored for comparison, as an earlier version filed them. */
export async function claimsWithoutLinks(db: Database, campaign: number): Promise<string[]> {
  const { rows } = await db.execute(sql`
    select k.id from ${kptClaims} k left join ${kptEvidence} e on e.claim = k.id and e.link_hash is not null
    where k.campaign = ${campaign} and k.status = 'verified' and jsonb_array_length(k.evidence) > 1
    group by k.id, k.evidence having count(e.claim) < jsonb_array_length(k.evidence) - 1`);
  return rows.map(({ id }) => String(id));
}

/** Delete the evidence data and visits of a refused claim. */
export async function removeFieldFacts(db: Database, claimId: string): Promise<void> {
  await db.delete(kptEvidence).where(eq(kptEvidence.claim, claimId));
  await db.delete(kptVisits).where(eq(kptVisits.claim, claimId));
  await db.delete(kptStoveSeries).where(eq(kptStoveSeries.claim, claimId));
}
