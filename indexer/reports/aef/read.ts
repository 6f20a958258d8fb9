import { setImmediate } from "node:timers/promises";
import { tonne } from "../../lib/lots.ts";
import type { FirstTransferDefinition, ItmoPurpose } from "../../schema/itmo-words.ts";
import { type Ask, big, endOf, int, type SqlRow, type Standing, text, textOrNull } from "../ask.ts";
import { mechanismOf } from "../mechanism.ts";
import {
  type Action,
  type Approach,
  type Authorization,
  type AuthorizationChange,
  capacityOf,
  type Holding,
  type Lot,
  type Units,
  underlyingOf,
  type VerifiedUnits,
} from "./facts.ts";
import type { AefSource } from "./report.ts";

const rowsPerPage = 1_000;

/** Yield to other requests, because the embedded database answers without yielding. */
const giveWay = () => setImmediate();

/**
 * The time of a report from begin to end (exclusive), in seconds since 1970, the first block that it excludes, and the time of the
 * last block that it includes.
 */
export type Span = { from: bigint; until: bigint; before: bigint; now: bigint };

export const yearBegin = (year: number): bigint => BigInt(Date.UTC(year, 0, 1) / 1_000);

/** Compute the span of a year: to its end, or to the index's last block during the year. */
export const spanOf = (year: number, { block, timestamp }: Standing): Span => ({
  from: yearBegin(year),
  until: yearBegin(year + 1),
  before: endOf(block),
  now: timestamp,
});

async function readApproaches(ask: Ask, party: string, { until, before }: Span): Promise<Approach[]> {
  const rows = await ask(
    `select a.*, (select json_agg(p.party order by p.party) from approach_party p where p.approach = a."index") as parties
     from cooperative_approach a
     where a.registered_at < $2 and a.sequence < $3
       and exists (select 1 from approach_party p where p.approach = a."index" and p.party = $1)
     order by a."index"`,
    [party, until, before],
  );
  return rows.map((row) => ({
    index: int(row.index),
    approachId: text(row.cooperative_approach_id),
    firstTransferringParty: text(row.first_transferring_party),
    participatingParties: listOf(row.parties),
    sectors: row.sectors as string[],
    activityType: text(row.activity_type),
    ndcFirstYear: int(row.ndc_first_year),
    ndcLastYear: int(row.ndc_last_year),
  }));
}

/** Some drivers parse JSON, others do not. */
const parsed = (value: unknown): unknown => (typeof value === "string" ? JSON.parse(value) : value);
const listOf = (value: unknown): string[] => (parsed(value) ?? []) as string[];

type Change = Omit<AuthorizationChange, "quantity" | "at"> & { quantity: string | null; at: string };
type Version = { version: number; quantity: string; reason: string; at: string };

async function readAuthorizations(ask: Ask, party: string, { until, before }: Span): Promise<Authorization[]> {
  const rows = await ask(
    `select z.*,
       (select json_agg(json_build_object('name', e.name, 'country', e.country, 'entityId', e.entity_id) order by e.position)
        from authorized_entity e where e.itmo_authorization = z."index") as entities,
       (select json_agg(json_build_object('version', v.version, 'quantity', v.quantity::text, 'reason', v.reason,
          'at', v.changed_at::text) order by v.version)
        from itmo_authorization_version v
        where v.itmo_authorization = z."index" and v.changed_at < $2 and v.sequence < $3) as versions,
       (select json_agg(json_build_object('kind', c.kind, 'purpose', c.purpose, 'quantity', c.quantity::text,
          'reason', c.reason, 'at', c.changed_at::text) order by c.sequence)
        from authorization_change c
        where c.itmo_authorization = z."index" and c.changed_at < $2 and c.sequence < $3) as changes
     from itmo_authorization z
     where z.registered_at < $2 and z.sequence < $3
       and z.approach in (select p.approach from approach_party p where p.party = $1)
     order by z."index"`,
    [party, until, before],
  );
  return rows.map((row) => ({
    index: int(row.index),
    authorizationId: text(row.authorization_id),
    approach: int(row.approach),
    date: int(row.authorized_day),
    purpose: text(row.purpose) as ItmoPurpose,
    firstTransfer: textOrNull(row.first_transfer) as FirstTransferDefinition | null,
    firstYear: int(row.first_year),
    lastYear: int(row.last_year),
    entities: (parsed(row.entities) ?? []) as Authorization["entities"],
    terms: text(row.terms),
    versions: ((parsed(row.versions) ?? []) as Version[]).map(({ version, quantity, reason, at }) => ({
      version,
      quantity: BigInt(quantity),
      reason,
      at: BigInt(at),
    })),
    changes: ((parsed(row.changes) ?? []) as Change[]).map(({ quantity, at, ...change }) => ({
      ...change,
      quantity: quantity === null ? null : BigInt(quantity),
      at: BigInt(at),
    })),
  }));
}

/** What a finalised conversion took, and the first serial of its ITMOs. */
type Source = { firstId: bigint; lots: Lot[] };

