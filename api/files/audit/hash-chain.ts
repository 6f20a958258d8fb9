import { eq } from "drizzle-orm";
import type { Transaction } from "../../platform/db/client.ts";
import { newId } from "../../platform/new-id.ts";
import { namespaces } from "../records/tables.ts";
import type { FileEvent } from "./event.ts";
import { eventFormat, hashEvent } from "./event-hash.ts";
import { type FileEventRow, fileEvents } from "./tables.ts";

/** Where a namespace's chain ends: the last event's place and hash; 0 and null before the first. */
export type ChainTail = { sequence: number; head: Uint8Array | null };

/** The rows that follow a tail, in order, and the tail after them. Pure but for the ids. */
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

/** Insert the events behind a tail whose namespace row the caller holds locked, and will write with what this answers. */
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

/** Lock the namespace's row, made on its first event, and read its chain's tail. */
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
