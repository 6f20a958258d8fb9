import type { CheckViolation } from "../../../wire/src/reports.ts";
import { type Ask, big, int, text } from "../ask.ts";
import { type ChainState, mostViews, type ViewCall } from "../chain-state.ts";
import type { ChainVerdict, RowCheck } from "./check.ts";

const zero = "'0x0000000000000000000000000000000000000000'";

/** Each account's balance by its moves, independent of the index's counters. */
const moved = `select account, sum(amount) as balance from (
    select to_account as account, amount from carbon_move union all select from_account, -amount from carbon_move
  ) as sides group by account`;

async function balancesOnChain(ask: Ask, chain: ChainState): Promise<ChainVerdict> {
  const { vouchers, pool } = chain.addresses;
  const [row] = await ask(
    `select (select coalesce(sum(sent - received), 0) from carbon_account where account = ${zero})::text as supply,
       (select coalesce(sum(received - sent), 0) from carbon_account where account = $1)::text as escrow,
       (select coalesce(sum(received - sent), 0) from carbon_account where account = $2)::text as pool,
       (select coalesce(sum(carbon_reserve), 0) from pool)::text as reserve,
       (select coalesce(sum(received - sent), 0) from carbon_account where account like 'CONV-%')::text as conversions`,
    [vouchers, pool],
  );
  const call = (contract: ViewCall["contract"], view: string, ...args: unknown[]) => ({ contract, view, args });
  // Amounts that must be equal, and amounts that must be covered: anyone may send CARBON to a contract, which then has more than
  // it owes.
  const calls: [string, "equal" | "covered", ViewCall][] = [
    ["supply", "equal", call("carbon", "totalSupply")],
    ["escrow", "equal", call("carbon", "balanceOf", vouchers)],
    ["pool", "equal", call("carbon", "balanceOf", pool)],
    ["reserve", "equal", call("pool", "carbonReserve")],
    ["conversions", "equal", call("itmo", "escrowed")],
    ["escrow", "covered", call("vouchers", "escrowed")],
    ["pool", "covered", call("pool", "carbonReserve")],
  ];
  const told = await chain.read(calls.map(([, , each]) => each));
  if (told.answers === null) return { violations: null, reason: told.reason };
  const violations: CheckViolation[] = [];
  for (const [i, [name, relation, { contract, view }]] of calls.entries()) {
    const [events, onChain] = [big(row?.[name]), big(told.answers[i])];
    if (relation === "equal" ? events === onChain : events >= onChain) continue;
    violations.push({ what: name, view: `${contract}.${view}`, events: `${events}`, chain: `${onChain}` });
  }
  return { violations };
}

const supply: RowCheck = {
  id: "carbon-supply",
  title:
    "CARBON minted less burned is what escrow, pool, conversions and holders have, and no account has less than nothing",
  examined: "select count(*) as n from carbon_move",
  violations: `select coalesce(a.account, m.account) as account, coalesce(m.balance, 0)::text as by_moves,
      coalesce(a.received - a.sent, 0)::text as by_account
    from (${moved}) m full join carbon_account a on a.account = m.account
    where coalesce(m.balance, 0) <> coalesce(a.received - a.sent, 0)
       or (coalesce(a.account, m.account) <> ${zero} and coalesce(m.balance, 0) < 0)`,
  chain: balancesOnChain,
};

const mintedAsIssued: RowCheck = {
  id: "carbon-minted-as-issued",
  title: "CARBON in escrow and released of a certificate is within what it verifies",
  examined: "select count(*) as n from carbon_move where kind = 'release'",
  violations: `select c.certificate_id, c.verified_reduction::text as verified, sum(m.amount)::text as released
    from carbon_move m join certificate c on c."index" = m.certificate where m.kind = 'release'
    group by c."index", c.certificate_id, c.verified_reduction having sum(m.amount) > c.verified_reduction`,
  missing: {
    count: "select count(*) as n from carbon_move where kind = 'release' and certificate is null",
    reason: "the certificate of released CARBON is not known.",
  },
};

const burnedOnce: RowCheck = {
  id: "conversion-burned-once",
  title: "A finalised conversion's CARBON was burned once and whole, and no other was",
  examined: "select count(*) as n from itmo_conversion where status = 'finalised'",
  violations: `select c.public_id, c.status, c.amount::text as amount, coalesce(b.amount, 0)::text as burned
    from itmo_conversion c
    left join (select conversion, sum(amount) as amount from carbon_move where kind = 'conversion' group by conversion) b
      on b.conversion = c."index"
    where coalesce(b.amount, 0) <> case when c.status = 'finalised' then c.amount else 0 end
       or c.amount <> c.quantity * 1000000000`,
};

