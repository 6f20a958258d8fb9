import { decodeEventLog, getAbiItem, type Hex, hexToBigInt } from "viem";
import { itmoAbi } from "../../../../deployments/abi/itmo.ts";
import type { ItmoActionSubtype, ItmoActionType } from "../../../../indexer/schema/itmo-words.ts";
import { isoTime } from "../../../../wire/src/chain-values.ts";
import { codeText } from "../../../../wire/src/code-text.ts";
import { encodeConversionId, encodeItmoBlockId } from "../../../../wire/src/ids.ts";
import { partsOfItmoBlock } from "../../../../wire/src/itmo-ids.ts";
import { describeAction, uniqueIdOfUnits } from "../describe-action.ts";
import type { HeaderJson } from "./header.ts";
import type { ReceiptLog } from "./receipt.ts";

/** One event of a block of ITMOs, from a log of the ITMO contract. Serials and tonnes are decimal text. */
export type ItmoFact = {
  /** `BlockMinted` for the conversion of CARBON, `ItmoAction` for every later event. */
  event: "BlockMinted" | "ItmoAction";
  /** Chain time, ISO 8601 UTC. */
  at: string;
  blockId: string;
  conversionId: string;
  /** The units by the id that never changes, such as `CA0001-ZMB01-ZMB-1-930-2025`. */
  uniqueId: string;
  action: ItmoActionType | null;
  subtype: ItmoActionSubtype | null;
  units: ItmoFactUnits;
  /** Null for a minting. */
  movement: ItmoMovement | null;
};

export type ItmoFactUnits = {
  cooperativeApproachId: string;
  authorizationId: string;
  firstTransferringPartyId: string;
  itmoRegistryId: string;
  firstId: string;
  lastId: string;
  /** Tonnes of CO2 equivalent: one for each serial. */
  quantity: string;
  vintage: number;
};

/** Null where a field does not apply. */
export type ItmoMovement = Omit<ReturnType<typeof describeAction>, "action" | "subtype" | "firstId" | "lastId">;

/** Events that state a fact; other logs are refused. */
const told = [
  getAbiItem({ abi: itmoAbi, name: "BlockMinted" }),
  getAbiItem({ abi: itmoAbi, name: "ItmoAction" }),
] as const;

type ItmoEvent = ReturnType<typeof decodeLog>;
type Units = ItmoEvent["args"]["units"];

/** Decode the fact of a log in the block with this header. @throws Error unless the log is a minting or an action */
export function factOf(log: ReceiptLog, header: HeaderJson): ItmoFact {
  const event = decodeLog(log);
  const { blockId, units } = event.args;
  const action = event.eventName === "ItmoAction" ? describeAction(event.args) : undefined;
  return {
    event: event.eventName,
    at: isoTime(hexToBigInt(header.timestamp as Hex)),
    blockId: encodeItmoBlockId(blockId),
    conversionId: encodeConversionId(BigInt(partsOfItmoBlock(blockId).conversion)),
    uniqueId: uniqueIdOfUnits(units),
    action: action?.action ?? null,
    subtype: action?.subtype ?? null,
    units: unitsOf(units),
    movement: action === undefined ? null : movementOf(action),
  };
}

function decodeLog({ topics, data }: ReceiptLog) {
  return decodeEventLog({ abi: told, topics: topics as [Hex, ...Hex[]], data, strict: true });
}

function unitsOf(units: Units): ItmoFactUnits {
  return {
    cooperativeApproachId: codeText(units.approachId),
    authorizationId: units.authorizationId,
    firstTransferringPartyId: codeText(units.firstTransferringParty),
    itmoRegistryId: codeText(units.registryId),
    firstId: String(units.firstId),
    lastId: String(units.lastId),
    quantity: String(units.lastId - units.firstId + 1n),
    vintage: units.vintage,
  };
}

function movementOf(action: ReturnType<typeof describeAction>): ItmoMovement {
  const { action: _action, subtype: _subtype, firstId: _firstId, lastId: _lastId, ...movement } = action;
  return movement;
}
