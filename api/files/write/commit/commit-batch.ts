import { DrizzleQueryError, sql } from "drizzle-orm";
import type { Database, Transaction } from "../../../platform/db/index.ts";
import { ancestorsOf } from "../../../platform/ucan/index.ts";
import type { FileEvent } from "../../audit/event.ts";
import { linkEvents } from "../../audit/hash-chain.ts";
import { lockNamespaces } from "../../records/namespace-lock.ts";
import { saveWords } from "../../search/word-index.ts";
import type { FileStep } from "../../steps.ts";
import type { CommitOrder, FolderMarks, Verdict } from "./commit-order.ts";
import { type BatchState, type HeadState, OrderCheck, pathKey } from "./order-check.ts";
import { type Accepted, orderRow, writeRows } from "./write-rows.ts";

export type CommitDeps = { db: Database; step?: ((name: FileStep) => void | Promise<void>) | undefined };

/** Thrown when it is unknown whether the transaction was committed. */
export class UnknownOutcomeError extends Error {
  constructor(cause: unknown) {
    super("The database did not say whether the change was committed.", { cause });
    this.name = "UnknownOutcomeError";
  }
}

/**
 * Commit a batch of orders in one transaction. Each is checked independently; a refused one changes nothing and leaves no audit
 * event.
 * @throws UnknownOutcomeError when the commit itself failed; after any other error nothing is changed
 */
export async function commitBatch(deps: CommitDeps, orders: readonly CommitOrder[]): Promise<Verdict[]> {
  let decided = false;
  try {
    return await deps.db.transaction(async (tx) => {
      const verdicts = await applyOrders(deps, tx, orders);
      decided = true;
      return verdicts;
    });
  } catch (thrown) {
    const error = withoutParameters(thrown);
    throw decided ? new UnknownOutcomeError(error) : error;
  }
}

/** Drizzle's message of a failed query lists its parameters, which must not be logged. The database's error is in `cause`. */
function withoutParameters(error: unknown): unknown {
  return error instanceof DrizzleQueryError ? (error.cause ?? new Error("A query failed.")) : error;
}

async function applyOrders(deps: CommitDeps, tx: Transaction, orders: readonly CommitOrder[]): Promise<Verdict[]> {
  const locked = await lockNamespaces(
    tx,
    orders.map(({ namespace }) => namespace),
  );
  await deps.step?.("write-locked");
  const check = new OrderCheck({ namespaces: locked, ...(await readState(tx, orders)) });
  const verdicts = orders.map((order) => check.check(order));
  const done = orders.flatMap((order, i) => {
    const verdict = verdicts[i];
    return verdict?.outcome === "done" ? [{ order, version: verdict.version, retained: verdict.retained }] : [];
  });
  if (done.length === 0) return verdicts;
  const events = Map.groupBy(
    done.map(({ order, version }): FileEvent => ({ ...order.event, version })),
    ({ namespace }) => namespace,
  );
  const changes = [...locked.values()].flatMap((row) => {
    const usage = check.usage.get(row.namespace);
    if (usage === undefined) return [];
    const at = done.findLast(({ order }) => order.namespace === row.namespace)?.order.at ?? new Date();
    const tail = { sequence: row.auditSequence, head: row.auditHead };
    return [{ namespace: row.namespace, usage, ...linkEvents(tail, events.get(row.namespace) ?? [], at) }];
  });
  const reservations = done.flatMap(({ order }) => order.reservations);
  await writeRows(tx, { rows: done.map(orderRow), changes, reservations });
  await saveWords(tx, done.filter(hasWords).map(wordsRow));
  await deps.step?.("write-changed");
  return verdicts;
}

/** A new file without words needs no statement, because it has no old words to remove. */
const hasWords = ({ order }: Accepted) => order.kind === "replace" || order.words !== null;
const wordsRow = ({ order: { fileId, keyGroup, words } }: Accepted) => ({ fileId, groupId: keyGroup, words });

type StateRow = {
  heads: [id: string, version: number, retained: number, blob: string][];
  taken: [namespace: string, path: string][];
  secrets: Record<string, string>;
  marks: [hidden: boolean, open: boolean][];
  reservations: Record<string, number>;
};

/**
 * One statement, so that its snapshot begins after the lock: nothing that it reads can change before the commit. Each path has its own
 * subquery, and trashed files are left out after they are found. The embedded database keeps no statistics: it would read the whole
 * table for a join, and a whole index for the condition that a file is not trashed.
 */
export async function readState(
  tx: Pick<Transaction, "execute">,
  orders: readonly CommitOrder[],
): Promise<Omit<BatchState, "namespaces">> {
  const ids = JSON.stringify(orders.filter(({ kind }) => kind === "replace").map(({ fileId }) => fileId));
  const groups = JSON.stringify([...new Set(orders.map(({ keyGroup }) => keyGroup))]);
  const above = orders.map(({ namespace, path }, at) => ({ at, namespace, above: ancestorsOf(path) }));
  const reservations = JSON.stringify(orders.flatMap(({ reservations: ids }) => ids));
  const places = orders.flatMap((order) => (order.kind === "create" ? [[order.namespace, order.path]] : []));
  const { rows } = await tx.execute<StateRow>(sql`
    select
      (select coalesce(jsonb_agg(jsonb_build_array(id, version, retained, blob)) filter (where trashed_at is null), '[]')
        from files where id = any(array(select jsonb_array_elements_text(${ids}::jsonb)))) as heads,
      (select coalesce(jsonb_agg(jsonb_build_array(place->>0, place->>1)), '[]')
        from jsonb_array_elements(${JSON.stringify(places)}::jsonb) place
        where (select files.id from files where files.namespace = place->>0 and files.path = place->>1
          and files.trashed_at is null) is not null) as taken,
      (select coalesce(jsonb_object_agg(id, secret_id), '{}') from file_key_groups
        where id = any(array(select jsonb_array_elements_text(${groups}::jsonb)))) as secrets,
      (select jsonb_agg(jsonb_build_array(coalesce(marks.hidden, false), coalesce(marks.public, false)) order by given.at)
        from jsonb_to_recordset(${JSON.stringify(above)}::jsonb) as given(at int, namespace text, above text[])
        cross join lateral (select bool_or(flag.hidden) as hidden, bool_or(flag.public) as public from folder_flags flag
          where flag.namespace = given.namespace and flag.path = any(given.above)) marks) as marks,
      (select coalesce(jsonb_object_agg(id, bytes), '{}') from file_reservations
        where id = any(array(select jsonb_array_elements_text(${reservations}::jsonb)))) as reservations`);
  const state = rows[0] ?? { heads: [], taken: [], secrets: {}, marks: [], reservations: {} };
  return {
    heads: new Map(
      state.heads.map(([id, version, retained, blob]): [string, HeadState] => [id, { version, retained, blob }]),
    ),
    taken: new Set(state.taken.map(([namespace, path]) => pathKey(namespace, path))),
    secrets: new Map(Object.entries(state.secrets)),
    marks: new Map(
      orders.map(({ namespace, path }, at): [string, FolderMarks] => {
        const [folderHidden = false, folderPublic = false] = state.marks[at] ?? [];
        return [pathKey(namespace, path), { folderHidden, folderPublic }];
      }),
    ),
    reservations: new Map(Object.entries(state.reservations)),
  };
}
