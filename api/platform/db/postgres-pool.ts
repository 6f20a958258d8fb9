import pRetry from "p-retry";
import pg from "pg";
import type { Log } from "../log.ts";
import { DatabaseUnavailableError, isServerUnavailable } from "./database-unavailable.ts";

/** How long a request waits for a PostgreSQL that restarts, in milliseconds. */
const maxWaitMs = 15_000;

type Connected = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: boolean) => void) => void;

/**
 * A connection pool that survives a restart of PostgreSQL. New work waits for the server. A connection that breaks while it is in use
 * fails its statement and does not end the process.
 */
export class PostgresPool extends pg.Pool {
  constructor(options: pg.PoolConfig, log: Log | undefined) {
    super(options);
    // An error without a listener would end the process. The pool reports idle connections, a client reports itself while in use.
    this.on("error", () => {});
    this.on("connect", (client) =>
      client.on("error", (error) => log?.warn({ err: error }, "database connection lost")),
    );
  }

  override connect(): Promise<pg.PoolClient>;
  override connect(connected: Connected): void;
  override connect(connected?: Connected): Promise<pg.PoolClient> | undefined {
    const client = pRetry(() => super.connect(), {
      retries: Number.POSITIVE_INFINITY,
      maxRetryTime: maxWaitMs,
      minTimeout: 50,
      maxTimeout: 500,
      shouldRetry: ({ error }) => isServerUnavailable(error) && !this.ending,
    }).catch((error: Error) => {
      throw isServerUnavailable(error) ? new DatabaseUnavailableError(error) : error;
    });
    if (connected === undefined) return client;
    client.then(
      (each) => connected(undefined, each, (error) => each.release(error)),
      (error: Error) => connected(error),
    );
    return undefined;
  }
}
