import type { Context } from "ponder:registry";
import { bufferChange, bufferHold, bufferTerms, eventLog, itmoBlock } from "ponder:schema";
import { activityRow, type ChainEvent, ofItmoBlock, sequenceOf } from "../lib/activity.ts";
import { on } from "../lib/on.ts";
import type { ItmoBlockStatus } from "../schema/itmo-words.ts";

type Db = Context["db"];

on("InvalidationBuffer:BufferTermsSet", async ({ event, context: { db } }) => {
  await db.insert(bufferTerms).values({
    ...event.args,
    sequence: sequenceOf(event),
    setAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  await db.insert(eventLog).values(activityRow("BufferTermsSet", event, {}));
});

on("InvalidationBuffer:UnitsBuffered", async ({ event, context: { db } }) => {
  const { conversion: conversionIndex, firstId, lastId, heldUntil } = event.args;
  const quantity = lastId - firstId + 1n;
  await db.insert(bufferHold).values({
    conversionIndex,
    firstId,
    lastId,
    quantity,
    held: quantity,
    cancelled: 0n,
    released: 0n,
    heldUntil: BigInt(heldUntil),
    sequence: sequenceOf(event),
    heldAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  await db.insert(eventLog).values(activityRow("UnitsBuffered", event, { conversionIndex }));
});

on("InvalidationBuffer:BufferedUnitsCancelled", async ({ event, context: { db } }) => {
  const { conversion: conversionIndex, certificate: certificateIndex } = event.args;
  const quantity = await recordChange(db, event, { kind: "cancellation", certificateIndex });
  await db
    .update(bufferHold, { conversionIndex })
    .set(({ held, cancelled }) => ({ held: held - quantity, cancelled: cancelled + quantity }));
  const subjects = { conversionIndex, certificateIndex };
  await db.insert(eventLog).values(activityRow("BufferedUnitsCancelled", event, subjects));
});

on("InvalidationBuffer:BufferedUnitsReleased", async ({ event, context: { db } }) => {
  const { conversion: conversionIndex } = event.args;
  const quantity = await recordChange(db, event, { kind: "release", certificateIndex: null });
  await db
    .update(bufferHold, { conversionIndex })
    .set(({ held, released }) => ({ held: held - quantity, released: released + quantity }));
  await db.insert(eventLog).values(activityRow("BufferedUnitsReleased", event, { conversionIndex }));
});

on("Itmo:BlockBuffered", async ({ event, context: { db } }) => {
  await setStatus(db, event, "buffered");
});

on("Itmo:BlockReleased", async ({ event, context: { db } }) => {
  await setStatus(db, event, "held");
});

type Change = ChainEvent & { args: { conversion: number; firstId: bigint; lastId: bigint } };

/** Add a row for a change of what is held. @returns its tonnes */
async function recordChange(
  db: Db,
  event: Change,
  of: Pick<typeof bufferChange.$inferInsert, "kind" | "certificateIndex">,
): Promise<bigint> {
  const { conversion: conversionIndex, firstId, lastId } = event.args;
  const quantity = lastId - firstId + 1n;
  await db.insert(bufferChange).values({
    ...of,
    sequence: sequenceOf(event),
    conversionIndex,
    firstId,
    lastId,
    quantity,
    changedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  return quantity;
}

/** The Party keeps the block, so that its holding continues. */
async function setStatus(
  db: Db,
  event: ChainEvent & { args: { blockId: bigint } },
  status: ItmoBlockStatus,
): Promise<void> {
  const id = event.args.blockId;
  const { authorizationIndex } = await db.update(itmoBlock, { id }).set({ status, changeSequence: sequenceOf(event) });
  const name = status === "buffered" ? "BlockBuffered" : "BlockReleased";
  await db.insert(eventLog).values(activityRow(name, event, { ...ofItmoBlock(id), authorizationIndex }));
}
