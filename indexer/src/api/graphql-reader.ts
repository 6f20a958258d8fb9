import { AsyncLocalStorage } from "node:async_hooks";
import schema from "ponder:schema";
import { drizzle } from "drizzle-orm/pg-proxy";
import { settingsFrom } from "../../lib/settings.ts";
import { mostCost, StatementError, tooSlow } from "../../reader/reader.ts";
import { publicReader } from "./public-reader.ts";

const { statementMs = 10_000 } = settingsFrom(process.env);

type Database = ReturnType<typeof drizzle>;
type Work = (database: Database) => unknown;
/** The part of Ponder's database handle that its GraphQL uses. */
type Handle = { raw: Database; wrap(label: unknown, work?: Work): unknown };

const handles = new AsyncLocalStorage<Handle>();

/**
 * Have Ponder's GraphQL, which takes its database from a global, read by the public reader within `asStranger`, and as
 * ever outside of it.
 */
export function offerPublicReader(): void {
  const { PONDER_DATABASE: database } = globalThis as { PONDER_DATABASE?: { readonlyQB?: unknown } };
  if (database?.readonlyQB === undefined) throw new Error("Ponder has no database for its GraphQL");
  const own = database.readonlyQB;
  Object.defineProperty(database, "readonlyQB", { get: () => handles.getStore() ?? own });
}

/**
 * Answer one anonymous query, within a time limit for all its statements together.
 * @throws the error of a failed statement: GraphQL's own errors would show the statement with its values
 */
export async function asStranger<T>(signal: AbortSignal, answer: () => Promise<T>): Promise<T> {
  const until = performance.now() + statementMs;
  const failures: unknown[] = [];
  const allowance = { cost: mostCost };
  const ask = async (...question: Parameters<typeof read>) => {
    try {
      return await read(...question);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  const read = async (text: string, parameters: unknown[], method: string) => {
    const milliseconds = until - performance.now();
    if (milliseconds <= 0 || signal.aborted) throw new StatementError(tooSlow(statementMs));
    const reader = await publicReader();
    return reader.ask({ text, parameters, asLists: method === "all", milliseconds, allowance });
  };
  const raw = Object.assign(drizzle(ask, { schema, casing: "snake_case" }), {
    // Ponder's query for its checkpoint, which is plain text.
    execute: (text: string) => ask(text, [], "execute"),
  }) as unknown as Database;
  const wrap = (label: unknown, work?: Work) => (work ?? (label as Work))(raw);
  const answered = await handles.run({ raw, wrap }, answer);
  if (failures.length > 0) throw failures[0];
  return answered;
}
