import { codeText } from "../../wire/src/code-text.ts";
import { encodeItmoBlockId } from "../../wire/src/ids.ts";
import { itmoUniqueId, partsOfItmoBlock } from "../../wire/src/itmo-ids.ts";
import type { approachParty, authorizedEntity, itmoAction, itmoBlock } from "../ponder.schema.ts";
import {
  type ItmoBlockStatus,
  itmoActionSubtypes,
  itmoActionTypes,
  itmoPurposes,
  wordAt,
} from "../schema/itmo-words.ts";
import { type ChainEvent, sequenceOf } from "./activity.ts";

type Hex = `0x${string}`;
type Block = typeof itmoBlock.$inferInsert;
type BlockRow = typeof itmoBlock.$inferSelect;
export type Action = typeof itmoAction.$inferInsert;

/** Units in the form of the events. */
export type Units = {
  approachId: Hex;
  authorizationId: string;
  firstTransferringParty: Hex;
  registryId: Hex;
  firstId: bigint;
  lastId: bigint;
  vintage: number;
};

export type Movement = {
  transferringParty: Hex;
  acquiringParty: Hex;
  usingParty: Hex;
  usingEntity: string;
  purpose: number;
  ndcYear: number;
  note: string;
};

/** List the Parties of an approach without duplicates. */
export function partiesOf(index: number, first: Hex, others: readonly Hex[]): (typeof approachParty.$inferInsert)[] {
  const transferring = codeText(first);
  const names = new Set([transferring, ...others.map(codeText)]);
  return [...names].map((party) => ({ approachIndex: index, party, firstTransferring: party === transferring }));
}

/** List the entities that an authorization names, in its order. */
export function entitiesOf(
  authorizationIndex: number,
  entities: readonly { name: string; country: Hex; entityId: string; implementer: number }[],
): (typeof authorizedEntity.$inferInsert)[] {
  return entities.map(({ name, country, entityId, implementer }, position) => ({
    authorizationIndex,
    position,
    name,
    country: codeText(country),
    entityId,
    implementerIndex: implementer || null,
  }));
}

type Range = Pick<
  BlockRow,
  "cooperativeApproachId" | "registryId" | "firstTransferringParty" | "firstId" | "lastId" | "vintage"
>;

/** Columns that are derived from a block's serials. */
function namedBy(range: Range): Pick<Block, "quantity" | "uniqueId"> {
  const { firstTransferringParty: firstTransferringPartyId, ...units } = range;
  return {
    quantity: range.lastId - range.firstId + 1n,
    uniqueId: itmoUniqueId({ ...units, firstTransferringPartyId }),
  };
}

const madeBy = (event: Pick<ChainEvent, "block" | "transaction" | "log">) => ({
  sequence: sequenceOf(event),
  blockNumber: event.block.number,
  createdAt: event.block.timestamp,
  transactionHash: event.transaction.hash,
  changeSequence: sequenceOf(event),
});

/** Build a minted block, which the first transferring Party holds. */
export function mintedBlock(
  event: ChainEvent & { args: { blockId: bigint; conversion: number; authorization: number; units: Units } },
): Block {
  const { blockId: id, conversion: conversionIndex, authorization: authorizationIndex, units } = event.args;
  const party = codeText(units.firstTransferringParty);
  const range = {
    cooperativeApproachId: codeText(units.approachId),
    firstTransferringParty: party,
    registryId: codeText(units.registryId),
    firstId: units.firstId,
    lastId: units.lastId,
    vintage: units.vintage,
  };
  return {
    id,
    publicId: encodeItmoBlockId(id),
    conversionIndex,
    authorizationIndex,
    ...range,
    ...namedBy(range),
    status: "held",
    party,
    firstTransfer: null,
    splitFromId: null,
    heldSince: sequenceOf(event),
    ...madeBy(event),
  };
}

/** Split a block at a serial: the first part, and the rest. */
export function splitBlock(block: BlockRow, rest: bigint, event: ChainEvent): { left: Partial<Block>; rest: Block } {
  const { firstId } = partsOfItmoBlock(rest);
  const left = { ...block, lastId: firstId - 1n };
  const right = { ...block, firstId };
  return {
    left: { lastId: left.lastId, ...namedBy(left), changeSequence: sequenceOf(event) },
    rest: {
      ...right,
      ...namedBy(right),
      id: rest,
      publicId: encodeItmoBlockId(rest),
      splitFromId: block.id,
      ...madeBy(event),
    },
  };
}

const orNull = (code: Hex): string | null => codeText(code) || null;

/** Build an action's row. */
export function actionRow(
  event: ChainEvent & {
    args: { blockId: bigint; action: number; subtype: number; units: Units; movement: Movement };
  },
  authorizationIndex: number,
): Action {
  const { blockId, action, subtype, units, movement } = event.args;
  const name = itmoActionTypes[action];
  if (name === undefined) throw new RangeError(`There is no action ${action}`);
  return {
    sequence: sequenceOf(event),
    blockId,
    conversionIndex: partsOfItmoBlock(blockId).conversion,
    authorizationIndex,
    action: name,
    subtype: wordAt(itmoActionSubtypes, subtype),
    cooperativeApproachId: codeText(units.approachId),
    authorizationId: units.authorizationId,
    firstTransferringParty: codeText(units.firstTransferringParty),
    registryId: codeText(units.registryId),
    firstId: units.firstId,
    lastId: units.lastId,
    quantity: units.lastId - units.firstId + 1n,
    vintage: units.vintage,
    transferringParty: orNull(movement.transferringParty),
    acquiringParty: orNull(movement.acquiringParty),
    usingParty: orNull(movement.usingParty),
    usingEntity: movement.usingEntity || null,
    purpose: wordAt(itmoPurposes, movement.purpose),
    ndcYear: movement.ndcYear || null,
    note: movement.note,
    blockNumber: event.block.number,
    actedAt: event.block.timestamp,
    transactionHash: event.transaction.hash,
  };
}

/** Get the final status that an action gives a block; null if the action only marks or moves it. */
function endOf(action: Action): ItmoBlockStatus | null {
  if (action.subtype === "Voluntary transfer to the Adaptation Fund") return "share-of-proceeds";
  if (action.subtype === "Voluntary cancellation to deliver OMGE") return "omge";
  if (action.action === "Use") return action.ndcYear === null ? "used-for-oimp" : "used-for-ndc";
  return action.action === "Cancellation" || action.action === "Voluntary Cancellation" ? "cancelled" : null;
}

/** Compute the changes of an action to its block. */
export function afterAction(action: Action): Partial<Block> {
  const end = endOf(action);
  return {
    changeSequence: action.sequence,
    ...(action.action === "First transfer" ? { firstTransfer: action.subtype ?? null } : {}),
    ...(action.acquiringParty == null ? {} : { party: action.acquiringParty, heldSince: action.sequence }),
    ...(end === null ? {} : { status: end, heldSince: null }),
    ...(end === "share-of-proceeds" ? { party: null } : {}),
  };
}
