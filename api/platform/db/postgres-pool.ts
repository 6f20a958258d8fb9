import pRetry from "p-retry";
import pg from "pg";
import type { Log } from "../log.ts";
import { DatabaseAwayError, isServerAway } from "./database-away.ts";

/** How long a request waits for a PostgreSQL that restarts, in milliseconds. */
const patienceMs = 15_000;

type Connected = (error: Error | undefined, client?: pg.PoolClient, release?: (error?: boolean) => void) => void;

/**
 * A connection pool that outlives a restart of PostgreSQL: new work waits for the server, and a connection that breaks while it is
 * in use fails the statement that runs, never the process.
 */
export class PostgresPool extends pg.Pool {
  constructor(options: pg.PoolConfig, log: Log | undefined) {
    super(options);
    // Without listeners, the error of a connection would end the process: of an idle one here, of one in use below.
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
      maxRetryTime: patienceMs,
      minTimeout: 50,
      maxTimeout: 500,
      shouldRetry: ({ error }) => isServerAway(error) && !this.ending,
    }).catch((error: Error) => {
      throw isServerAway(error) ? new DatabaseAwayError(error) : error;
    });
    if (connected === undefined) return client;
    client.then(
      (each) => connected(undefined, each, (error) => each.release(error)),
      (error: Error) => connected(error),
    );
    return undefined;
  }
}
