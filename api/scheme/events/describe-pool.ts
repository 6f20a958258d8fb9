import { encodeSwapId, swapIdOf } from "../../../wire/src/ids.ts";
import type { Described, EventType, Place } from "../../platform/events/index.ts";
import { jsonAmount } from "../../platform/values/numbers.ts";
import { amountsOfSwap, jsonBound, jsonFee, type Side } from "../pool/index.ts";
import { type Describer, everyone, nobody, on } from "./describer.ts";

type Swapped = { account: string; carbonAmount: bigint; stablecoinAmount: bigint; price: bigint };

/** A swap is visible to its party; price, fee, caps, pause and reserves are visible to everyone. */
export const poolDescribers: [string, Describer][] = [
  on("pool", "CarbonBought", async ({ implementer, ...swapped }, look, _, place) => {
    const implementerDid = await look.implementerDid(implementer);
    const data = { ...factsOf("buy", swapped, place), implementerDid };
    return [{ type: "pool.swap", parties: { ...nobody, implementerDid }, data }];
  }),
  on("pool", "CarbonSold", async ({ supplier, ...swapped }, look, _, place) => {
    const supplierDid = await look.supplierDid(supplier);
    const data = { ...factsOf("sell", swapped, place), supplierDid };
    return [{ type: "pool.swap", parties: { ...nobody, supplierDid }, data }];
  }),
  on("pool", "PauseChanged", ({ paused, by }) => ofPool(paused ? "pool.paused" : "pool.unpaused", { by })),
  on("pool", "PriceChanged", ({ price }) => ofPool("pool.price_changed", { price: jsonAmount(price) })),
  on("pool", "FeeChanged", ({ fee }) => ofPool("pool.fee_changed", { fee: jsonFee(BigInt(fee)) })),
  on("pool", "CapsChanged", ({ caps }) => {
    const shown = Object.entries(caps).map(([name, cap]) => [name, jsonBound(cap)]);
    return ofPool("pool.caps_changed", { caps: Object.fromEntries(shown) });
  }),
  on("pool", "ReserveReceived", ({ from, token, amount }) =>
    ofPool("pool.reserve_received", { from, token, amount: jsonAmount(amount) }),
  ),
  on("pool", "TreasuryWithdrawn", ({ token, to, amount }) =>
    ofPool("pool.withdrawn", { token, to, amount: jsonAmount(amount) }),
  ),
];

function factsOf(side: Side, { account, carbonAmount, stablecoinAmount, price }: Swapped, place: Place) {
  const swapId = encodeSwapId(swapIdOf(place.blockNumber, place.logIndex));
  const amounts = { side, carbon: carbonAmount, stablecoin: stablecoinAmount, price };
  return { swapId, account, ...amountsOfSwap(amounts) };
}

async function ofPool(type: EventType, data: Record<string, unknown>): Promise<Described[]> {
  return [{ type, parties: everyone, data }];
}
