/** Ponder recognises an error that must not be retried only by this text. */
const lastWords = "; an answer does not exist";

/** Remove the text that was added for Ponder from a database's message. */
export const withoutLastWords = (message: string): string => message.replace(lastWords, "");

type Query = (...question: unknown[]) => unknown;
type Client = { query: Query };
type Pool = { on(event: "connect", listener: (client: Client) => void): void };

/**
 * Limit the time of every statement on the API's read-only connections to PostgreSQL, which Ponder opens without such a setting, and
 * prevent retries: within a minute Ponder would repeat a failed statement nine times, a timeout as well as `1 / 0`.
 */
export function boundStatements(milliseconds: number): void {
  const { PONDER_DATABASE: database } = globalThis as { PONDER_DATABASE?: { driver?: { readonly?: Pool } } };
  const pool = database?.driver?.readonly;
  if (pool === undefined) throw new Error("Ponder has no read-only connections to PostgreSQL");
  pool.on("connect", (client) => {
    // A connection without this limit still has Ponder's; its failure shows with the first statement.
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

/** Check by its SQLSTATE whether an error is the statement's; after a lost connection or a stopping server (08, 57P) a retry helps. */
function rejectForGood(error: Error & { code?: unknown }): never {
  const isOfStatement = typeof error.code === "string" && /^(?!08|57P)[0-9A-Z]{5}$/.test(error.code);
  if (isOfStatement && !error.message.includes("does not exist")) error.message += lastWords;
  throw error;
}
