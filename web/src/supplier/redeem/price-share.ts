import { toMicro } from "../../../../wire/src/exact.ts";
import type { Sum } from "../../show/money.tsx";
import type { Product } from "../records.ts";

/** What a voucher pays of one unit's price, and what is left to pay in money. */
export type PriceShare = { paid: Sum; left: Sum };

/** The smallest amount of a currency, in millionths: 10 000 for a cent. */
function smallestOf(currency: string): bigint {
  const { maximumFractionDigits = 2 } = new Intl.NumberFormat("en", { style: "currency", currency }).resolvedOptions();
  return 10n ** BigInt(Math.max(0, 6 - maximumFractionDigits));
}

/** Price of one unit in money; undefined where the product has none. */
export function priceOf({ price }: Pick<Product, "price">): Sum | undefined {
  return price === null ? undefined : { micro: toMicro(price.amount), currency: price.currency };
}

/** CARBON that one unit takes, in micro-units; undefined where the price does not say. */
export function carbonOf({ price }: Pick<Product, "price">): bigint | undefined {
  return price?.carbon == null ? undefined : toMicro(price.carbon);
}

/**
 * Divide one unit's price between the voucher and the household. What the voucher pays is rounded down to the currency's
 * smallest amount. Undefined where the product has no price, or takes no stated CARBON.
 */
export function shareOf(product: Pick<Product, "price">, carbon: bigint): PriceShare | undefined {
  const [price, whole] = [priceOf(product), carbonOf(product)];
  if (price === undefined || whole === undefined) return undefined;
  const { micro, currency } = price;
  const smallest = smallestOf(currency);
  const share = ((micro * carbon) / whole / smallest) * smallest;
  if (share > micro) return { paid: price, left: { micro: 0n, currency } };
  return { paid: { micro: share, currency }, left: { micro: micro - share, currency } };
}
