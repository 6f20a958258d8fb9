import type { LosslessNumber } from "lossless-json";
import { isoTime } from "../../wire/src/chain-values.ts";
import type {
  ExceptionAuthorization,
  ExceptionBlock,
  ExceptionCertificate,
  ExceptionClaim,
  ExceptionImplementer,
  ExceptionsReport,
  TwoWays,
} from "../../wire/src/reports.ts";
import type { AuthorizationStatus } from "../schema/itmo-words.ts";
import { type Ask, big, int, type SqlRow, type Standing, text, textOrNull } from "./ask.ts";
import type { ChainState, ViewCall } from "./chain-state.ts";
import { exact } from "./exact.ts";
import { partsWhere } from "./parts.ts";
import { twoWays } from "./two-ways.ts";

type Amount = bigint | LosslessNumber;

/** Most blocks that are listed of a certificate. */
const mostBlocks = 500;
const CARBON_DECIMALS = 6;
/** Most revoked claims that are listed. */
const mostClaims = 500;
const carbon = (micro: unknown): LosslessNumber => exact(big(micro), CARBON_DECIMALS);
const isoOf = (seconds: unknown): string | null =>
  seconds === null || seconds === undefined ? null : isoTime(big(seconds));

/** Compare sums of micro-CARBON, and write them as CARBON. */
function carbonTwoWays(byEvents: unknown, byChain: unknown, reason: string | undefined): TwoWays<Amount> {
  const told = byChain === undefined ? null : big(byChain);
  const { agree } = twoWays(big(byEvents), told);
  return {
    byEvents: carbon(byEvents),
    byChain: told === null ? null : carbon(told),
    agree,
    ...(reason === undefined ? {} : { reason }),
  };
}

const certificates = `select c.*, i.did,
    (select coalesce(sum(v.remaining), 0) from voucher v
      where v.certificate = c."index" and v.status <> 'cancelled')::text as unspent,
    (select coalesce(sum(r.amount), 0) from redemption r where r.certificate = c."index" and r.refunded_to is null
      and not exists (select 1 from payment p where p.claim = r.id))::text as open_redemptions,
    (select coalesce(sum(m.amount), 0) from carbon_move m
      where m.certificate = c."index" and m.kind = 'return')::text as burned,
    (select coalesce(sum(b.quantity), 0) from buffer_change b where b.certificate = c."index")::text as buffer_cancelled,
    e.data as change, e.timestamp::text as changed_at
  from certificate c
  join implementer i on i."index" = c.implementer
  left join lateral (select data, timestamp from event_log e
    where e.certificate = c."index" and e.event = 'CertificateStatusChanged' order by e.sequence desc limit 1) e on true
  where c.status in ('suspended', 'revoked') and ($1::text is null or c.certificate_id = $1) and c."index" > $2
  order by c."index" limit $3`;

const partsOfCertificate = partsWhere("l.certificate = $1");

async function readUnits(ask: Ask, certificate: number, now: bigint) {
  const sums = await ask(
    `select status, first_transfer is not null as first_transferred, sum(carbon)::text as carbon
     from (${partsOfCertificate}) as part group by 1, 2 order by 1, 2`,
    [certificate],
  );
  const blocks = await ask(
    `select public_id, unique_id, authorization_id, status, party, first_transfer is not null as first_transferred,
       left_purpose, reduction_final_at::text as reduction_final_at, sum(carbon)::text as carbon
     from (${partsOfCertificate}) as part group by 1, 2, 3, 4, 5, 6, 7, 8, registry_id, first_id
     order by registry_id, first_id limit ${mostBlocks}`,
    [certificate],
  );
  const unitsOf = (row: SqlRow) => ({
    status: text(row.status),
    firstTransferred: row.first_transferred === true,
    carbon: carbon(row.carbon),
  });
  return {
    units: sums.map(unitsOf),
    blocks: blocks.map(
      (row): ExceptionBlock<Amount> => ({
        id: text(row.public_id),
        uniqueId: text(row.unique_id),
        authorizationId: text(row.authorization_id),
        party: textOrNull(row.party),
        authorizationStatus: row.first_transferred === true ? "first-transferred" : authorizationStatusOf(row, now),
        ...unitsOf(row),
      }),
    ),
  };
}

