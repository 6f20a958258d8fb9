import type { Config } from "./config.ts";
import { type Database, openDatabase } from "./db/client.ts";
import type { Log } from "./log.ts";

/** Real time, for what concerns keys, tokens and records. Rules of the scheme use chain time instead. */
export type Clock = { now: () => Date };

/** Everything that a request may need, made once by openDeps and handed in: no singletons. Each feature adds its field. */
export type Deps = {
  config: Config;
  log: Log;
  clock: Clock;
  db: Database;
};

export type OpenDeps = { deps: Deps; close: () => Promise<void> };

/** Open everything in order; `close` closes it in the opposite order. What opens before a failure is closed again. */
export async function openDeps(config: Config, log: Log): Promise<OpenDeps> {
  const closers: (() => Promise<void>)[] = [];
  const close = async () => {
    for (const each of closers.reverse()) await each();
  };
  try {
    const clock: Clock = { now: () => new Date() };
    const database = await openDatabase(config, log);
    closers.push(database.close);
    return { deps: { config, log, clock, db: database.db }, close };
  } catch (error) {
    await close();
    throw error;
  }
}
