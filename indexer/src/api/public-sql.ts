import { settingsFrom } from "../../lib/settings.ts";
import { checkStatement, type PublicNames, type Violation } from "../../reader/check-statement.ts";
import { type Answer, StatementError } from "../../reader/reader.ts";
import { type PublicTable, publicReader, publicTables } from "./public-reader.ts";

/**
 * Rules of anonymous SQL: its parse tree must be one SELECT over the public tables, priced by the planner and then run by a
 * reader that has no other rights. No part of it reaches a database before its tree is checked.
 */

const { databaseUrl, statementMs = 10_000 } = settingsFrom(process.env);
/** Planner's cost units: about a second on the embedded database. */
const highestCost = databaseUrl === undefined ? 100_000 : 250_000;
export const mostRows = 20_000;
/** A live query runs again at every block. */
const highestLiveCost = 5_000;

export type Statement = { text: string; parameters: unknown[] };
export type Refusal = { violations: Violation[] };

/** The public tables, read once: a schema never changes while its indexer runs. */
let tables: Promise<PublicTable[]> | undefined;
export function knownTables(): Promise<PublicTable[]> {
  tables ??= publicTables().catch((error: unknown) => {
    tables = undefined;
    throw error;
  });
  return tables;
}

async function publicNames(): Promise<PublicNames> {
  const known = await knownTables();
  return {
    tables: new Set(known.map(({ name }) => name)),
    columns: new Set(known.flatMap(({ columns }) => columns.map(({ name }) => name))),
  };
}

/** List every rule that a statement violates; empty when it may run. */
export async function violationsOf({ text, parameters }: Statement, isLive: boolean): Promise<Violation[]> {
  const violations = checkStatement(text, parameters.length, await publicNames());
  if (parameters.some((value) => !["string", "number", "boolean"].includes(typeof value) && value !== null)) {
    violations.push({ rule: "parameter", message: "A parameter is a text, a number, true, false or null." });
  }
  if (parameters.some((value) => typeof value === "string" && (value.includes("\0") || !value.isWellFormed()))) {
    violations.push({ rule: "parameter", message: "A parameter is not well-formed text." });
  }
  if (violations.length > 0) return violations;
  return priceOf({ text, parameters }, isLive ? highestLiveCost : highestCost);
}

type Plan = { "Total Cost": number; "Plan Rows": number };

/** List what the planner estimates as too expensive. */
async function priceOf({ text, parameters }: Statement, highest: number): Promise<Violation[]> {
  try {
    const reader = await publicReader();
    const { rows } = await reader.ask({
      text: `explain (format json) ${text}`,
      parameters,
      milliseconds: statementMs,
    });
    const [first] = rows as { "QUERY PLAN": [{ Plan: Plan }] }[];
    const plan = first?.["QUERY PLAN"][0].Plan;
    if (plan === undefined) return [{ rule: "price", message: "The statement has no plan." }];
    const violations: Violation[] = [];
    if (plan["Total Cost"] > highest) {
      const message = "The statement would take too long: narrow it down with WHERE or LIMIT.";
      violations.push({ rule: "price", message });
    }
    if (plan["Plan Rows"] > mostRows) violations.push({ rule: "rows", message: tooManyRows });
    return violations;
  } catch (error) {
    return [asViolation(error)];
  }
}

const tooManyRows = `The statement could return more than ${mostRows} rows: give it a LIMIT.`;

/** @throws errors that the statement did not cause */
function asViolation(error: unknown): Violation {
  if (error instanceof StatementError) return { rule: "statement", message: error.message };
  throw error;
}

/** Run a checked statement, or explain its error. */
export async function runStatement({ text, parameters }: Statement): Promise<Answer | Refusal> {
  try {
    const reader = await publicReader();
    const answer = await reader.ask({ text, parameters, milliseconds: statementMs });
    // The planner's row count is only an estimate.
    if (answer.rows.length > mostRows) return { violations: [{ rule: "rows", message: tooManyRows }] };
    return answer;
  } catch (error) {
    return { violations: [asViolation(error)] };
  }
}
