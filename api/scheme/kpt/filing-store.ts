import { type SQL, sql } from "drizzle-orm";
import { type CampaignGroup, encodeKptClaimId, kptClaimIdOf } from "../../../wire/src/ids.ts";
import { type Database, isUniqueViolation, together } from "../../platform/db/index.ts";
import { type KptClaimRow, kptClaims, kptMeasuredDays, type NewKptClaim } from "./tables.ts";

/** Most days of a claim: at most 366 daily logs (schemas.ts), and one more day. */
const MAX_DAYS = 367;

/** What is signed for a claim after its files are stored. */
export type SignedClaim = { claimHash: string; evidence: string[]; credential: string; credentialHash: string };
/** Position of a claim on the chain. */
export type RecordedAt = { transactionHash: string; blockNumber: number; filedAt: Date };

/** Where to file a claim. `position` −1: the household is in no sample. Days since 1970-01-01, both ends included. */
export type Place = {
  householdHash: string;
  campaign: number;
  group: CampaignGroup;
  position: number;
  startDay: number;
  endDay: number;
};

/** Other claims that concern a new one. */
export type Surroundings = {
  /** A standing claim of the same household with a common day. */
  measuredBy: string | null;
  /** Number of the household's last claim at this place. */
  lastNumber: number;
  hasReferenceClaims: boolean;
  otherGroup: { hasClaims: boolean; sharesDay: boolean };
};

type NumberedClaim = { claim: NewKptClaim; number: number };

/** The statements of a filing. Claims that arrive together share them: a separate statement for each costs several times as much. */
export function openFilingStore(db: Database) {
  const findSurroundings = together((places: readonly Place[]) => surroundingsOf(db, places));
  const insert = together((claims: readonly NumberedClaim[]) => insertAll(db, claims));
  const sign = together((claims: readonly { id: string; signed: SignedClaim }[]) => {
    const rows = claims.map(({ id, signed: { claimHash, evidence, credential, credentialHash } }) => {
      return { id, claim_hash: claimHash, evidence, credential, credential_hash: credentialHash };
    });
    return change(db, rows, {
      columns: sql`id text, claim_hash text, evidence jsonb, credential text, credential_hash text`,
      set: sql`claim_hash = given.claim_hash, evidence = given.evidence, credential = given.credential,
        credential_hash = given.credential_hash`,
    });
  });
  const verify = together((claims: readonly { id: string; at: RecordedAt }[]) => {
    const rows = claims.map(({ id, at: { transactionHash, blockNumber, filedAt } }) => {
      return { id, transaction_hash: transactionHash, block_number: blockNumber, filed_at: filedAt };
    });
    return change(db, rows, {
      columns: sql`id text, transaction_hash text, block_number bigint, filed_at timestamptz`,
      set: sql`status = 'verified', transaction_hash = given.transaction_hash, block_number = given.block_number,
        filed_at = given.filed_at`,
    });
  });
  return {
    surroundings: findSurroundings,

    /**
     * Reserve the claim's days and its number in one statement: of two claims with a common day the database accepts one.
     * @returns null when a day or the number was taken meanwhile
     */
    async reserve(claim: NewKptClaim, number: number): Promise<KptClaimRow | null> {
      const sequence = await insert({ claim, number });
      return sequence === null ? null : { ...claim, ...unsigned, id: idOf({ claim, number }), number, sequence };
    },
    /** False if the claim was abandoned meanwhile: then it must not reach the chain. */
    sign: (id: string, signed: SignedClaim): Promise<boolean> => sign({ id, signed }),
    /** False if another process recorded it. */
    verify: (id: string, at: RecordedAt): Promise<boolean> => verify({ id, at }),
  };
}

const unsigned = {
  status: "filing",
  reason: null,
  claimHash: null,
  evidence: null,
  credential: null,
  credentialHash: null,
  transactionHash: null,
  blockNumber: null,
  filedAt: null,
} as const;

function idOf({ claim: { campaign, group, position }, number }: NumberedClaim): string {
  return encodeKptClaimId(kptClaimIdOf({ campaign, group, position, number }));
}

