/** Ponder knows an error that is not worth another try by words like these alone. */
const lastWords = "; an answer does not exist";

/** A database's message without what was added for Ponder. */
export const withoutLastWords = (message: string): string => message.replace(lastWords, "");

type Query = (...question: unknown[]) => unknown;
type Client = { query: Query };
type Pool = { on(event: "connect", listener: (client: Client) => void): void };

/**
 * Bound every statement of the API's read-only connections to PostgreSQL, which Ponder opens and has no setting for, and
 * have none tried again: Ponder would run what failed nine times more, within a minute, a timeout as well as `1 / 0`.
 */
export function boundStatements(milliseconds: number): void {
  const { PONDER_DATABASE: database } = globalThis as { PONDER_DATABASE?: { driver?: { readonly?: Pool } } };
  const pool = database?.driver?.readonly;
  if (pool === undefined) throw new Error("Ponder has no read-only connections to PostgreSQL");
  pool.on("connect", (client) => {
    // A connection without the bound still has Ponder's; its failure shows with the first statement.
    Promise.resolve(client.query(`set statement_timeout = ${Math.max(1, Math.floor(milliseconds))}`)).catch(
      () => undefined,
    );
    const query = client.query.bind(client);
    client.query = (...question) => {
      const answer = query(...question);
      return answer instanceof Promise ? answer.catch(rejectForGood) : answer;
    };
  });
}

/** Errors of a statement, by their SQLSTATE; a lost connection or a server that stops (08, 57P) may be tried again. */
function rejectForGood(error: Error & { code?: unknown }): never {
  const isOfStatement = typeof error.code === "string" && /^(?!08|57P)[0-9A-Z]{5}$/.test(error.code);
  if (isOfStatement && !error.message.includes("does not exist")) error.message += lastWords;
  throw error;
}
