import { sql } from "ponder";
import { zeroAddress } from "viem";
import { carbonMove, type itmoLot } from "../schema/carbon.ts";
import { smaller } from "./bigints.ts";

/** Micro-CARBON of one ITMO, a tonne. */
export const tonne = 1_000_000_000n;

type Lot = typeof itmoLot.$inferInsert;
type Statement = ReturnType<typeof sql.raw>;
type Queries = { execute(query: Statement): Promise<unknown> };

/**
 * Tonnes per query, and the most movements that it follows for them. CARBON that was split into more than 10 000 pieces per tonne
 * becomes a lot without a certificate, so nobody can make a conversion expensive.
 */
const standardBounds = { tonnes: 100n, pieces: 1_000_000 };

/**
 * Find the origin of the CARBON in an account's interval: what it received, then what the senders had received, and so on until
 * each piece is one that left escrow. Stops after a number of pieces.
 */
const piecesBehind = (account: string, from: bigint, to: bigint, most: number): Statement => sql`
  with recursive piece(at, account, lo, hi, sequence, certificate, redemption, voucher) as (
    select 0::numeric, ${account}::text, ${from.toString()}::numeric, ${to.toString()}::numeric, null::bigint,
      null::integer, null::numeric, null::numeric
    union all
    select p.at + greatest(m.to_offset - p.lo, 0), m.from_account, m.from_offset + greatest(p.lo - m.to_offset, 0),
      m.from_offset + least(p.hi - m.to_offset, m.amount), m.sequence, m.certificate, m.redemption, m.voucher
    from piece p cross join lateral (
      select c.* from ${carbonMove} c where c.to_account = p.account and c.to_offset < p.hi and c.to_offset >= coalesce(
        (select max(b.to_offset) from ${carbonMove} b where b.to_account = p.account and b.to_offset <= p.lo), 0)
    ) m
    where p.certificate is null and p.account <> ${zeroAddress}
  ), visited as (select * from piece limit ${sql.raw(String(most + 1))})
  select at::text, (hi - lo)::text as amount, sequence::text, certificate, redemption::text, voucher::text,
    (select count(*) from visited)::integer as visited
  from visited where certificate is not null or account = ${zeroAddress} order by visited.at`;

type Found = {
  at: string;
  amount: string;
  sequence: string;
  certificate: number | null;
  redemption: string | null;
  voucher: string | null;
  visited: number;
};

type Conversion = { index: number; publicId: string; amount: bigint; firstId: bigint };
type Source = Pick<Lot, "certificateIndex" | "redemptionId" | "voucherId" | "releaseSequence">;

/** Yield the lots behind a conversion that has just been burned, a window of tonnes at a time, in the conversion's order. */
export async function* lotsBehind(db: Queries, conversion: Conversion, bounds = standardBounds): AsyncGenerator<Lot[]> {
  const length = bounds.tonnes * tonne;
  for (let from = 0n; from < conversion.amount; from += length) {
    const to = smaller(from + length, conversion.amount);
    const answer = await db.execute(piecesBehind(conversion.publicId, from, to, bounds.pieces));
    const found = answer as Found[];
    const isWhole = found.length > 0 && (found[0]?.visited ?? 0) <= bounds.pieces;
    yield isWhole
      ? joined(found.map((row) => lotOf(conversion, from, row)))
      : [placed(conversion, from, to - from, unknown)];
  }
}

const unknown: Source = { certificateIndex: null, redemptionId: null, voucherId: null, releaseSequence: null };
const big = (text: string | null): bigint | null => (text === null ? null : BigInt(text));

function lotOf(conversion: Conversion, from: bigint, row: Found): Lot {
  const source =
    row.certificate === null
      ? unknown
      : {
          certificateIndex: row.certificate,
          redemptionId: big(row.redemption),
          voucherId: big(row.voucher),
          releaseSequence: big(row.sequence),
        };
  return placed(conversion, from + BigInt(row.at), BigInt(row.amount), source);
}

function placed({ index, firstId }: Conversion, offset: bigint, amount: bigint, source: Source): Lot {
  const firstSerial = firstId + offset / tonne;
  return {
    conversionIndex: index,
    offset,
    amount,
    firstSerial,
    lastSerial: firstId + (offset + amount - 1n) / tonne,
    ...source,
  };
}

/** Join neighbours of one release into one lot, because CARBON may be split and joined again. */
function joined(lots: Lot[]): Lot[] {
  const whole: Lot[] = [];
  for (const lot of lots) {
    const last = whole.at(-1);
    if (last !== undefined && last.releaseSequence === lot.releaseSequence) {
      last.amount += lot.amount;
      last.lastSerial = lot.lastSerial;
    } else whole.push(lot);
  }
  return whole;
}
