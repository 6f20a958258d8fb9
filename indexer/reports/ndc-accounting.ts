import type { LosslessNumber } from "lossless-json";
import type { NdcAccountingReport, NdcAccountingYear, ReportProblem } from "../../wire/src/reports.ts";
import { type NdcMethod, ndcMethods } from "../schema/article-6-words.ts";
import { type Ask, big, endOf, int, type SqlRow, type Standing, text } from "./ask.ts";
import type { ChainState } from "./chain-state.ts";
import { countOnChain } from "./emissions-balance.ts";
import { exact } from "./exact.ts";
import { twoWays } from "./two-ways.ts";

type Amount = bigint | LosslessNumber;
type Report = NdcAccountingReport<Amount>;
type Year = NdcAccountingYear<Amount>;

/** Decimals of sums with recorded values: as many as a parameter can have. */
const SCALE = 18;
const whole = 10n ** BigInt(SCALE);
/** Decimals to which an average is rounded; `averageOf` is exact. */
const AVERAGE_DECIMALS = 6;
const secondsOfDay = 86_400;

type Choice = { parameterId: string; method: NdcMethod; source: string; firstYear: number; lastYear: number };
type Period = { firstYear: number; lastYear: number };
type Totals = { firstTransferred: bigint; used: bigint };

const yearOfDay = (day: unknown): number => new Date(int(day) * secondsOfDay * 1_000).getUTCFullYear();

/** Read the Party's records of its method, oldest first, leaving out unknown methods. */
async function readChoices(ask: Ask, party: string, { timestamp }: Standing): Promise<Choice[]> {
  const rows = await ask(
    `select number, unit, source, valid_from, valid_to from parameter
     where kind = 'ndc-method' and key = $1 and valid_to is not null and set_at <= $2 order by number`,
    [party, timestamp],
  );
  const isMethod = ({ unit }: SqlRow) => (ndcMethods as readonly string[]).includes(text(unit));
  return rows.filter(isMethod).map((row) => ({
    parameterId: `PRM-${int(row.number)}`,
    method: text(row.unit) as NdcMethod,
    source: text(row.source),
    firstYear: yearOfDay(row.valid_from),
    lastYear: yearOfDay(row.valid_to),
  }));
}

/** Read the newest values of a kind by year, times ten to the power of `SCALE`. */
async function readYears(ask: Ask, kind: string, party: string, { timestamp }: Standing): Promise<Map<number, bigint>> {
  const rows = await ask(
    `select key, value::text as value, decimals from parameter
     where kind = $1 and key like $2 and set_at <= $3 order by number`,
    [kind, `${party}-____`, timestamp],
  );
  const scaled = (row: SqlRow) => big(row.value) * 10n ** BigInt(SCALE - int(row.decimals));
  return new Map(rows.map((row) => [Number(text(row.key).slice(-4)), scaled(row)]));
}

/** Read the NDC period of the approaches in which the Party transfers first, otherwise of those in which it takes part. */
async function readPeriod(ask: Ask, party: string, before: bigint): Promise<Period | null> {
  const [row] = await ask(
    `select min(a.ndc_first_year) as first_year, max(a.ndc_last_year) as last_year
     from cooperative_approach a join approach_party p on p.approach = a."index"
     where p.party = $1 and a.sequence < $2 group by p.first_transferring order by p.first_transferring desc limit 1`,
    [party, before],
  );
  return row === undefined ? null : { firstYear: int(row.first_year), lastYear: int(row.last_year) };
}

async function readTotals(ask: Ask, party: string, before: bigint): Promise<Map<number, Totals>> {
  const rows = await ask(
    `select year, sum(first)::text as first, sum(used)::text as used from (
       select vintage as year, quantity as first, 0 as used from itmo_action
       where action = 'First transfer' and first_transferring_party = $1 and sequence < $2
       union all
       select ndc_year, 0, quantity from itmo_action
       where action = 'Use' and using_party = $1 and ndc_year is not null and sequence < $2
     ) as moved group by year`,
    [party, before],
  );
  return new Map(rows.map((row) => [int(row.year), { firstTransferred: big(row.first), used: big(row.used) }]));
}

/** Divide with rounding to the nearest, halves away from zero. */
function divided(numerator: bigint, denominator: bigint): bigint {
  const doubled = (numerator < 0n ? -numerator : numerator) * 2n + denominator;
  const quotient = doubled / (denominator * 2n);
  return numerator < 0n ? -quotient : quotient;
}

type Recorded = { emissions: Map<number, bigint>; levels: Map<number, bigint> };

/**
 * Compute the adjustment of each elapsed year. Source: decision 2/CMA.3, annex, paragraph 7: with a trajectory, a budget or a
 * multi-year NDC, each year's total of what was first transferred and used; with averaging, the total so far divided by the
 * elapsed years.
 */