/** Read the lots of finalised conversions, by the conversions' indexes. */
async function readSources(ask: Ask, rows: readonly SqlRow[]): Promise<Map<number, Source>> {
  const conversions = new Set(rows.map((row) => int(row.conversion)));
  const lots = await ask(
    `select l.conversion, l.amount::text as amount, l.start_offset::text as start_offset,
       l.certificate_offset::text as certificate_offset, v.first_id::text as first_id, c.certificate_id, ${unitColumns}
     from conversion_lot l
     join itmo_conversion v on v."index" = l.conversion
     join certificate c on c."index" = l.certificate
     where l.conversion = any($1::integer[]) and l.certificate_offset is not null
     order by l.conversion, l.position`,
    [`{${[...conversions].join(",")}}`],
  );
  const found = Map.groupBy(lots, (row) => int(row.conversion));
  return new Map(
    [...found].map(([conversion, of]) => [conversion, { firstId: big(of[0]?.first_id), lots: of.map(lotOf) }]),
  );
}

const unitColumns = `c.registry, c.first_serial::text as first_serial, c.last_serial::text as last_serial,
  c.verified_reduction::text as verified`;

const verifiedUnitsOf = (row: SqlRow): VerifiedUnits => ({
  registry: text(row.registry),
  firstSerial: big(row.first_serial),
  lastSerial: big(row.last_serial),
  verified: big(row.verified),
});

const lotOf = (row: SqlRow): Lot => ({
  certificateId: text(row.certificate_id),
  units: verifiedUnitsOf(row),
  offset: big(row.start_offset),
  certificateOffset: big(row.certificate_offset),
  amount: big(row.amount),
});

function unitsOf(row: SqlRow, sources: Map<number, Source>): Units {
  const [firstId, lastId] = [big(row.first_id), big(row.last_id)];
  const source = sources.get(int(row.conversion));
  return {
    approachId: text(row.cooperative_approach_id),
    authorizationId: text(row.authorization_id),
    firstTransferringParty: text(row.first_transferring_party),
    registryId: text(row.registry_id),
    firstId,
    lastId,
    vintage: int(row.vintage),
    underlying:
      source === undefined
        ? null
        : underlyingOf(source.lots, (firstId - source.firstId) * tonne, (lastId - firstId + 1n) * tonne),
  };
}

const nobody = { transferringParty: null, acquiringParty: null, usingParty: null, usingEntity: null };

function actionOf(row: SqlRow, sources: Map<number, Source>): Action {
  const units = unitsOf(row, sources);
  const when = { sequence: big(row.sequence), at: big(row.acted_at) };
  if (row.action === "Authorization") {
    return {
      ...units,
      ...when,
      ...nobody,
      type: "Authorization",
      subtype: null,
      isMandatory: false,
      purpose: null,
      ndcYear: null,
      note: text(row.note),
    };
  }
  return {
    ...units,
    ...when,
    type: text(row.action) as Action["type"],
    subtype: textOrNull(row.subtype) as Action["subtype"],
    isMandatory: row.is_mandatory === true,
    transferringParty: textOrNull(row.transferring_party),
    acquiringParty: textOrNull(row.acquiring_party),
    usingParty: textOrNull(row.using_party),
    usingEntity: textOrNull(row.using_entity),
    purpose: textOrNull(row.purpose) as Action["purpose"],
    ndcYear: row.ndc_year === null ? null : int(row.ndc_year),
    note: text(row.note),
  };
}

const actionColumns = `sequence, conversion, cooperative_approach_id, authorization_id, first_transferring_party,
  registry_id, first_id::text as first_id, last_id::text as last_id, vintage, acted_at::text as acted_at`;

/** SQL for the creation of the Party's blocks, from the conversions: a minted range always belongs to its conversion. */
const births = `select c.end_sequence as sequence, c."index" as conversion, a.cooperative_approach_id, z.authorization_id,
    a.first_transferring_party, c.registry_id, c.first_id, c.last_id, c.vintage, c.ended_at as acted_at,
    'Authorization' as action, null::text as subtype, null::text as transferring_party, null::text as acquiring_party,
    null::text as using_party, null::text as using_entity, null::text as purpose, null::integer as ndc_year,
    coalesce('Invalidation buffer: serials ' || h.first_id::text || ' to ' || h.last_id::text || ' until '
      || to_char(to_timestamp(h.held_until::double precision) at time zone 'UTC', 'YYYY-MM-DD') || '.', '') as note,
    false as is_mandatory
  from itmo_conversion c
  left join buffer_hold h on h.conversion = c."index"
  join itmo_authorization z on z."index" = c.itmo_authorization
  join cooperative_approach a on a."index" = z.approach
  where c.status = 'finalised' and a.first_transferring_party = $1
    and c.ended_at >= $2 and c.ended_at < $3 and c.end_sequence < $4 and c.end_sequence > $5
  order by c.end_sequence limit ${rowsPerPage}`;

