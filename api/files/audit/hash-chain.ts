import { eq } from "drizzle-orm";
import type { Transaction } from "../../platform/db/index.ts";
import { newId } from "../../platform/new-id.ts";
import { namespaces } from "../records/tables.ts";
import type { FileEvent } from "./event.ts";
import { eventFormat, hashEvent } from "./event-hash.ts";
import { type FileEventRow, fileEvents } from "./tables.ts";

/** The end of a namespace's chain: sequence and hash of the last event; 0 and null before the first. */
export type ChainTail = { sequence: number; head: Uint8Array | null };

/** The rows that append the events to a tail, and the new tail. Pure except for the ids. */
export function linkEvents(tail: ChainTail, events: readonly FileEvent[], at: Date) {
  let { sequence, head } = tail;
  const rows = events.map((event): FileEventRow => {
    const { kind, namespace, actor, invoker, tokenCid, agent } = event;
    sequence += 1;
    const row = {
      namespace,
      sequence,
      id: newId(at),
      at,
      kind,
      actor,
      invoker,
      tokenCid,
      format: eventFormat,
      fileId: event.fileId ?? null,
      version: event.version ?? null,
      runId: agent?.runId ?? null,
      toolCallId: agent?.toolCallId ?? null,
      cidHmac: event.cidHmac ?? null,
    };
    head = hashEvent(head, row);
    return { ...row, hash: head };
  });
  return { rows, tail: { sequence, head } satisfies ChainTail };
}

/** Insert events after a tail. The caller holds the namespace's row locked, and writes the returned tail to it. */
export async function appendEvents(
  tx: Transaction,
  tail: ChainTail,
  events: readonly FileEvent[],
  at: Date,
): Promise<ChainTail> {
  const linked = linkEvents(tail, events, at);
  // A statement carries at most 65 535 parameters.
  for (let from = 0; from < linked.rows.length; from += 1000) {
    await tx.insert(fileEvents).values(linked.rows.slice(from, from + 1000));
  }
  return linked.tail;
}

/** Lock the namespace's row, creating it if needed, and read its chain's tail. */
export async function lockTail(tx: Transaction, namespace: string): Promise<ChainTail> {
  const find = () =>
    tx
      .select({ sequence: namespaces.auditSequence, head: namespaces.auditHead })
      .from(namespaces)
      .where(eq(namespaces.namespace, namespace))
      .for("update");
  const [known] = await find();
  if (known !== undefined) return known;
  await tx.insert(namespaces).values({ namespace }).onConflictDoNothing();
  const [made] = await find();
  if (made === undefined) throw new Error("A namespace's row is gone while it is locked.");
  return made;
}

export async function writeTail(tx: Transaction, namespace: string, tail: ChainTail): Promise<void> {
  const { sequence, head } = tail;
  await tx
    .update(namespaces)
    .set({ auditSequence: sequence, auditHead: head })
    .where(eq(namespaces.namespace, namespace));
}
