import { type Ask, big, type SqlRow, text } from "../ask.ts";
import type { ViewCall } from "../chain-state.ts";
import { type TwoWays, twoWays } from "../two-ways.ts";
import { type Day, type OpenChain, rangeOf, seeAt } from "./day.ts";
import { microCarbonOfTonne } from "./items.ts";

/** Movements in the day, by name: micro-CARBON, stablecoin base units, or a count. */
export type Moved = Record<string, bigint>;
/** Balances before the day's first block and after its last one. */
export type Stood = Record<string, { opening: TwoWays; closing: TwoWays }>;
export type Totals = { moved: Moved; stood: Stood };

const bigs = (row: SqlRow | undefined): Moved =>
  Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, big(value ?? 0)]));

const sumOf = (what: string, from: string, where: string) =>
  `(select coalesce(sum(${what}), 0)::text from ${from} where ${where})`;
const inDay = "sequence >= $2 and sequence < $3";

const eventsOf = (event: string) => `event = '${event}' and supplier = $1 and ${inDay}`;

const supplierMoved = `select
  (select count(*)::text from redemption where supplier = $1 and ${inDay}) as redemptions,
  ${sumOf("amount", "redemption", `supplier = $1 and ${inDay}`)} as redeemed,
  (select count(*)::text from claim where supplier = $1 and ${inDay}) as claims,
  ${sumOf("carbon_amount", "claim", `supplier = $1 and ${inDay}`)} as claimed,
  (select count(*)::text from payment where supplier = $1 and ${inDay}) as payments,
  ${sumOf("carbon_amount", "payment", `supplier = $1 and ${inDay}`)} as "carbonSettled",
  ${sumOf("set_off", "payment", `supplier = $1 and ${inDay}`)} as "carbonSetOff",
  ${sumOf("amount", "payment", `supplier = $1 and asset = 'CARBON' and ${inDay}`)} as "paidInCarbon",
  ${sumOf("amount", "payment", `supplier = $1 and asset = 'stablecoin' and ${inDay}`)} as "paidInStablecoin",
  ${sumOf("(data->>'amount')::numeric", "event_log", eventsOf("RedemptionRefunded"))} as refunded,
  (select count(*)::text from event_log where ${eventsOf("ClaimDisputed")}) as disputes,
  (select count(*)::text from event_log where ${eventsOf("DisputeResolved")} and data->>'upheld' = 'true') as "disputesUpheld",
  ${sumOf("carbon_amount", "swap", `side = 'sell' and claim is null and supplier = $1 and ${inDay}`)} as "carbonSold",
  ${sumOf("stablecoin_amount", "swap", `side = 'sell' and claim is null and supplier = $1 and ${inDay}`)} as "soldForStablecoin"`;

/** Open items, debts and balances before a position in chain order. */
const supplierStood = `select
  ${sumOf("amount", "redemption", "supplier = $1 and sequence < $2")} as redeemed,
  ${sumOf("carbon_amount", "payment", "supplier = $1 and sequence < $2")} as settled,
  ${sumOf("(data->>'amount')::numeric", "event_log", "event = 'RedemptionRefunded' and supplier = $1 and sequence < $2")} as refunded,
  (select data->>'debt' from event_log where event = 'SupplierDebtChanged' and supplier = $1 and sequence < $2
   order by sequence desc limit 1) as debt,
  ${sumOf("amount", "carbon_move", "to_account = $3 and sequence < $2")} as received,
  ${sumOf("amount", "carbon_move", "from_account = $3 and sequence < $2")} as sent`;

const paidFor = (event: string) =>
  sumOf("(data->>'amount')::numeric", "event_log", `event = '${event}' and implementer = $1 and ${inDay}`);

/** CARBON behind the units of the implementer's conversions that the invalidation buffer held, cancelled or released. */
const ofBuffer = (table: "buffer_hold" | "buffer_change", where: string) =>
  sumOf(
    `quantity * ${microCarbonOfTonne}`,
    table,
    `conversion in (select "index" from itmo_conversion where implementer = $1) and ${where}`,
  );

const implementerMoved = `select
  ${sumOf("carbon_amount", "swap", `side = 'buy' and implementer = $1 and ${inDay}`)} as "carbonBought",
  ${sumOf("stablecoin_amount", "swap", `side = 'buy' and implementer = $1 and ${inDay}`)} as "stablecoinPaid",
  ${sumOf("amount", "itmo_conversion", `implementer = $1 and ${inDay}`)} as "conversionsRequested",
  ${sumOf("amount", "itmo_conversion", `implementer = $1 and status = 'finalised' and ${inDay.replaceAll("sequence", "end_sequence")}`)} as "conversionsFinalised",
  ${sumOf("amount", "itmo_conversion", `implementer = $1 and status = 'reverted' and ${inDay.replaceAll("sequence", "end_sequence")}`)} as "conversionsReverted",
  ${ofBuffer("buffer_hold", inDay)} as "unitsBuffered",
  ${ofBuffer("buffer_change", `kind = 'cancellation' and ${inDay}`)} as "unitsCancelled",
  ${ofBuffer("buffer_change", `kind = 'release' and ${inDay}`)} as "unitsReleased",
  ${paidFor("DebtRepaid")} as "debtRepaid",
  ${paidFor("CarbonReplaced")} as "carbonReplaced"`;

