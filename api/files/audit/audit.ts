import type { Clock } from "../../platform/clock.ts";
import type { Database, Transaction } from "../../platform/db/index.ts";
import type { Log } from "../../platform/log.ts";
import type { FileEvent } from "./event.ts";
import { appendEvents, type ChainTail, lockTail, writeTail } from "./hash-chain.ts";
import { ReadEvents } from "./read-events.ts";

export type AuditOptions = {
  db: Database;
  clock: Clock;
  log: Log;
  /** Share of reads that leave an event, 0–1. */
  readSample: number;
};

/** Records the file store's audit events, each in the transaction of the change that it describes. */
export class Audit {
  readonly #options: AuditOptions;
  readonly #reads: ReadEvents;

  constructor(options: AuditOptions) {
    this.#options = options;
    this.#reads = new ReadEvents({ ...options, record: (events) => this.#recordAlone(events) });
  }

  /** Lock the events' namespaces, append the events to their chains and update the tails. One insert per namespace. */
  async record(tx: Transaction, events: readonly FileEvent[]): Promise<void> {
    // Every writer locks in the same order, so that two never deadlock.
    for (const [namespace, own] of [...Map.groupBy(events, (event) => event.namespace)].sort(byName)) {
      const tail = await lockTail(tx, namespace);
      await writeTail(tx, namespace, await this.append(tx, tail, own));
    }
  }

  /**
   * Add events of one namespace whose row the caller has locked and read.
   * @returns the tail that the caller must write into that row (`audit_sequence`, `audit_head`) in the same transaction
   */
  append(tx: Transaction, tail: ChainTail, events: readonly FileEvent[]): Promise<ChainTail> {
    return appendEvents(tx, tail, events, this.#options.clock.now());
  }

  /**
   * Record a read, outside any transaction: `read` events are sampled by AUDIT_READ_SAMPLE, `public.read` at most one per file,
   * version and minute.
   */
  recordRead(event: FileEvent & { kind: "read" | "public.read" }): void {
    this.#reads.note(event);
  }

  /** Write the buffered reads. */
  flush(): Promise<void> {
    return this.#reads.flush();
  }

  async close(): Promise<void> {
    await this.#reads.close();
  }

  #recordAlone(events: readonly FileEvent[]): Promise<void> {
    return this.#options.db.transaction((tx) => this.record(tx, events));
  }
}

function byName([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