const underlyingOnce: RowCheck = {
  id: "underlying-units-claimed-once",
  title: "The ITMOs of a certificate's CARBON are within what it verifies, and each conversion's sources add up to it",
  examined: "select count(*) as n from itmo_lot",
  violations: `select c.certificate_id as id, c.verified_reduction::text as most, sum(l.amount)::text as claimed
      from itmo_lot l join certificate c on c."index" = l.certificate
      group by c."index", c.certificate_id, c.verified_reduction having sum(l.amount) > c.verified_reduction
    union all
    select v.public_id, v.amount::text, coalesce(sum(l.amount), 0)::text
      from itmo_conversion v left join itmo_lot l on l.conversion = v."index"
      where v.status = 'finalised' group by v."index", v.public_id, v.amount
      having coalesce(sum(l.amount), 0) <> v.amount
    union all
    select v.public_id, l.amount::text, l.overlap::text
      from (select *, max(start_offset + amount) over (partition by conversion order by start_offset
              rows between unbounded preceding and 1 preceding) - start_offset as overlap from itmo_lot) l
      join itmo_conversion v on v."index" = l.conversion where l.overlap > 0`,
};

type LotOnChain = readonly [vintage: number, released: bigint, taken: bigint];

async function lotsOnChain(ask: Ask, chain: ChainState): Promise<ChainVerdict> {
  const rows = await ask(
    `select "index", certificate_id, vintage, released::text as released, taken::text as taken from certificate
     order by "index" limit ${mostViews + 1}`,
  );
  if (rows.length > mostViews) return { violations: null, reason: `there are more than ${mostViews} certificates.` };
  const told = await chain.read(
    rows.map((row) => ({ contract: "certificates", view: "lotOf", args: [int(row.index)] })),
  );
  if (told.answers === null) return { violations: null, reason: told.reason };
  const violations: CheckViolation[] = [];
  for (const [i, row] of rows.entries()) {
    const onChain = (told.answers[i] as LotOnChain).join(" ");
    const events = `${int(row.vintage)} ${text(row.released)} ${text(row.taken)}`;
    if (events !== onChain) violations.push({ certificate_id: text(row.certificate_id), events, chain: onChain });
  }
  return { violations };
}

/** SQL for the sum of a certificate's lots, by a condition on their conversions. */
const sumOfLots = (condition: string) => `coalesce((select sum(l.amount) from conversion_lot l
  join itmo_conversion v on v."index" = l.conversion where l.certificate = c."index" and ${condition}), 0)`;

const lotsOfVintage: RowCheck = {
  id: "lots-of-vintage",
  title:
    "Every conversion took its amount of certificates of its vintage, and of no certificate more than was paid for or swept",
  examined: "select count(*) as n from itmo_conversion",
  violations: `select v.public_id as id, v.amount::text as wanted, coalesce(sum(l.amount), 0)::text as found
      from itmo_conversion v left join conversion_lot l on l.conversion = v."index"
      group by v."index", v.public_id, v.amount having coalesce(sum(l.amount), 0) <> v.amount
    union all
    select v.public_id, v.vintage::text, c.certificate_id || ' of ' || c.vintage
      from conversion_lot l join itmo_conversion v on v."index" = l.conversion
      join certificate c on c."index" = l.certificate where c.vintage <> v.vintage
    union all
    select c.certificate_id, c.released::text, coalesce(m.amount, 0)::text
      from certificate c
      left join (select certificate, sum(amount) as amount from carbon_move where kind = 'release' group by certificate) m
        on m.certificate = c."index"
      where c.released <> coalesce(m.amount, 0) or c.released < c.taken or c.released > c.verified_reduction
    union all
    select c.certificate_id, c.taken::text, ${sumOfLots("v.status <> 'reverted'")}::text
      from certificate c where c.taken <> ${sumOfLots("v.status <> 'reverted'")}
    union all
    select c.certificate_id, c.converted::text, ${sumOfLots("v.status = 'finalised'")}::text
      from certificate c where c.converted <> ${sumOfLots("v.status = 'finalised'")}`,
  chain: lotsOnChain,
};

export const carbonChecks: RowCheck[] = [supply, mintedAsIssued, burnedOnce, underlyingOnce, lotsOfVintage];