const owedThen = (column: "debt" | "replacement") => `(select ${column}::text from implementer_debt
   where implementer = $1 and sequence < $2 order by sequence desc limit 1)`;

const implementerStood = `select
  ${owedThen("debt")} as debt,
  ${owedThen("replacement")} as replacement,
  ${sumOf("amount", "itmo_conversion", "implementer = $1 and sequence < $2 and (end_sequence is null or end_sequence >= $2)")} as escrow,
  ${ofBuffer("buffer_hold", "sequence < $2")} as buffered,
  ${ofBuffer("buffer_change", "sequence < $2")} as unbuffered,
  ${sumOf("amount", "carbon_move", "to_account = $3 and sequence < $2")} as received,
  ${sumOf("amount", "carbon_move", "from_account = $3 and sequence < $2")} as sent`;

export type Party = { role: "supplier" | "implementer"; index: number; account: string };

const noView = "The contracts keep no such sum.";
const outside = "Transfers of the stablecoin outside Hearth are not indexed.";

const supplierOwes = [{ contract: "claims", view: "supplierDebt" }] as const;
const implementerOwes = [
  { contract: "certificates", view: "debtOf" },
  { contract: "certificates", view: "replacementOf" },
] as const;

async function standAt(ask: Ask, chain: OpenChain, who: Party, [block, before]: [bigint | null, bigint]) {
  const isSupplier = who.role === "supplier";
  const params = [who.index, before, who.account.toLowerCase()];
  const [row] = await ask(isSupplier ? supplierStood : implementerStood, params);
  const told = bigs(row);
  const balanceOf = (contract: "carbon" | "stablecoin"): ViewCall => ({
    contract,
    view: "balanceOf",
    args: [who.account],
  });
  const owes = (isSupplier ? supplierOwes : implementerOwes).map((view) => ({ ...view, args: [who.index] }));
  const seen = await seeAt(chain, block, [balanceOf("carbon"), balanceOf("stablecoin"), ...owes]);
  const [carbon, stablecoin, owed, owedToPool] = seen.values ?? [];
  const why = seen.values === null ? seen.reason : undefined;
  const held = (told.received ?? 0n) - (told.sent ?? 0n);
  const common = {
    carbonBalance: twoWays(held, carbon ?? null, why),
    stablecoinBalance: twoWays(null, stablecoin ?? null, why === undefined ? outside : `${outside} ${why}`),
  };
  const debt = twoWays(told.debt ?? 0n, owed ?? null, why);
  if (!isSupplier) {
    const replacement = twoWays(told.replacement ?? 0n, owedToPool ?? null, why);
    const inConversion = twoWays(told.escrow ?? 0n, null, noView);
    const inBuffer = twoWays((told.buffered ?? 0n) - (told.unbuffered ?? 0n), null, noView);
    return { ...common, inConversion, inBuffer, debt, replacement };
  }
  const open = (told.redeemed ?? 0n) - (told.settled ?? 0n) - (told.refunded ?? 0n);
  return { ...common, debt, openRedemptions: twoWays(open, null, noView) };
}

/** Movements of a supplier or an implementer in a day, and the balances before and after it. */
export async function totalsOf(ask: Ask, chain: OpenChain, who: Party, day: Day): Promise<Totals> {
  const [from, before] = rangeOf(day);
  const [row] = await ask(who.role === "supplier" ? supplierMoved : implementerMoved, [who.index, from, before]);
  const opening: Record<string, TwoWays> = await standAt(ask, chain, who, [day.opening, from]);
  const closing: Record<string, TwoWays> = await standAt(ask, chain, who, [day.closing, before]);
  const stood = Object.entries(opening).map(([name, each]) => [
    name,
    { opening: each, closing: closing[name] ?? each },
  ]);
  return { moved: bigs(row), stood: Object.fromEntries(stood) as Stood };
}

/** List suppliers with events in a day, by their number, after one. */
export async function suppliersOf(
  ask: Ask,
  day: Day,
  { after, limit }: { after: bigint; limit: number },
): Promise<number[]> {
  const rows = await ask(
    `select distinct supplier from (
       select supplier from redemption where sequence >= $1 and sequence < $2
       union all select supplier from event_log where supplier is not null and sequence >= $1 and sequence < $2
       union all select supplier from payment where sequence >= $1 and sequence < $2
     ) as busy where supplier > $3::bigint order by supplier limit ${limit}`,
    [...rangeOf(day), after],
  );
  return rows.map(({ supplier }) => Number(text(supplier)));
}
