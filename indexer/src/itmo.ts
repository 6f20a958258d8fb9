import type { Context } from "ponder:registry";
import {
  approachParty,
  authorizedEntity,
  cooperativeApproach,
  eventLog,
  itmoAction,
  itmoAuthorization,
  itmoAuthorizationVersion,
  itmoBlock,
  itmoConversion,
  itmoHolding,
} from "ponder:schema";
import { codeText } from "../../wire/src/code-text.ts";
import { encodeConversionId } from "../../wire/src/ids.ts";
import { activityRow, ofItmoBlock, sequenceOf } from "../lib/activity.ts";
import { actionRow, afterAction, entitiesOf, mintedBlock, partiesOf, splitBlock } from "../lib/itmo.ts";
import { announce } from "../lib/notice.ts";
import { on } from "../lib/on.ts";
import { registrationOf } from "../lib/registration.ts";
import { setScheme } from "../lib/scheme.ts";
import { firstTransferDefinitions, itmoPurposes, wordAt } from "../schema/itmo-words.ts";

type Db = Context["db"];

on("Itmo:ApproachRegistered", async ({ event, context: { db } }) => {
  const { approach: index, registration } = event.args;
  const { approachId, firstTransferringParty, participatingParties, sectors, ...facts } = registration;
  await db.insert(cooperativeApproach).values({
    ...facts,
    index,
    cooperativeApproachId: codeText(approachId),
    firstTransferringParty: codeText(firstTransferringParty),
    sectors: [...sectors],
    sequence: sequenceOf(event),
    ...registrationOf(event),
  });
  await db.insert(approachParty).values(partiesOf(index, firstTransferringParty, participatingParties));
  await db.insert(eventLog).values(activityRow("ApproachRegistered", event, {}));
});

on("Itmo:AuthorizationRegistered", async ({ event, context: { db } }) => {
  const { authorization: index, approach: approachIndex, registration } = event.args;
  const { authorizationId, quantity, purpose, firstTransfer, date, entities, approach: _same, ...facts } = registration;
  const words = wordAt(itmoPurposes, purpose);
  if (words === null) throw new RangeError(`Authorization ${index} has no purpose`);
  const sequence = sequenceOf(event);
  const registered = registrationOf(event);
  await db.insert(itmoAuthorization).values({
    ...facts,
    index,
    authorizationId,
    approachIndex,
    authorizedDay: date,
    purpose: words,
    firstTransfer: wordAt(firstTransferDefinitions, firstTransfer),
    version: 1,
    quantity,
    committed: 0n,
    issued: 0n,
    sequence,
    ...registered,
  });
  const { registeredAt: changedAt, transactionHash } = registered;
  await db
    .insert(itmoAuthorizationVersion)
    .values({ authorizationIndex: index, version: 1, quantity, reason: "", sequence, changedAt, transactionHash });
  const named = entitiesOf(index, entities);
  if (named.length > 0) await db.insert(authorizedEntity).values(named);
  const subjects = { authorizationIndex: index };
  await db.insert(eventLog).values(activityRow("AuthorizationRegistered", event, subjects));
});

on("Itmo:AuthorizedQuantityChanged", async ({ event, context: { db } }) => {
  const { authorization: index, version, quantity, reason } = event.args;
  await db.update(itmoAuthorization, { index }).set({ version, quantity });
  const { registeredAt: changedAt, transactionHash } = registrationOf(event);
  const change = { quantity, reason, sequence: sequenceOf(event), changedAt, transactionHash };
  await db.insert(itmoAuthorizationVersion).values({ authorizationIndex: index, version, ...change });
  const subjects = { authorizationIndex: index };
  await db.insert(eventLog).values(activityRow("AuthorizedQuantityChanged", event, subjects));
});

on("Itmo:ConversionRequested", async ({ event, context: { db } }) => {
  const { conversion: index, implementer, authorization, account, amount, quantity, vintage, nonce } = event.args;
  await db.insert(itmoConversion).values({
    index,
    publicId: encodeConversionId(BigInt(index)),
    implementerIndex: implementer,
    authorizationIndex: authorization,
    account,
    amount,
    quantity,
    vintage,
    nonce,
    status: "requested",
    sequence: sequenceOf(event),
    blockNumber: event.block.number,
    requestedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  });
  const inAll = (row: { committed: bigint }) => ({ committed: row.committed + quantity });
  await db.update(itmoAuthorization, { index: authorization }).set(inAll);
  await announce(db, event, "deposit", { conversionIndex: index });
  const subjects = { conversionIndex: index, implementerIndex: implementer, authorizationIndex: authorization };
  await db.insert(eventLog).values(activityRow("ConversionRequested", event, subjects));
});

type Ending = Parameters<typeof sequenceOf>[0] & Parameters<typeof registrationOf>[0];

