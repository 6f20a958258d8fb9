import { itmoPurposes, wordAt } from "../../../indexer/schema/itmo-words.ts";
import { codeText } from "../../../wire/src/code-text.ts";
import { encodeConversionId, encodeItmoBlockId } from "../../../wire/src/ids.ts";
import { partsOfItmoBlock } from "../../../wire/src/itmo-ids.ts";
import { type DecodedEvent, dateOf, isoTime } from "../../platform/chain/index.ts";
import type { Described, EventType } from "../../platform/events/index.ts";
import { jsonAmount, jsonScaled } from "../../platform/values/numbers.ts";
import { describeAction, uniqueIdOfUnits } from "../itmo/index.ts";
import { type Describer, everyone, nobody, on } from "./describer.ts";
import type { EventLookup } from "./lookup.ts";

/** Conversions and blocks are visible to the implementer that converted; what happens to an authorization, to everyone. */
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
  on("invalidationBuffer", "UnitsBuffered", ({ conversion, heldUntil, ...serials }, look) =>
    ofConversion("itmo.buffered", conversion, look, {
      ...unitsOf(serials),
      heldUntil: isoTime(heldUntil),
    }),
  ),
  on("invalidationBuffer", "BufferedUnitsCancelled", async ({ conversion, certificate, ...serials }, look) => {
    const { emissionCertificateId: certificateId } = await look.certificate(certificate);
    return ofConversion("itmo.buffer_cancelled", conversion, look, { ...unitsOf(serials), certificateId });
  }),
  on("invalidationBuffer", "BufferedUnitsReleased", ({ conversion, ...serials }, look) =>
    ofConversion("itmo.buffer_released", conversion, look, unitsOf(serials)),
  ),
  on("authorizations", "AuthorizationReduced", (args, look) =>
    ofAuthorization(args.purpose === 0 ? "itmo.authorization_revoked" : "itmo.authorization_reduced", args, look),
  ),
  on("authorizations", "ReductionVetoed", (args, look) => ofAuthorization("itmo.reduction_vetoed", args, look)),
];

const unitsOf = ({ firstId, lastId }: { firstId: bigint; lastId: bigint }) => ({
  firstId: `${firstId}`,
  lastId: `${lastId}`,
  quantity: jsonScaled(lastId - firstId + 1n, 0),
});

type Change = DecodedEvent<"authorizations", "AuthorizationReduced" | "ReductionVetoed">["args"];

async function ofAuthorization(type: EventType, change: Change, look: EventLookup): Promise<Described[]> {
  const { authorization, purpose, quantity, finalFrom, reason } = change;
  const data = {
    ...(await look.authorization(authorization)),
    purpose: wordAt(itmoPurposes, purpose),
    authorizedQuantity: finalFrom === 0 ? null : jsonScaled(quantity, 0),
    finalAt: finalFrom === 0 ? null : `${dateOf(finalFrom)}T00:00:00.000Z`,
    reason,
  };
  return [{ type, parties: everyone, data }];
}

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
