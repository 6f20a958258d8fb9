type Client = { query(text: string): Promise<unknown> };
type Pool = { on(event: "connect", listener: (client: Client) => void): void };

/**
 * Bound every statement of the API's read-only connections to PostgreSQL, which Ponder opens and has no setting for; its
 * own bound is 30 s.
 */
export function boundStatements(milliseconds: number): void {
  const { PONDER_DATABASE: database } = globalThis as { PONDER_DATABASE?: { driver?: { readonly?: Pool } } };
  const pool = database?.driver?.readonly;
  if (pool === undefined) throw new Error("Ponder has no read-only connections to PostgreSQL");
  pool.on("connect", (client) => {
    // A connection without the bound still has Ponder's; its failure shows with the first statement.
    client.query(`set statement_timeout = ${Math.max(1, Math.floor(milliseconds))}`).catch(() => undefined);
  });
}
