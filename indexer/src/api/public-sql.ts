import { db } from "ponder:api";
import { sql } from "ponder";
import { settingsFrom } from "../../lib/settings.ts";

/**
 * What a stranger's SQL may do. Ponder lets through one SELECT without system tables and with few functions; but a
 * statement that runs for minutes stops the embedded database for everybody, and has no timeout there. So its plan is
 * priced first, and what could build huge values cheaply is left out.
 */

/** Planner's cost units: about a second on the embedded database; PostgreSQL ends what takes too long. */
const highestCost = settingsFrom(process.env).databaseUrl === undefined ? 100_000 : 250_000;
export const mostRows = 20_000;
/** A live query runs again at every block. */
const highestLiveCost = 5_000;

const allowed = new Set(
  (
    "count sum avg min max lower upper length trim substring cast now coalesce json_agg json_build_array row_number rank " +
    "dense_rank percent_rank cume_dist ntile lag lead first_value last_value nth_value abs ceil ceiling div floor mod " +
    "round sign in and or not values from select where over filter exists any all some as on using by then when else case " +
    "union except intersect between like ilike numeric decimal varchar char having join limit offset distinct is array " +
    "nulls end partition"
  ).split(" "),
);

const withoutLiterals = (text: string): string => text.replace(/'(?:[^']|'')*'/g, "''");

/** Why a statement is refused unseen; undefined when it may be priced. */
export function whyForbidden(text: string): string | undefined {
  if (text.length > 5_000) return "The statement is longer than 5000 characters.";
  const plain = withoutLiterals(text);
  if (/--|\/\*|\$[A-Za-z_]*\$|\bE'/i.test(plain)) return "Comments, dollar quotes and escape strings are not allowed.";
  if (plain.includes(";")) return "One statement at a time, without a semicolon.";
  if (plain.includes("||")) return "Joining text with || is not allowed.";
  if (!/^\s*(select|with)\b/i.test(plain)) return "Only SELECT is allowed.";
  for (const [, quoted, name] of plain.matchAll(/("?)([A-Za-z_][\w$]*)\1\s*\(/g)) {
    // A quoted name before a bracket is a function all the same: "repeat"(…).
    if (quoted === "" && !allowed.has((name as string).toLowerCase()) && !isCte(plain, name as string)) {
      return `The function ${name} is not allowed.`;
    }
    if (quoted !== "" && !isCte(plain, name as string)) return `The function ${name} is not allowed.`;
  }
  return undefined;
}

/** `with name (columns) as (…)` looks like a function call and is none. */
const isCte = (text: string, name: string): boolean =>
  new RegExp(`(with|,)\\s*"?${name}"?\\s*\\([^()]*\\)\\s*as\\s*\\(`, "i").test(text);

type Plan = { "Total Cost": number; "Plan Rows": number };

/** A statement with its numbered parameters ($1, …) bound. */
function bind(text: string, params: unknown[]): ReturnType<typeof sql.raw> {
  if (params.length === 0) return sql.raw(text);
  const parts = text.split(/\$(\d+)/);
  return sql.join(parts.map((part, i) => (i % 2 === 0 ? sql.raw(part) : sql`${params[Number(part) - 1]}`)));
}

/** Why a statement is too expensive, by the planner's own estimate; undefined when it may run. Throws on bad SQL. */
export async function whyExpensive(text: string, params: unknown[], isLive: boolean): Promise<string | undefined> {
  // PGlite starts with sequential scans switched off, which gives every one of them an absurd price.
  await db.execute(sql`set enable_seqscan = on`);
  const answer = await db.execute(sql.join([sql.raw("explain (format json) "), bind(text, params)]));
  const [first] = answer.rows as { "QUERY PLAN": [{ Plan: Plan }] }[];
  const plan = first?.["QUERY PLAN"][0].Plan;
  if (plan === undefined) return "The statement has no plan.";
  if (plan["Total Cost"] > (isLive ? highestLiveCost : highestCost))
    return "The statement would take too long: narrow it down with WHERE or LIMIT.";
  if (plan["Plan Rows"] > mostRows) return `The statement could give more than ${mostRows} rows: give it a LIMIT.`;
  return undefined;
}
