import { itmoActionSubtypes, itmoActionTypes, itmoPurposes, wordAt } from "../../../indexer/schema/itmo-words.ts";
import { codeText } from "../../../wire/src/code-text.ts";
import { itmoUniqueId } from "../../../wire/src/itmo-ids.ts";
import type { DecodedEvent } from "../../platform/chain/index.ts";
import type { ItmoAction } from "./blocks/schemas.ts";

type ActionArgs = DecodedEvent<"itmo", "ItmoAction">["args"];

/** Describe an `ItmoAction` event with the API's names; fields that do not apply are null. */
export function describeAction({
  action,
  subtype,
  units,
  movement,
}: ActionArgs): Omit<ItmoAction, "at" | "transactionHash" | "blockNumber"> {
  const code = (bytes: `0x${string}`) => codeText(bytes) || null;
  return {
    action: itmoActionTypes[action] ?? "Transfer",
    subtype: wordAt(itmoActionSubtypes, subtype),
    firstId: `${units.firstId}`,
    lastId: `${units.lastId}`,
    transferringPartyId: code(movement.transferringParty),
    acquiringPartyId: code(movement.acquiringParty),
    usingPartyId: code(movement.usingParty),
    usingEntityId: movement.usingEntity || null,
    purpose: wordAt(itmoPurposes, movement.purpose),
    ndcYear: movement.ndcYear || null,
    note: movement.note || null,
  };
}

/** Build the unique id of the units that an event names. */
export function uniqueIdOfUnits(units: ActionArgs["units"]): string {
  return itmoUniqueId({
    cooperativeApproachId: codeText(units.approachId),
    registryId: codeText(units.registryId),
    firstTransferringPartyId: codeText(units.firstTransferringParty),
    firstId: units.firstId,
    lastId: units.lastId,
    vintage: units.vintage,
  });
}