/** Some drivers parse JSON, others do not. */
function reasonOf(change: unknown): string | null {
  const data = typeof change === "string" ? JSON.parse(change) : change;
  return textOrNull((data as { reason?: unknown } | null)?.reason);
}

async function certificateOf(
  ask: Ask,
  row: SqlRow,
  issued: TwoWays<Amount>,
  now: bigint,
): Promise<ExceptionCertificate<Amount>> {
  return {
    certificateId: text(row.certificate_id),
    status: text(row.status) as "suspended" | "revoked",
    reason: reasonOf(row.change),
    since: isoOf(row.changed_at),
    revocationFinalAt: isoOf(row.revocation_final_at),
    implementerDid: text(row.did),
    vintage: int(row.vintage),
    verified: carbon(row.verified_reduction),
    issued,
    unspent: carbon(row.unspent),
    openRedemptions: carbon(row.open_redemptions),
    released: carbon(row.released),
    burned: carbon(row.burned),
    inConversions: carbon(big(row.taken) - big(row.converted)),
    converted: carbon(row.converted),
    bufferCancelled: big(row.buffer_cancelled),
    ...(await readUnits(ask, int(row.index), now)),
  };
}

/** What the regulator has left of an authorization, of a row with `left_purpose` and `reduction_final_at`. */
function authorizationStatusOf(row: SqlRow, now: bigint): AuthorizationStatus {
  if (row.reduction_final_at === null) return "authorized";
  const isFinal = now >= big(row.reduction_final_at);
  if (row.left_purpose === null) return isFinal ? "revoked" : "revocation-announced";
  return isFinal ? "reduced" : "reduction-announced";
}

/** Read the authorizations behind the certificates' conversions, and on the first page those that were reduced or revoked. */
async function readAuthorizations(
  ask: Ask,
  indexes: readonly number[],
  { isFirstPage, now }: { isFirstPage: boolean; now: bigint },
): Promise<ExceptionAuthorization<Amount>[]> {
  const rows = await ask(
    `select z.authorization_id, a.cooperative_approach_id, z.version, z.quantity::text as quantity,
       z.committed::text as committed, z.issued::text as issued, z.purpose, z.left_purpose,
       z.left_quantity::text as left_quantity, z.reduction_final_at::text as reduction_final_at,
       (select coalesce(sum(b.quantity), 0) from itmo_block b
         where b.itmo_authorization = z."index" and b.first_transfer is not null)::text as first_transferred
     from itmo_authorization z join cooperative_approach a on a."index" = z.approach
     where ($2 and z.reduction_final_at is not null) or z."index" in (select c.itmo_authorization from itmo_conversion c join conversion_lot l on l.conversion = c."index"
       where l.certificate = any($1::integer[]) and c.status <> 'reverted')
     order by z."index"`,
    [`{${indexes.join(",")}}`, isFirstPage],
  );
  return rows.map((row) => ({
    status: authorizationStatusOf(row, now),
    purpose: text(row.purpose),
    left:
      row.left_quantity === null
        ? null
        : {
            purpose: textOrNull(row.left_purpose),
            quantity: big(row.left_quantity),
            finalAt: isoOf(row.reduction_final_at) ?? "",
          },
    authorizationId: text(row.authorization_id),
    cooperativeApproachId: text(row.cooperative_approach_id),
    version: int(row.version),
    quantity: big(row.quantity),
    committed: big(row.committed),
    issued: big(row.issued),
    reducible: big(row.quantity) - big(row.committed),
    firstTransferred: big(row.first_transferred),
    notFirstTransferred: big(row.issued) - big(row.first_transferred),
  }));
}

