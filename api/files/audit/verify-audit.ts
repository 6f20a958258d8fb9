import { and, asc, gt, or, sql } from "drizzle-orm";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/db/index.ts";
import { namespaces } from "../records/tables.ts";
import type { AuditFault, AuditReport } from "./audit-report.ts";
import { hashEvent } from "./event-hash.ts";
import { type FileEventRow, fileEvents } from "./tables.ts";
import { type RootReader, verifyRoots } from "./verify-roots.ts";

export type VerifyOptions = {
  db: Database;
  clock: Clock;
  schemeKey: string;
  /** Reads anchored roots; undefined where no chain is configured. */
  chain: RootReader | undefined;
  signal?: AbortSignal | undefined;
};

const pageSize = 2000;

/**
 * Recompute every chain of events and every daily root, and compare the roots with those on chain. It only reads, so the service
 * may keep running: each chain is compared with its tail at the start of the run.
 */
export async function verifyAudit({ db, clock, schemeKey, chain, signal }: VerifyOptions): Promise<AuditReport> {
  const chains = await verifyChains(db, signal);
  const { faults, ...roots } = await verifyRoots({ db, clock, schemeKey, chain });
  const guard = await missingGuards(db);
  return { ...chains, roots, faults: [...chains.faults, ...faults, ...guard] };
}

type Tail = { sequence: number; head: Uint8Array | null };

async function verifyChains(db: Database, signal: AbortSignal | undefined) {
  const rows = await db
    .select({ namespace: namespaces.namespace, sequence: namespaces.auditSequence, head: namespaces.auditHead })
    .from(namespaces);
  const tails = new Map<string, Tail>(rows.map(({ namespace, ...tail }) => [namespace, tail]));
  const faults: AuditFault[] = [];
  let events = 0;
  let walk: ChainWalk | undefined;
  for await (const event of eventsInOrder(db)) {
    signal?.throwIfAborted();
    if (walk?.namespace !== event.namespace) {
      faults.push(...(walk?.end() ?? []));
      walk = new ChainWalk(event.namespace, tails.get(event.namespace));
      tails.delete(event.namespace);
    }
    walk.take(event);
    events += 1;
  }
  faults.push(...(walk?.end() ?? []));
  for (const [namespace, { sequence }] of tails) {
    if (sequence > 0) faults.push({ namespace, sequence: 1, problem: `all ${sequence} events are missing` });
  }
  return { namespaces: rows.length, events, faults };
}

/** Verifies one namespace's chain. Events after the first fault prove nothing and are ignored. */
class ChainWalk {
  readonly namespace: string;
  readonly #tail: Tail | undefined;
  #sequence = 0;
  #head: Uint8Array | null = null;
  #fault: AuditFault | undefined;

  constructor(namespace: string, tail: Tail | undefined) {
    this.namespace = namespace;
    this.#tail = tail;
    if (tail === undefined) this.#fault = { namespace, problem: "the namespace of the events is missing" };
  }

  take(event: FileEventRow): void {
    if (this.#fault !== undefined) return;
    const problem = this.#problemOf(event);
    const { namespace, sequence, id: eventId } = event;
    if (problem !== undefined) this.#fault = { namespace, sequence, eventId, problem };
    this.#sequence = sequence;
    this.#head = event.hash;
  }

  end(): AuditFault[] {
    const expected = this.#tail?.sequence ?? 0;
    if (this.#fault === undefined && this.#sequence < expected) {
      const problem = `the last ${expected - this.#sequence} events are missing`;
      this.#fault = { namespace: this.namespace, sequence: this.#sequence + 1, problem };
    }
    return this.#fault === undefined ? [] : [this.#fault];
  }

  #problemOf(event: FileEventRow): string | undefined {
    if (event.sequence !== this.#sequence + 1)
      return `it follows event ${this.#sequence}: the events in between are missing`;
    if (event.format !== 1) return `its format ${event.format} is unknown`;
    if (!isEqual(hashEvent(this.#head, event), event.hash))
      return "its hash does not match its content and the previous event";
    const isTail = event.sequence === this.#tail?.sequence;
    if (isTail && !isEqual(event.hash, this.#tail?.head ?? null))
      return "it is not the last event that its namespace records";
    return undefined;
  }
}

async function* eventsInOrder(db: Database): AsyncGenerator<FileEventRow> {
  let last: FileEventRow | undefined;
  for (;;) {
    const after =
      last &&
      or(
        gt(fileEvents.namespace, last.namespace),
        and(sql`${fileEvents.namespace} = ${last.namespace}`, gt(fileEvents.sequence, last.sequence)),
      );
    const ordered = db.select().from(fileEvents).where(after);
    const page = await ordered.orderBy(asc(fileEvents.namespace), asc(fileEvents.sequence)).limit(pageSize);
    yield* page;
    last = page.at(-1);
    if (page.length < pageSize) return;
  }
}

/** The database triggers that refuse changes must exist and be enabled. */
async function missingGuards(db: Database): Promise<AuditFault[]> {
  const wanted = ["file_events_append_only", "file_audit_leaves_append_only"];
  const { rows } = await db.execute<{ tgname: string }>(
    sql`select tgname from pg_trigger where tgenabled <> 'D' and tgname like '%_append_only'`,
  );
  return wanted
    .filter((name) => !rows.some((row) => row.tgname === name))
    .map((name) => ({ problem: `the database's guard ${name} is missing or switched off` }));
}

function isEqual(a: Uint8Array, b: Uint8Array | null): boolean {
  return b !== null && Buffer.compare(a, b) === 0;
}
