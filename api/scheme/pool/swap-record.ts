import type { Hex } from "viem";
import { encodeSwapId, swapIdOf } from "../../../wire/src/ids.ts";
import {
  type Chain,
  type DecodedEvent,
  eventsIn,
  isoTime,
  type MinedCall,
  type ResultReader,
} from "../../platform/chain/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { costOf, type Side } from "./arithmetic.ts";
import type { PoolDeps } from "./deps.ts";
import type { SwapRecord } from "./schemas.ts";

/** A swap from its event; `party` is the number of the implementer that bought or the supplier that sold. */
export type SwapFacts = {
  id: bigint;
  side: Side;
  party: number;
  account: string;
  carbon: bigint;
  stablecoin: bigint;
  price: bigint;
  timestamp: bigint;
  transactionHash: string;
  blockNumber: bigint;
};

type SwapEvent = DecodedEvent<"pool", "CarbonBought"> | DecodedEvent<"pool", "CarbonSold">;
const eventName: ("CarbonBought" | "CarbonSold")[] = ["CarbonBought", "CarbonSold"];

/** Decode the swaps in logs, in the order of the logs. */
export function swapsIn(chain: Chain, mined: Pick<MinedCall, "logs" | "blockTimestamp">): SwapFacts[] {
  const events = eventsIn(mined.logs, { contract: "pool", address: chain.addresses.pool, eventName });
  return events.map((event) => factsOf(event, mined.blockTimestamp));
}

function factsOf(event: SwapEvent, timestamp: bigint): SwapFacts {
  const { account, carbonAmount: carbon, stablecoinAmount: stablecoin, price } = event.args;
  const place = { blockNumber: event.blockNumber ?? 0n, logIndex: event.logIndex ?? 0 };
  return {
    ...partyOf(event),
    id: swapIdOf(place.blockNumber, place.logIndex),
    account,
    carbon,
    stablecoin,
    price,
    timestamp,
    transactionHash: event.transactionHash as Hex,
    blockNumber: place.blockNumber,
  };
}

function partyOf(event: SwapEvent): Pick<SwapFacts, "side" | "party"> {
  return event.eventName === "CarbonBought"
    ? { side: "buy", party: event.args.implementer }
    : { side: "sell", party: event.args.supplier };
}

/** Return a swap's amounts in and out, from the account's side. */
export function amountsOfSwap({
  side,
  carbon,
  stablecoin,
  price,
}: Pick<SwapFacts, "side" | "carbon" | "stablecoin" | "price">) {
  const [amountIn, amountOut] = side === "buy" ? [stablecoin, carbon] : [carbon, stablecoin];
  return {
    side,
    amountIn: jsonAmount(amountIn),
    amountOut: jsonAmount(amountOut),
    price: jsonAmount(price),
    feeAmount: jsonAmount(costOf({ side, amountIn, amountOut }, price)),
  };
}

/** Serialize a swap for the API's response. */
export async function serializeSwap(deps: PoolDeps, facts: SwapFacts): Promise<SwapRecord> {
  const { implementers, suppliers } = deps.registry;
  const { side, ...amounts } = amountsOfSwap(facts);
  const party = await (side === "buy" ? implementers : suppliers).byIndex(facts.party);
  return {
    id: encodeSwapId(facts.id),
    side,
    ...(side === "buy" ? { implementerDid: party?.did ?? "" } : { supplierDid: party?.did ?? "" }),
    account: facts.account,
    ...amounts,
    swappedAt: isoTime(facts.timestamp),
    transactionHash: facts.transactionHash,
    blockNumber: Number(facts.blockNumber),
  };
}

/** Define the result of an operation for a swap whose caller did not wait for the block. */
export function swapResults(chain: Chain): Record<string, ResultReader> {
  return {
    [swapPurpose]: (mined) => {
      const [facts] = swapsIn(chain, mined);
      return facts === undefined ? {} : { swapId: encodeSwapId(facts.id), ...amountsOfSwap(facts) };
    },
  };
}

export const swapPurpose = "pool.swap";