/** A result counts the claims that stood at its campaign's close; those that were revoked later are still in its certificate. */
const claimsOfCertificates = `select c.certificate_id, c.status, p.campaign_id, k.public_id, k.revocation_reason,
    k.revoked_at::text as revoked_at
  from kpt_claim k
  join campaign p on p."index" = k.campaign
  join certificate c on c."index" = p.certificate
  where k.status = 'revoked' and k.revocation_sequence > p.close_sequence and ($1::text is null or c.certificate_id = $1)
  order by k.revocation_sequence desc limit ${mostClaims}`;

async function readRevokedClaims(ask: Ask, certificateId: string | undefined): Promise<ExceptionClaim[]> {
  const rows = await ask(claimsOfCertificates, [certificateId ?? null]);
  return rows.map((row) => ({
    certificateId: text(row.certificate_id),
    certificateStatus: text(row.status),
    campaignId: text(row.campaign_id),
    claimId: text(row.public_id),
    reason: text(row.revocation_reason),
    revokedAt: isoTime(big(row.revoked_at)),
  }));
}

/**
 * List the certificates that are suspended or revoked, with what was issued, redeemed, burned and converted of each, the state of
 * the ITMOs behind which they are, and what their implementers owe; the authorizations that were reduced or revoked; and the claims
 * that were revoked after a certificate counted them.
 */
export async function listExceptions(
  ask: Ask,
  chain: ChainState,
  { block, timestamp }: Standing,
  asked: { certificateId?: string | undefined; after: number; limit: number },
): Promise<Omit<ExceptionsReport<Amount>, "nextCursor"> & { last: number | null }> {
  const found = await ask(certificates, [asked.certificateId ?? null, asked.after, asked.limit + 1]);
  const rows = found.slice(0, asked.limit);
  const indexes = rows.map((row) => int(row.index));
  const owing = await ask(
    `select "index", did, debt::text as debt, repaid::text as repaid, replacement::text as replacement,
       replaced::text as replaced
     from implementer where "index" in (select implementer from certificate where "index" = any($1::integer[])) order by did`,
    [`{${indexes.join(",")}}`],
  );
  const view = (name: string, index: number): ViewCall => ({ contract: "certificates", view: name, args: [index] });
  const calls = [
    ...indexes.map((index) => view("certificateOf", index)),
    ...owing.flatMap((row) => [view("debtOf", int(row.index)), view("replacementOf", int(row.index))]),
  ];
  const told = calls.length === 0 ? { answers: [] } : await chain.read(calls);
  const reason = told.answers === null ? told.reason : undefined;
  const answers = told.answers ?? [];
  const listed: ExceptionCertificate<Amount>[] = [];
  for (const [i, row] of rows.entries()) {
    const onChain = (answers[i] as { issued: bigint } | undefined)?.issued;
    listed.push(await certificateOf(ask, row, carbonTwoWays(row.issued, onChain, reason), timestamp));
  }
  const implementers = owing.map((row, i): ExceptionImplementer<Amount> => {
    const [debt, replacement] = answers.slice(rows.length + 2 * i);
    return {
      did: text(row.did),
      debt: carbonTwoWays(row.debt, debt, reason),
      repaid: carbon(row.repaid),
      replacement: carbonTwoWays(row.replacement, replacement, reason),
      replaced: carbon(row.replaced),
    };
  });
  return {
    block,
    certificates: listed,
    implementers,
    authorizations: await readAuthorizations(ask, indexes, {
      isFirstPage: asked.certificateId === undefined && asked.after === 0,
      now: timestamp,
    }),
    revokedClaims: asked.after === 0 ? await readRevokedClaims(ask, asked.certificateId) : [],
    last: found.length > rows.length ? (indexes.at(-1) ?? null) : null,
  };
}
