import { sql } from "drizzle-orm";
import type { Database, Transaction } from "../../platform/db/client.ts";
import type { Log } from "../../platform/log.ts";
import type { FrameBlock } from "../wire/frames.ts";

/** How long frames may wait for the log, in milliseconds. */
const waitMs = 100;
/** How much may wait before turns are asked to slow down, in characters. */
const highWater = 4 * 1024 * 1024;
/** How much one statement carries at least when there is more, in characters. */
const statementSize = 1024 * 1024;

type Waiting = FrameBlock & { runId: string };

/** Writes the frames of all runs to the log together, one statement at a time. */
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

  /** Runs that have frames to hand over put themselves here; they are asked when the time has come. */
  readonly sources = new Set<{ takeUnsaved: () => Waiting | undefined }>();

  /** To be called when a source has something new. */
  wake(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.write();
    }, waitMs);
  }

  /** True when turns should wait for `write` before they say more. */
  get isBehind(): boolean {
    return this.#size > highWater;
  }

  /** Write all that waits. Does not throw: what could not be written is tried again with the next. */
  write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#writeOnce());
    return this.#writing;
  }

  /** Resolves when what is being written now is there; nothing more is begun. */
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

/** One statement for many runs. A block that is there already was written by an attempt whose answer was lost. */
export async function insertFrames(db: Database | Transaction, blocks: Waiting[]): Promise<void> {
  const rows = blocks.map(({ runId, firstSeq, lastSeq, frames }) => ({ r: runId, f: firstSeq, l: lastSeq, t: frames }));
  // A run whose session was deleted meanwhile has no place for its frames.
  await db.execute(sql`
    insert into oracle_run_frames (run_id, first_seq, last_seq, frames)
    select b.r, b.f, b.l, b.t from json_to_recordset(${JSON.stringify(rows)}::json) as b(r text, f int, l int, t text)
    where exists (select 1 from oracle_runs where id = b.r)
    on conflict do nothing`);
}
