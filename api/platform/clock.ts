import { sql } from "drizzle-orm";
import type { Database } from "./db/index.ts";

/** Real time, for keys, tokens and records. Rules of the scheme use chain time instead. */
export type Clock = { now: () => Date };

/** The machine's clock. */
export const machineClock: Clock = { now: () => new Date() };

/**
 * The clock of the database that several processes share. Between two readings it continues by this process's monotonic time, so a
 * machine's clock that is set wrong, or set while the process runs, changes no session, key, limit or lease.
 */
export class DatabaseClock implements Clock {
  readonly #db: Database;
  /** The database's time, less `performance.now()`, in unix milliseconds. */
  #origin: number;

  private constructor(db: Database, origin: number) {
    this.#db = db;
    this.#origin = origin;
  }

  static async open(db: Database): Promise<DatabaseClock> {
    return new DatabaseClock(db, await readOrigin(db));
  }

  now(): Date {
    return new Date(this.#origin + performance.now());
  }

  /** Read the database's time again. */
  async adjust(): Promise<void> {
    this.#origin = await readOrigin(this.#db);
  }
}

async function readOrigin(db: Database): Promise<number> {
  const begin = performance.now();
  const { rows } = await db.execute<{ ms: string }>(
    sql`select (extract(epoch from clock_timestamp()) * 1000)::text as ms`,
  );
  return Number(rows[0]?.ms) - (begin + performance.now()) / 2;
}
