import { sql } from "ponder";
import { carbonMove, type itmoLot } from "../schema/carbon.ts";
import { larger, smaller } from "./bigints.ts";

/** Micro-CARBON of one ITMO, a tonne. */
export const tonne = 1_000_000_000n;

type Lot = typeof itmoLot.$inferInsert;
type Statement = ReturnType<typeof sql.raw>;
type Queries = { execute(query: Statement): Promise<unknown> };

/** What a finalised conversion has of a certificate. `firstId`: the conversion's first serial. Amounts are micro-CARBON. */
export type TakenLot = {
  conversionIndex: number;
  firstId: bigint;
  certificateIndex: number;
  /** Where it begins in the conversion's CARBON. */
  offset: bigint;
  amount: bigint;
  /** What of the certificate had become ITMOs before. */
  certificateOffset: bigint;
};

/** Releases that one query reads. */
const standardPage = 10_000;

/** Releases of a certificate that overlap an interval of what was released of it, in order. */
const releasesWithin = (certificate: number, from: bigint, to: bigint, most: number): Statement => sql`
  select m.certificate_offset::text as start, m.amount::text as amount, m.sequence::text as sequence,
    m.redemption::text as redemption, m.voucher::text as voucher
  from ${carbonMove} m
  where m.certificate = ${certificate} and m.certificate_offset < ${to.toString()}::numeric and m.certificate_offset >= (
    select max(b.certificate_offset) from ${carbonMove} b
    where b.certificate = ${certificate} and b.certificate_offset <= ${from.toString()}::numeric)
  order by m.certificate_offset limit ${sql.raw(String(most))}`;

type Release = { start: string; amount: string; sequence: string; redemption: string | null; voucher: string | null };

/**
 * Yield the releases behind what a conversion has of a certificate, page by page: of a certificate, what was released first becomes
 * ITMOs first.
 * @throws Error if less was released: the chain lets a conversion take no more
 */
export async function* releasesBehind(db: Queries, lot: TakenLot, page = standardPage): AsyncGenerator<Lot[]> {
  const end = lot.certificateOffset + lot.amount;
  for (let from = lot.certificateOffset; from < end; ) {
    const found = (await db.execute(releasesWithin(lot.certificateIndex, from, end, page))) as Release[];
    const rows = found.map((release) => placed(lot, release));
    yield rows;
    const last = found.at(-1);
    const reached = last === undefined ? from : smaller(BigInt(last.start) + BigInt(last.amount), end);
    if (reached === from) throw new Error(`Certificate ${lot.certificateIndex} has released only ${from} micro-CARBON`);
    from = reached;
  }
}

const big = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

function placed(lot: TakenLot, release: Release): Lot {
  const { conversionIndex, firstId, certificateIndex, certificateOffset } = lot;
  const start = BigInt(release.start);
  const from = larger(start, certificateOffset);
  const to = smaller(start + BigInt(release.amount), certificateOffset + lot.amount);
  const offset = lot.offset + from - certificateOffset;
  return {
    conversionIndex,
    offset,
    amount: to - from,
    firstSerial: firstId + offset / tonne,
    lastSerial: firstId + (offset + to - from - 1n) / tonne,
    certificateIndex,
    redemptionId: big(release.redemption),
    voucherId: big(release.voucher),
    releaseSequence: BigInt(release.sequence),
  };
}
