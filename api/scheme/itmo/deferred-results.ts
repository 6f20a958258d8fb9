import { encodeConversionId, encodeItmoBlockId } from "../../../wire/src/ids.ts";
import { type Chain, eventsIn, type ResultReader } from "../../platform/chain/index.ts";
import { conversionIn } from "./conversions/conversion-in.ts";

/** Define the results of operations for ITMO transactions whose caller did not wait for the block. */
export function itmoResults({ addresses }: Pick<Chain, "addresses">): Record<string, ResultReader> {
  const at = { contract: "itmo", address: addresses.itmo } as const;
  const requested: ResultReader = (mined) => ({
    conversionId: encodeConversionId(BigInt(conversionIn(addresses.itmo, mined))),
    status: "requested",
  });
  const finalised: ResultReader = (mined) => {
    const [event] = eventsIn(mined.logs, { ...at, eventName: "BlockMinted" });
    if (event === undefined) return {};
    const { conversion, blockId } = event.args;
    const ids = { conversionId: encodeConversionId(BigInt(conversion)), blockId: encodeItmoBlockId(blockId) };
    return { ...ids, status: "finalised" };
  };
  const reverted: ResultReader = (mined) => {
    const [event] = eventsIn(mined.logs, { ...at, eventName: "ConversionReverted" });
    if (event === undefined) return {};
    return { conversionId: encodeConversionId(BigInt(event.args.conversion)), status: "reverted" };
  };
  const acted: ResultReader = (mined) => {
    const [event] = eventsIn(mined.logs, { ...at, eventName: "ItmoAction" });
    return event === undefined ? {} : { blockId: encodeItmoBlockId(event.args.blockId) };
  };
  return {
    "itmo.convert": requested,
    "itmo.finalise": finalised,
    "itmo.revert": reverted,
    "itmo.transfer": acted,
    "itmo.use": acted,
    "itmo.cancel": acted,
  };
}
