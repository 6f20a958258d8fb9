import { sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import type { FrameBlock } from "../wire/frames.ts";

/** How long frames may wait before they are written, in milliseconds. */
const waitMs = 100;
/** How much may wait before turns are slowed down, in characters. */
const highWater = 4 * 1024 * 1024;
/** How much one statement writes, in characters; one block more may exceed it. */
const statementSize = 1024 * 1024;

type Waiting = FrameBlock & { runId: string };

/**
 * Writes the frames of all runs to the log, many in one statement, one statement at a time. Not a BatchQueue: a run's frames are
 * joined to one block when they are written, and frames that could not be written are kept for the next write.
 */
export class FrameWriter {
  readonly #db: Database;
  readonly #log: Log;
  readonly #waiting: Waiting[] = [];
  #size = 0;
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> = Promise.resolve();

  constructor(db: Database, log: Log) {
    this.#db = db;
    this.#log = log;
  }

  /** Runs with unsaved frames. A run adds itself; its frames are taken at the next write. */
  readonly sources = new Set<{ takeUnsaved: () => Waiting | undefined }>();

  /** Call this when a source has new frames. */
  wake(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.write();
    }, waitMs);
  }

  /** True when turns should wait for `write` before they emit more. */
  get isBehind(): boolean {
    return this.#size > highWater;
  }

  /** Write everything that waits. Does not throw: frames that could not be written are written with the next ones. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeOnce());
    return this.#writing;
  }

  /** Wait for the write in progress; starts none. */
  async settle(): Promise<void> {
    await this.#writing;
  }

  async #writeOnce(): Promise<void> {
    for (const source of this.sources) {
      const block = source.takeUnsaved();
      if (block === undefined) continue;
      this.#waiting.push(block);
      this.#size += block.frames.length;
    }
    this.sources.clear();
    try {
      while (this.#waiting.length > 0) {
        const blocks = takeSome(this.#waiting);
        await insertFrames(this.#db, blocks);
        this.#waiting.splice(0, blocks.length);
        this.#size -= sizeOf(blocks);
      }
    } catch (error) {
      this.#log.error({ err: error }, "frames of runs could not be written; trying again");
      this.wake();
    }
  }
}

function takeSome(waiting: Waiting[]): Waiting[] {
  let size = 0;
  let count = 0;
  while (count < waiting.length && size < statementSize) size += waiting[count++]?.frames.length ?? 0;
  return waiting.slice(0, count);
}

function sizeOf(blocks: Waiting[]): number {
  return blocks.reduce((sum, { frames }) => sum + frames.length, 0);
}

/** Insert frames of many runs in one statement. Ignores a block that exists: an earlier attempt wrote it, and its response was lost. */
export async function insertFrames(db: Database | Transaction, blocks: Waiting[]): Promise<void> {
  const rows = blocks.map(({ runId, firstSeq, lastSeq, frames }) => ({ r: runId, f: firstSeq, l: lastSeq, t: frames }));
  // The run is gone when its session was deleted meanwhile.
  await db.execute(sql`
    insert into oracle_run_frames (run_id, first_seq, last_seq, frames)
    select b.r, b.f, b.l, b.t from json_to_recordset(${JSON.stringify(rows)}::json) as b(r text, f int, l int, t text)
    where exists (select 1 from oracle_runs where id = b.r)
    on conflict do nothing`);
}