const moves = `select t.sequence, t.conversion, t.cooperative_approach_id, t.authorization_id, t.first_transferring_party,
    t.registry_id, t.first_id, t.last_id, t.vintage, t.acted_at, t.action, t.subtype, t.transferring_party,
    t.acquiring_party, t.using_party, t.using_entity, t.purpose, t.ndc_year,
    case when b.sequence is null then t.note
      else 'Cancelled from the invalidation buffer: certificate ' || k.certificate_id || ' was revoked.' end as note,
    t.subtype like 'Voluntary%' and t.transaction_hash = c.end_transaction_hash
      and ${mechanismOf("t.cooperative_approach_id", "z.authorized_day")} = 'article-6.4' as is_mandatory
  from itmo_action t
  join itmo_conversion c on c."index" = t.conversion
  join itmo_authorization z on z."index" = t.itmo_authorization
  left join buffer_change b on b.conversion = t.conversion and b.first_id = t.first_id and b.kind = 'cancellation'
    and b.transaction_hash = t.transaction_hash
  left join certificate k on k."index" = b.certificate
  where (t.transferring_party = $1 or t.acquiring_party = $1 or t.using_party = $1)
    and t.acted_at >= $2 and t.acted_at < $3 and t.sequence < $4 and t.sequence > $5
  order by t.sequence limit ${rowsPerPage}`;

async function* readActions(ask: Ask, party: string, { from, until, before }: Span): AsyncGenerator<Action> {
  let after = -1n;
  for (;;) {
    const rows = await ask(
      `select ${actionColumns}, action, subtype, transferring_party, acquiring_party, using_party, using_entity, purpose,
         ndc_year, note, is_mandatory
       from ((${births}) union all (${moves})) as told order by sequence limit ${rowsPerPage}`,
      [party, from, until, before, after],
    );
    const sources = await readSources(ask, rows);
    for (const row of rows) yield actionOf(row, sources);
    if (rows.length < rowsPerPage) return;
    after = big(rows.at(-1)?.sequence);
    await giveWay();
  }
}

/**
 * SQL for a change of the authorization `z` that was final and not vetoed by then, and that left nothing but what was first
 * transferred by then: a revocation, or a reduction to that many tonnes.
 */
const nothingLeft = `select 1 from authorization_change c
  left join lateral (select n.kind from authorization_change n
    where n.itmo_authorization = c.itmo_authorization and n.sequence > c.sequence order by n.sequence limit 1) n on true
  where c.itmo_authorization = z."index" and c.final_at < $2 and c.final_at <= $6 and n.kind is distinct from 'veto'
    and (c.kind = 'revocation' or c.kind = 'reduction' and c.quantity <= (
      select coalesce(sum(a.quantity), 0) from itmo_action a where a.itmo_authorization = z."index"
        and a.action = 'First transfer' and a.acted_at < $2 and a.sequence < $3))`;

/** When nothing is left of an authorization, units that were not first transferred by then are no longer ITMOs. */
async function* readHoldings(ask: Ask, party: string, { until, before, now }: Span): AsyncGenerator<Holding> {
  let [registry, last] = ["", -1n];
  for (;;) {
    const rows = await ask(
      `select h.conversion, h.registry_id, h.first_id::text as first_id, h.last_id::text as last_id, h.party,
         b.cooperative_approach_id, b.first_transferring_party, b.vintage, z.authorization_id
       from itmo_holding h
       join itmo_block b on b.id = h.block
       join itmo_authorization z on z."index" = b.itmo_authorization
       where h.party = $1 and h.held_from < $2 and (h.held_until is null or h.held_until >= $2) and h.since < $3
         and (b.first_transfer is not null or not exists (${nothingLeft}))
         and (h.registry_id, h.first_id) > ($4, $5::numeric)
       order by h.registry_id, h.first_id limit ${rowsPerPage}`,
      [party, until, before, registry, last, now],
    );
    const sources = await readSources(ask, rows);
    for (const row of rows) yield { ...unitsOf(row, sources), party };
    const end = rows.at(-1);
    if (end === undefined || rows.length < rowsPerPage) return;
    [registry, last] = [text(end.registry_id), big(end.first_id)];
    await giveWay();
  }
}

/** Read what certificates verify, to find what a range of underlying units verifies. */
async function readCapacities(ask: Ask): Promise<AefSource["capacityOf"]> {
  const rows = await ask(
    `select ${unitColumns} from certificate c where c."index" in (select certificate from conversion_lot)
     order by c.registry, c.first_serial`,
  );
  return capacityOf(rows.map(verifiedUnitsOf));
}

/** Open the facts of a Party's report, read from the indexer's tables page by page. */
export async function openSource(ask: Ask, party: string, span: Span): Promise<AefSource> {
  return {
    approaches: await readApproaches(ask, party, span),
    authorizations: await readAuthorizations(ask, party, span),
    actions: () => readActions(ask, party, span),
    holdings: () => readHoldings(ask, party, span),
    capacityOf: await readCapacities(ask),
  };
}
