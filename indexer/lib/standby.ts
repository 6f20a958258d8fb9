import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { endWatched } from "../../scripts/parent-watchdog.ts";
import { WriterLock } from "./writer-lock.ts";

/** Exit code after which the supervisor starts the process again (sysexits.h: EX_TEMPFAIL). */
const temporaryFailure = 75;
/** Pause before the reader is started again, in milliseconds. It ends until the first writer has created the index. */
const pauseMs = 2_000;
/** How long the reader may finish open responses once the lock is free, in milliseconds. */
const readerGraceMs = 2_000;

type Standby = {
  databaseUrl: string;
  schema: string;
  /** Start a process that only answers queries. */
  serve: () => ChildProcess;
};

/** End this process when the lock is lost: another process may write from now on. */
const endOnLoss = (error: Error): never => {
  console.error(`The indexer lost its lock in PostgreSQL (${error.message}) and ends, because another may write now.`);
  process.exit(temporaryFailure);
};

/**
 * Wait until no other process writes this index. Meanwhile answer queries from what the writer has written. The lock is free again
 * when this returns: Ponder's own process takes it with `holdWriterLock`.
 */
export async function becomeWriter({ databaseUrl, schema, serve }: Standby): Promise<void> {
  const lock = await WriterLock.connect(databaseUrl, schema, endOnLoss);
  if (!(await lock.tryTake())) {
    console.log("Another process writes this index. This one answers queries, and takes over when the other ends.");
    const isFree = lock.take().then(() => true);
    let reader = serve();
    while (!(await Promise.race([isFree, once(reader, "exit").then(() => false)]))) {
      await Promise.race([isFree, sleep(pauseMs)]);
      reader = serve();
    }
    await endWatched(reader, readerGraceMs);
    console.log("The other process has ended. This one writes the index now.");
  }
  await lock.releasePonder();
  await lock.release();
}

const held = Symbol.for("hearth.indexer.writer-lock");

/**
 * Hold the lock for the rest of this process. Ponder may read its configuration again in the same process: the lock is taken once.
 * If another process was quicker, this one ends, and stands by at its next start.
 */
export async function holdWriterLock(databaseUrl: string, schema: string): Promise<void> {
  const shared = globalThis as { [held]?: Promise<void> };
  shared[held] ??= (async () => {
    const lock = await WriterLock.connect(databaseUrl, schema, endOnLoss);
    if (await lock.tryTake()) return;
    console.error("Another process began to write this index a moment ago.");
    process.exit(temporaryFailure);
  })();
  await shared[held];
}
