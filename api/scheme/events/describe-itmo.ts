import { codeText } from "../../../indexer/schema/itmo-words.ts";
import { encodeConversionId, encodeItmoBlockId } from "../../../wire/src/ids.ts";
import { partsOfItmoBlock } from "../../../wire/src/itmo-ids.ts";
import type { Described, EventType } from "../../platform/events/index.ts";
import { jsonAmount, jsonScaled } from "../../platform/values/numbers.ts";
import { describeAction, uniqueIdOfUnits } from "../itmo/index.ts";
import { type Describer, nobody, on } from "./describer.ts";
import type { EventLookup } from "./lookup.ts";

/** Conversions and blocks are visible to the implementer that converted. */
export const itmoDescribers: [string, Describer][] = [
  on("itmo", "ConversionRequested", ({ conversion, account, amount, quantity, vintage }, look) =>
    ofConversion("itmo.requested", conversion, look, {
      account,
      amount: jsonAmount(amount),
      quantity: jsonScaled(quantity, 0),
      vintage,
    }),
  ),
  // Has the contents of ConversionFinalised, and the serials.
  on("itmo", "BlockMinted", ({ blockId, conversion, units }, look) => {
    const { firstId, lastId } = units;
    return ofConversion("itmo.finalised", conversion, look, {
      blockId: encodeItmoBlockId(blockId),
      uniqueId: uniqueIdOfUnits(units),
      itmoRegistryId: codeText(units.registryId),
      firstId: `${firstId}`,
      lastId: `${lastId}`,
      quantity: jsonScaled(lastId - firstId + 1n, 0),
    });
  }),
  on("itmo", "ConversionReverted", ({ conversion, by, amount, reason }, look) =>
    ofConversion("itmo.reverted", conversion, look, { by, amount: jsonAmount(amount), reason: reason || null }),
  ),
  on("itmo", "ItmoAction", (args, look) => {
    const { conversion } = partsOfItmoBlock(args.blockId);
    const names = { blockId: encodeItmoBlockId(args.blockId), uniqueId: uniqueIdOfUnits(args.units) };
    return ofConversion("itmo.action", conversion, look, { ...names, ...describeAction(args) });
  }),
];

async function ofConversion(
  type: EventType,
  conversion: number,
  look: EventLookup,
  facts: object,
): Promise<Described[]> {
  const { implementerDid, ...names } = await look.conversion(conversion);
  const data = { conversionId: encodeConversionId(BigInt(conversion)), implementerDid, ...names, ...facts };
  return [{ type, parties: { ...nobody, implementerDid }, data }];
}
