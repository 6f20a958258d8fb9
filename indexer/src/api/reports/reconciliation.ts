import { type Context, Hono } from "hono";
import { LosslessNumber, stringify } from "lossless-json";
import type {
  DayBalances,
  DayTotals,
  ReconciledParty,
  ReconciliationItem,
  ReconciliationParts,
  ReconciliationReport,
  TwoWays as TwoWaysOf,
} from "../../../../wire/src/reports.ts";
import { big, int, readStanding, text } from "../../../reports/ask.ts";
import { type Day, rangeOf } from "../../../reports/reconciliation/day.ts";
import { type Item, readItems } from "../../../reports/reconciliation/items.ts";
import { reconcilePool } from "../../../reports/reconciliation/pool.ts";
import { type Moved, type Party, type Stood, suppliersOf, totalsOf } from "../../../reports/reconciliation/totals.ts";
import type { TwoWays } from "../../../reports/two-ways.ts";
import { refuse } from "../errors.ts";
import { amount, time } from "../serialize.ts";
import { ask } from "./ask.ts";
import { blockBefore, chainAt } from "./chain.ts";
import { day as dayRule, type Rules, readQuery, refuseQuery } from "./parameters.ts";

const secondsPerDay = 86_400n;
const counts = new Set(["redemptions", "claims", "payments", "disputes", "disputesUpheld"]);

/** Amounts are exact JSON numbers; counts and blocks are whole. */
type Amount = LosslessNumber | bigint;
type Known = Party & { did: string; name: string };

async function findParty(role: Party["role"], did: string): Promise<Known | undefined> {
  const [row] = await ask(`select "index", did, name, account from ${role} where did = $1 limit 1`, [did]);
  return row === undefined ? undefined : partyOf(role, row);
}

const partyOf = (role: Party["role"], row: Record<string, unknown>): Known => ({
  role,
  index: int(row.index),
  did: text(row.did),
  name: text(row.name),
  account: text(row.account),
});

const present = (value: bigint | null) => (value === null ? null : amount(value));

/** Micro-units may be negative: a pool that paid more than it received. */
const signed = (value: bigint) => (value < 0n ? new LosslessNumber(`-${amount(-value)}`) : amount(value));

function serializeWays({ byEvents, byChain, agree, reason }: TwoWays): TwoWaysOf<Amount> {
  return { byEvents: present(byEvents), byChain: present(byChain), agree, ...(reason === undefined ? {} : { reason }) };
}

const serializeMoved = (moved: Moved): DayTotals<Amount> =>
  Object.fromEntries(Object.entries(moved).map(([name, value]) => [name, counts.has(name) ? value : signed(value)]));

const serializeStood = (stood: Stood): DayBalances<Amount> =>
  Object.fromEntries(
    Object.entries(stood).map(([name, { opening, closing }]) => [
      name,
      { opening: serializeWays(opening), closing: serializeWays(closing) },
    ]),
  );

const serializeItem = ({ sequence: _, at, carbon, stablecoin, ...item }: Item): ReconciliationItem<Amount> => ({
  ...item,
  carbon: present(carbon),
  stablecoin: present(stablecoin),
  timestamp: time(at),
});

async function serializeParty(who: Known, day: Day): Promise<ReconciledParty<Amount>> {
  const { moved, stood } = await totalsOf(ask, chainAt, who, day);
  return {
    did: who.did,
    name: who.name,
    account: who.account,
    totals: serializeMoved(moved),
    balances: serializeStood(stood),
  };
}

type Asked = {
  date: bigint;
  supplierDid: string | undefined;
  implementerDid: string | undefined;
  limit: number;
  cursor: bigint;
};

const cursorOf = (after: bigint): string => Buffer.from(`${after}`).toString("base64url");

const rules: Rules<Asked> = {
  date: dayRule,
  supplierDid: (given: string | undefined) => ({ value: given }),
  implementerDid: (given: string | undefined) => ({ value: given }),
  limit: (given = "50") =>
    /^\d{1,3}$/.test(given) && Number(given) >= 1 && Number(given) <= 500
      ? { value: Number(given) }
      : { rule: "range", message: "limit must be 1 to 500." },
  cursor: (given = cursorOf(-1n)) => {
    const after = Buffer.from(given, "base64url").toString();
    return /^(-1|\d{1,18})$/.test(after)
      ? { value: BigInt(after) }
      : { rule: "format", message: "cursor was not returned by this report." };
  },
};

type Page = { after: bigint; limit: number };

async function reportParty(who: Known, day: Day, page: Page): Promise<ReconciliationParts<Amount>> {
  const items = await readItems(ask, who, rangeOf(day), page);
  const last = items.at(-1);
  const nextCursor = items.length < page.limit || last === undefined ? null : cursorOf(last.sequence);
  const party = await serializeParty(who, day);
  const list = { items: items.map(serializeItem), nextCursor };
  return who.role === "supplier" ? { supplier: party, ...list } : { implementer: party, ...list };
}

async function reportDay(day: Day, page: Page): Promise<ReconciliationParts<Amount>> {
  const busy = await suppliersOf(ask, day, page);
  const rows = await ask(
    `select "index", did, name, account from supplier where "index" = any($1::integer[]) order by "index"`,
    [`{${busy.join(",")}}`],
  );
  const suppliers = [];
  for (const row of rows) suppliers.push(await serializeParty(partyOf("supplier", row), day));
  const pool = await reconcilePool(ask, chainAt, day);
  const last = busy.at(-1);
  return {
    pool: { totals: serializeMoved(pool.moved), reserves: serializeStood(pool.stood) },
    suppliers,
    nextCursor: busy.length < page.limit || last === undefined ? null : cursorOf(big(last)),
  };
}

const answer = (c: Context, body: ReconciliationReport<Amount>) =>
  c.body(stringify(body) ?? "{}", 200, { "content-type": "application/json" });

export const reconciliationRoutes = new Hono();

/** Report a UTC day: one supplier or implementer item by item, or every supplier and the pool in sums. */
reconciliationRoutes.get("/reports/reconciliation", async (c) => {
  const read = readQuery(c, rules);
  const { supplierDid, implementerDid } = c.req.query();
  if (supplierDid !== undefined && implementerDid !== undefined) {
    const message = "Give supplierDid or implementerDid, not both.";
    const details = read.ok ? [] : read.details;
    return refuseQuery(c, [...details, { path: "implementerDid", rule: "one-party", message }]);
  }
  if (!read.ok) return refuseQuery(c, read.details);
  const { date, limit, cursor } = read.query;
  const standing = await readStanding(ask);
  if (date > standing.timestamp) {
    return refuseQuery(c, [
      { path: "date", rule: "not-in-future", message: "The day has not begun by the chain's clock." },
    ]);
  }
  const role = supplierDid === undefined ? "implementer" : "supplier";
  const did = supplierDid ?? implementerDid;
  const who = did === undefined ? undefined : await findParty(role, did);
  if (did !== undefined && who === undefined) return refuse(c, "NOT_FOUND", `There is no ${role} ${did}.`);
  const closing = await blockBefore(date + secondsPerDay, standing.block);
  if (closing === null) {
    return refuseQuery(c, [{ path: "date", rule: "chain-began", message: "The chain begins after that day." }]);
  }
  const over = standing.timestamp >= date + secondsPerDay;
  const day: Day = { opening: await blockBefore(date, standing.block), closing };
  const page = { after: cursor, limit };
  const report = who === undefined ? await reportDay(day, page) : await reportParty(who, day, page);
  const blocks = { opening: day.opening, closing };
  return answer(c, { date: time(date).slice(0, 10), over, blocks, ...report });
});