const endOf = (event: Ending) => ({
  endSequence: sequenceOf(event),
  endedAt: event.block.timestamp,
  endTransactionHash: event.transaction.hash,
});

on("Itmo:OrderCancelled", async ({ event, context: { db } }) => {
  await db.insert(eventLog).values(activityRow("OrderCancelled", event, { implementerIndex: event.args.implementer }));
});

on("Itmo:ConversionFinalised", async ({ event, context: { db } }) => {
  const index = event.args.conversion;
  const row = await db.update(itmoConversion, { index }).set({ status: "finalised", ...endOf(event) });
  await db
    .update(itmoAuthorization, { index: row.authorizationIndex })
    .set(({ issued }) => ({ issued: issued + row.quantity }));
  await announce(db, event, "conversion", { conversionIndex: index });
  const { implementerIndex, authorizationIndex } = row;
  const subjects = { conversionIndex: index, implementerIndex, authorizationIndex };
  await db.insert(eventLog).values(activityRow("ConversionFinalised", event, subjects));
});

on("Itmo:ConversionReverted", async ({ event, context: { db } }) => {
  const { conversion: index, by: revertedBy, reason: revertReason } = event.args;
  const end = { status: "reverted" as const, revertedBy, revertReason, ...endOf(event) };
  const row = await db.update(itmoConversion, { index }).set(end);
  await db
    .update(itmoAuthorization, { index: row.authorizationIndex })
    .set(({ committed }) => ({ committed: committed - row.quantity }));
  await announce(db, event, "give-back", { conversionIndex: index });
  const { implementerIndex, authorizationIndex } = row;
  const subjects = { conversionIndex: index, implementerIndex, authorizationIndex };
  await db.insert(eventLog).values(activityRow("ConversionReverted", event, subjects));
});

on("Itmo:BlockMinted", async ({ event, context: { db } }) => {
  const block = mintedBlock(event);
  const { conversionIndex: index, registryId, firstId, lastId } = block;
  await db.update(itmoConversion, { index }).set({ registryId, firstId, lastId });
  await db.insert(itmoBlock).values(block);
  await hold(db, block, event.block.timestamp);
  const subjects = { ...ofItmoBlock(block.id), authorizationIndex: event.args.authorization };
  await db.insert(eventLog).values(activityRow("BlockMinted", event, subjects));
});

type Held = Pick<
  typeof itmoBlock.$inferInsert,
  "id" | "conversionIndex" | "registryId" | "firstId" | "lastId" | "party" | "heldSince"
>;

/** Begin a period in which a Party holds a block. */
async function hold(db: Db, block: Held, heldFrom: bigint): Promise<void> {
  const { id: blockId, conversionIndex, registryId, firstId, lastId, party, heldSince: since } = block;
  if (party == null || since == null) return;
  await db
    .insert(itmoHolding)
    .values({ blockId, since, conversionIndex, registryId, firstId, lastId, party, heldFrom, heldUntil: null });
}

on("Itmo:BlockSplit", async ({ event, context: { db } }) => {
  const { blockId: id, rest } = event.args;
  const block = await db.find(itmoBlock, { id });
  if (block === null) throw new Error(`Block ${id} is split and was never minted`);
  const { heldSince: since, authorizationIndex } = block;
  const split = splitBlock(block, rest, event);
  const { lastId } = await db.update(itmoBlock, { id }).set(split.left);
  await db.insert(itmoBlock).values(split.rest);
  if (since !== null) {
    const { heldFrom } = await db.update(itmoHolding, { blockId: id, since }).set({ lastId });
    await hold(db, split.rest, heldFrom);
  }
  const subjects = { ...ofItmoBlock(id), authorizationIndex };
  await db.insert(eventLog).values(activityRow("BlockSplit", event, subjects));
});

on("Itmo:ItmoAction", async ({ event, context: { db } }) => {
  const id = event.args.blockId;
  const before = await db.find(itmoBlock, { id });
  if (before === null) throw new Error(`Block ${id} moves and was never minted`);
  // Not `before` itself, which the update changes.
  const { heldSince, authorizationIndex } = before;
  const action = actionRow(event, authorizationIndex);
  await db.insert(itmoAction).values(action);
  const after = await db.update(itmoBlock, { id }).set(afterAction(action));
  if (heldSince !== null && after.heldSince !== heldSince) {
    await db.update(itmoHolding, { blockId: id, since: heldSince }).set({ heldUntil: event.block.timestamp });
    await hold(db, after, event.block.timestamp);
  }
  const subjects = { ...ofItmoBlock(id), authorizationIndex };
  await db.insert(eventLog).values(activityRow("ItmoAction", event, subjects));
});

on("Itmo:DailyCapChanged", async ({ event, context: { db } }) => {
  await setScheme(db, { itmoDailyCap: event.args.cap });
  await db.insert(eventLog).values(activityRow("DailyCapChanged", event, {}));
});
