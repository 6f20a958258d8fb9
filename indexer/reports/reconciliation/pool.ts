import { type Ask, big } from "../ask.ts";
import type { ViewCall } from "../chain-state.ts";
import { type TwoWays, twoWays } from "../two-ways.ts";
import { type Day, type OpenChain, rangeOf, seeAt } from "./day.ts";
import type { Moved, Stood } from "./totals.ts";

const swapped = (side: "sell" | "buy", what: "carbon_amount" | "stablecoin_amount", where: string) =>
  `(select coalesce(sum(${what}), 0) from swap where side = '${side}' and ${where})`;

/** SQL for deposits minus withdrawals of a token. */
const treasury = (token: string, where: string) =>
  `(select coalesce(sum(case when event = 'ReserveReceived' then 1 else -1 end * (data->>'amount')::numeric), 0) from event_log
    where event in ('ReserveReceived', 'TreasuryWithdrawn') and lower(data->>'token') = ${token} and ${where})`;

const inDay = "sequence >= $1 and sequence < $2";

const moved = `select
  ${swapped("sell", "carbon_amount", inDay)}::text as "carbonIn", ${swapped("buy", "carbon_amount", inDay)}::text as "carbonOut",
  ${swapped("buy", "stablecoin_amount", inDay)}::text as "stablecoinIn",
  ${swapped("sell", "stablecoin_amount", inDay)}::text as "stablecoinOut",
  ${treasury("$3", inDay)}::text as "carbonTreasury", ${treasury("$4", inDay)}::text as "stablecoinTreasury"`;

const before = "sequence < $1";
const stood = `select
  (${swapped("sell", "carbon_amount", before)} - ${swapped("buy", "carbon_amount", before)} + ${treasury("$2", before)})::text as carbon,
  (${swapped("buy", "stablecoin_amount", before)} - ${swapped("sell", "stablecoin_amount", before)}
    + ${treasury("$3", before)})::text as stablecoin`;

const views: ViewCall[] = [
  { contract: "pool", view: "carbonReserve", args: [] },
  { contract: "pool", view: "stablecoinReserve", args: [] },
];

type Tokens = { carbon: string; stablecoin: string };

async function reservesAt(ask: Ask, chain: OpenChain, tokens: Tokens, at: [bigint | null, bigint]): Promise<TwoWays[]> {
  const [row] = await ask(stood, [at[1], tokens.carbon, tokens.stablecoin]);
  const seen = await seeAt(chain, at[0], views);
  const why = seen.values === null ? seen.reason : undefined;
  return ["carbon", "stablecoin"].map((name, i) => twoWays(big(row?.[name]), seen.values?.[i] ?? null, why));
}

/** Compute the pool's inflows and outflows in a day, and its reserves before and after. */
export async function reconcilePool(ask: Ask, chain: OpenChain, day: Day): Promise<{ moved: Moved; stood: Stood }> {
  const [from, until] = rangeOf(day);
  const { carbon, stablecoin } = chain(day.closing).addresses;
  const [row] = await ask(moved, [from, until, carbon, stablecoin]);
  const opening = await reservesAt(ask, chain, { carbon, stablecoin }, [day.opening, from]);
  const closing = await reservesAt(ask, chain, { carbon, stablecoin }, [day.closing, until]);
  const names = ["carbonReserve", "stablecoinReserve"];
  return {
    moved: Object.fromEntries(Object.entries(row ?? {}).map(([name, value]) => [name, big(value)])),
    stood: Object.fromEntries(names.map((name, i) => [name, { opening: opening[i], closing: closing[i] }])) as Stood,
  };
}
