import { and, eq, gt, ne, not, type SQL, sql } from "drizzle-orm";
import type { Database } from "../db/index.ts";
import { type SealingKeys, sealingKeyId } from "../secret-box.ts";
import { knownIdsOf } from "./key-files.ts";
import { sealingProcesses } from "./tables.ts";

export type SealingPace = {
  /** How often a process tells the others that it runs, in milliseconds. */
  everyMs: number;
  /** After what time without it a process counts as ended, in milliseconds. */
  endedAfterMs: number;
};
export const defaultPace: SealingPace = { everyMs: 15_000, endedAfterMs: 60_000 };

/** The API processes on this database that run, by what they told. Times are the database's. */
export class SealingProcesses {
  readonly pace: SealingPace;
  readonly #db: Database;
  readonly #isRunning: SQL;

  constructor(db: Database, pace: SealingPace = defaultPace) {
    this.#db = db;
    this.pace = pace;
    this.#isRunning = gt(sealingProcesses.seenAt, sql`now() - make_interval(secs => ${pace.endedAfterMs / 1000})`);
  }

  /** Tell the others with which keys a process seals and opens. */
  async note(id: string, keys: SealingKeys): Promise<void> {
    const row = { keyId: sealingKeyId(keys.current), knownKeyIds: knownIdsOf(keys), seenAt: sql`now()` };
    await this.#db
      .insert(sealingProcesses)
      .values({ id, ...row })
      .onConflictDoUpdate({ target: sealingProcesses.id, set: row });
  }

  async forget(id: string): Promise<void> {
    await this.#db.delete(sealingProcesses).where(eq(sealingProcesses.id, id));
  }

  /** Delete the rows of processes that ended without deleting theirs. */
  async forgetEnded(): Promise<void> {
    await this.#db.delete(sealingProcesses).where(not(this.#isRunning));
  }

  /** Count those that cannot open what a key seals. */
  countWithout(keyId: string): Promise<number> {
    return this.#count(sql`not ${keyId} = any(${sealingProcesses.knownKeyIds})`);
  }

  /** Count those that seal with a key. */
  countWith(keyId: string): Promise<number> {
    return this.#count(eq(sealingProcesses.keyId, keyId));
  }

  /** Count those that seal with another key. */
  countWithOthers(keyId: string): Promise<number> {
    return this.#count(ne(sealingProcesses.keyId, keyId));
  }

  async #count(condition: SQL): Promise<number> {
    return await this.#db.$count(sealingProcesses, and(this.#isRunning, condition));
  }
}
