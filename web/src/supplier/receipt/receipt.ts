import { toMicro } from "../../../../wire/src/exact.ts";
import type { Sum } from "../../show/money.tsx";
import type { QueueEntry } from "../queue/entry.ts";
import type { Product, Redemption } from "../records.ts";
import { priceOf, shareOf } from "../redeem/price-share.ts";

/** What a receipt says. `price`, `paid` and `left` are of one unit, when it was sold on this device. */
export type Receipt = {
  redemptionId: string;
  voucherId: string;
  shop: string;
  product: string;
  carbon: bigint;
  at: string;
  consent: Redemption["consent"];
  price?: Sum;
  paid?: Sum;
  left?: Sum;
  /** CARBON left on the voucher after this redemption. */
  remaining?: bigint;
};

type Sources = { redemption: Redemption; shop: string; product: Product | undefined; entry: QueueEntry | undefined };

/** Build a receipt from the redemption, and from the order where this device has it. */
export function receiptOf({ redemption, shop, product, entry }: Sources): Receipt {
  const carbon = toMicro(redemption.amount);
  const price = entry?.price;
  const money = price && priceOf({ price });
  const share = price && shareOf({ price }, carbon);
  return {
    redemptionId: redemption.redemptionId,
    voucherId: redemption.voucherId,
    shop,
    product: product?.name ?? entry?.productName ?? redemption.productId,
    carbon,
    at: redemption.redeemedAt,
    consent: redemption.consent,
    ...(money === undefined ? {} : { price: money }),
    ...share,
    ...(entry?.remainingBalance === undefined ? {} : { remaining: toMicro(entry.remainingBalance) }),
  };
}
