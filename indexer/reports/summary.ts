import { LosslessNumber } from "lossless-json";
import { isoDate, isoTime } from "../../wire/src/chain-values.ts";
import type { SummaryReport } from "../../wire/src/reports.ts";
import { consentLevels } from "../schema/consent-words.ts";
import { type Ask, big, int, type SqlRow, standingColumn, standingOf, text } from "./ask.ts";
import { exact } from "./exact.ts";

type Summary = SummaryReport<LosslessNumber>;

/** Number of days that `days` covers, the block's own day included. */
const daysShown = 30;
const secondsPerDay = 86_400n;
const whole = (value: bigint) => new LosslessNumber(value.toString());
/** Micro-CARBON as CARBON (kg CO2e), and as tonnes. */
const carbon = (micro: unknown) => exact(big(micro), 6);
const tonnes = (micro: bigint) => exact(micro, 9);

/** The records by state. The columns of sums differ by noun. */
const byStatus = `
  select 'certificate' as noun, status, count(*) as n, sum(verified_reduction)::text as a, sum(issued)::text as b
    from certificate group by status
  union all select 'voucher', status, count(*), sum(value)::text, sum(remaining)::text from voucher group by status
  union all select 'redemption', status, count(*), sum(amount)::text,
      coalesce(sum(amount) filter (where refunded_to is null), 0)::text from redemption group by status
  union all select 'consent', consent, count(*), sum(amount)::text, '0' from redemption
    where refunded_to is null group by consent
  union all select 'claim', status, count(*), sum(carbon_amount)::text, '0' from claim group by status
  union all select 'conversion', status, count(*), sum(amount)::text, sum(quantity)::text
    from itmo_conversion group by status`;

/** What happened on each day from $1 on, in micro-CARBON; days are those since 1970-01-01. */
const byDay = `
  select 'issued' as kind, div(issued_at, 86400)::text as day, sum(value)::text as a from voucher
    where issued_at >= $1 group by 2
  union all select 'spent', div(redeemed_at, 86400)::text, sum(amount)::text from redemption
    where redeemed_at >= $1 and refunded_to is null group by 2
  union all select 'converted', div(ended_at, 86400)::text, sum(amount)::text from itmo_conversion
    where status = 'finalised' and ended_at >= $1 group by 2`;

/** Sum up the scheme: what was verified, issued, spent and converted, and how many records have each state. */
export async function summarise(ask: Ask): Promise<Summary> {
  // One statement, so that the states and the block belong together.
  const rows = await ask(
    `select s.*, t.standing from (select ${standingColumn}) t left join (${byStatus}) s on true order by noun, status`,
  );
  const { block, timestamp } = standingOf(rows[0]?.standing);
  const of = (noun: string) => rows.filter((row) => row.noun === noun);
  const sum = (list: SqlRow[], column: "a" | "b") => list.reduce((total, row) => total + big(row[column]), 0n);
  const today = timestamp / secondsPerDay;
  const first = today - BigInt(daysShown - 1);
  return {
    block: whole(block),
    asOf: isoTime(timestamp),
    tonnes: {
      verified: tonnes(sum(of("certificate"), "a")),
      issued: tonnes(sum(of("certificate"), "b")),
      spent: tonnes(sum(of("redemption"), "b")),
      converted: tonnes(
        sum(
          of("conversion").filter(({ status }) => status === "finalised"),
          "a",
        ),
      ),
    },
    certificates: of("certificate").map((row) => ({ ...countOf(row), verified: carbon(row.a), issued: carbon(row.b) })),
    vouchers: of("voucher").map((row) => ({ ...countOf(row), value: carbon(row.a), remaining: carbon(row.b) })),
    redemptions: of("redemption").map((row) => ({ ...countOf(row), carbon: carbon(row.a), spent: carbon(row.b) })),
    consents: consentLevels.map((level) => {
      const found = of("consent").find((row) => row.status === level);
      return { level, count: found === undefined ? 0 : int(found.n), carbon: carbon(found?.a ?? 0) };
    }),
    claims: of("claim").map((row) => ({ ...countOf(row), carbon: carbon(row.a) })),
    conversions: of("conversion").map((row) => ({ ...countOf(row), carbon: carbon(row.a), tonnes: whole(big(row.b)) })),
    days: daysOf(await ask(byDay, [first * secondsPerDay]), first),
  };
}

const countOf = (row: SqlRow) => ({ status: text(row.status), count: int(row.n) });

/** Every day of the period, those without events included. */
function daysOf(rows: SqlRow[], first: bigint): Summary["days"] {
  const amounts = new Map(rows.map((row) => [`${text(row.kind)} ${text(row.day)}`, row.a]));
  return Array.from({ length: daysShown }, (_, index) => {
    const day = first + BigInt(index);
    const of = (kind: string) => carbon(amounts.get(`${kind} ${day}`) ?? 0);
    return { date: isoDate(day), issued: of("issued"), spent: of("spent"), converted: of("converted") };
  });
}