function yearsOf(method: NdcMethod | null, period: Period, until: number, totals: Map<number, Totals>, has: Recorded) {
  const years: Year[] = [];
  let net = 0n;
  let adjustedSum: bigint | null = 0n;
  let allowed: bigint | null = 0n;
  for (let year = period.firstYear; year <= Math.min(until, period.lastYear); year += 1) {
    const { firstTransferred, used } = totals.get(year) ?? { firstTransferred: 0n, used: 0n };
    net += firstTransferred - used;
    const elapsed = year - period.firstYear + 1;
    const isAverage = method === "averaging";
    const adjustment = isAverage
      ? divided(net * 10n ** BigInt(AVERAGE_DECIMALS), BigInt(elapsed)) * 10n ** BigInt(SCALE - AVERAGE_DECIMALS)
      : (firstTransferred - used) * whole;
    const emissions = has.emissions.get(year) ?? null;
    const level = has.levels.get(year) ?? null;
    const adjusted = emissions === null || method === null ? null : emissions + adjustment;
    adjustedSum = adjustedSum === null || adjusted === null ? null : adjustedSum + adjusted;
    allowed = allowed === null || level === null ? null : allowed + level;
    const orNull = (value: bigint | null) => (value === null ? null : exact(value, SCALE));
    years.push({
      year,
      firstTransferred,
      used,
      cumulative: net,
      adjustment: method === null ? null : exact(adjustment, SCALE),
      averageOf: isAverage ? { tonnes: net, years: elapsed } : null,
      indicative: isAverage && year !== period.lastYear,
      emissions: orNull(emissions),
      adjustedEmissions: orNull(adjusted),
      level: orNull(level),
      aboveLevel: adjusted === null || level === null ? null : exact(adjusted - level, SCALE),
    });
  }
  const isCumulative = method === "trajectory" || method === "cumulative";
  const sums = isCumulative && adjustedSum !== null && allowed !== null ? { adjusted: adjustedSum, allowed } : null;
  return { years, sums };
}

function problemsOf(choices: readonly Choice[], choice: Choice | undefined, period: Period | null) {
  const problems: ReportProblem[] = [];
  const refuse = (rule: string, message: string) => void problems.push({ rule, message });
  if (choice === undefined)
    refuse("method-recorded", "The regulator has recorded no method of this Party for the year.");
  if (choice === undefined && period === null)
    refuse("party-known", "The Party takes part in no cooperative approach.");
  const overlaps = choices.filter(
    (each) =>
      choice !== undefined &&
      each.method !== choice.method &&
      each.firstYear <= choice.lastYear &&
      choice.firstYear <= each.lastYear,
  );
  for (const { parameterId, method } of overlaps) {
    const message = `${parameterId} chose ${method} for years of the same period; one method holds for the whole period.`;
    refuse("method-consistent", message);
  }
  return problems;
}

/**
 * Account for a Party's ITMOs over the years of its NDC period, tonnes CO2e, by the method that the regulator recorded. Source:
 * decision 2/CMA.3, annex, chapter III.B, paragraphs 7 and 8.
 * @param asked `year`: the last year that counts as elapsed
 */
export async function accountForNdc(
  ask: Ask,
  chain: ChainState,
  standing: Standing,
  asked: { party: string; year: number },
): Promise<Report> {
  const { party, year } = asked;
  const before = endOf(standing.block);
  const choices = await readChoices(ask, party, standing);
  const choice = choices.findLast(({ firstYear, lastYear }) => firstYear <= year && year <= lastYear);
  const period = choice ?? (await readPeriod(ask, party, before));
  const totals = await readTotals(ask, party, before);
  const has = {
    emissions: await readYears(ask, "ndc-emissions", party, standing),
    levels: await readYears(ask, "ndc-level", party, standing),
  };
  const problems = problemsOf(choices, choice, period);
  const isInside = (each: number) => period !== null && period.firstYear <= each && each <= period.lastYear;
  const outside = [...totals].filter(([each]) => !isInside(each));
  for (const [each, { firstTransferred, used }] of outside) {
    const message = `${firstTransferred} t first transferred and ${used} t used in ${each} are outside the NDC period.`;
    problems.push({ rule: "inside-ndc-period", message });
  }
  const { years, sums } =
    period === null ? { years: [], sums: null } : yearsOf(choice?.method ?? null, period, year, totals, has);
  const sumOf = (key: "firstTransferred" | "used") => years.reduce((sum, each) => sum + BigInt(`${each[key]}`), 0n);
  const last = Math.min(year, period?.lastYear ?? year);
  const onChain = await countOnChain(ask, chain, { party, firstYear: period?.firstYear ?? year, lastYear: last });
  const told = "reason" in onChain ? null : onChain;
  const first = twoWays(
    sumOf("firstTransferred"),
    told?.firstTransferred ?? null,
    "reason" in onChain ? onChain.reason : undefined,
  );
  return {
    party,
    year,
    block: standing.block,
    period: period === null ? null : { firstYear: period.firstYear, lastYear: period.lastYear },
    method: choice?.method ?? null,
    record: choice === undefined ? null : { parameterId: choice.parameterId, source: choice.source },
    years,
    total: {
      firstTransferred: first,
      used: sumOf("used"),
      net: sumOf("firstTransferred") - sumOf("used"),
      adjustedEmissions: sums === null ? null : exact(sums.adjusted, SCALE),
      level: sums === null ? null : exact(sums.allowed, SCALE),
      aboveLevel: sums === null ? null : exact(sums.adjusted - sums.allowed, SCALE),
    },
    problems,
  };
}