async function surroundingsOf(db: Database, places: readonly Place[]): Promise<Surroundings[]> {
  const rows = places.map(({ householdHash, campaign, group, position, startDay, endDay }, item) => {
    const other = group === "reference" ? "intervention" : "reference";
    return { item, household_hash: householdHash, campaign, group, other, position, first: startDay, last: endDay };
  });
  // The embedded database keeps no statistics, so each part leaves it one index to choose: a scalar sub-select with a limit
  // (`exists` would hash the whole table), and kpt_claims_periods begins with the status, which the number does not ask for.
  const one = (condition: SQL) => sql`(select true from ${kptClaims} k where k.campaign = g.campaign
    and k.status = 'verified' and ${condition} limit 1)`;
  const found = await db.execute(sql`
    select
      (select claim from ${kptMeasuredDays} m where m.household_hash = g.household_hash
        and m.day between g.first and g.last order by m.day limit 1) as measured_by,
      (select number from ${kptClaims} k where k.campaign = g.campaign and k."group" = g."group"
        and k.position = g.position order by k.number desc limit 1) as last_number,
      ${one(sql`k."group" = 'reference'`)} as has_reference,
      ${one(sql`k."group" = g.other`)} as other_has,
      ${one(sql`k."group" = g.other and k.start_day between g.first - ${MAX_DAYS}::int and g.last and k.end_day >= g.first`)}
        as other_shares
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as g(item int, household_hash text, campaign int,
      "group" text, other text, position int, first int, last int)
    order by g.item`);
  return found.rows.map((row) => ({
    measuredBy: row.measured_by as string | null,
    lastNumber: Number(row.last_number ?? 0),
    hasReferenceClaims: row.has_reference === true,
    otherGroup: { hasClaims: row.other_has === true, sharesDay: row.other_shares === true },
  }));
}

/** Return the sequence of each claim; null for a conflict. Only after a conflict each is inserted separately. */
async function insertAll(db: Database, claims: readonly NumberedClaim[]): Promise<(number | null | Error)[]> {
  try {
    const found = await db.execute(insertStatement(claims));
    const byId = new Map(found.rows.map(({ id, sequence }) => [id, Number(sequence)]));
    return claims.map((claim) => byId.get(idOf(claim)) ?? null);
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    if (claims.length === 1) return [null];
  }
  const singly: (number | null | Error)[] = [];
  for (const claim of claims) singly.push(...(await insertAll(db, [claim]).catch((error: Error) => [error])));
  return singly;
}

/** Days in one order for all, so that two statements with common days wait for each other and never lock. */
function insertStatement(claims: readonly NumberedClaim[]): SQL {
  const rows = claims.map((numbered) => {
    const { claim, number } = numbered;
    return { ...claim, id: idOf(numbered), number, totalGrams: String(claim.totalGrams) };
  });
  return sql`
    with filed as (
      insert into ${kptClaims} (id, campaign, campaign_id, "group", position, number, household_did, household_hash,
        start_day, end_day, total_grams, logs, fuels, weighed, fed, content_hash, idempotency_id, status, created_at)
      select id, campaign, "campaignId", "group", position, number, "householdDid", "householdHash",
        "startDay", "endDay", "totalGrams", logs, fuels, weighed, fed, "contentHash", "idempotencyKey", 'filing', "createdAt"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(id text, campaign int, "campaignId" text,
        "group" text, position int, number int, "householdDid" text, "householdHash" text, "startDay" int, "endDay" int,
        "totalGrams" bigint, logs int, fuels jsonb, weighed jsonb, fed jsonb, "contentHash" text, "idempotencyKey" text,
        "createdAt" timestamptz)
      order by id
      returning id, sequence, household_hash, start_day, end_day
    ), measured as (
      insert into ${kptMeasuredDays} (household_hash, day, claim)
      select household_hash, day, id from filed, generate_series(start_day, end_day) as day order by household_hash, day
    )
    select id, sequence from filed`;
}

/** Whether each claim was still being filed, and so was changed. */
async function change(
  db: Database,
  rows: readonly { id: string }[],
  { columns, set }: { columns: SQL; set: SQL },
): Promise<boolean[]> {
  const changed = await db.execute(sql`
    update ${kptClaims} set ${set} from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(${columns})
    where ${kptClaims}.id = given.id and ${kptClaims}.status = 'filing' returning ${kptClaims}.id`);
  const ids = new Set(changed.rows.map(({ id }) => id));
  return rows.map(({ id }) => ids.has(id));
}
