import { maxMicro } from "../../api/platform/values/numbers.ts";

/** A payout's amount in millionths of the currency, and what rounding left in 10^-12 of it. */
export type Priced = { amount: bigint; remainder: bigint };

/**
 * Convert stablecoin to a currency, rounded down to the smallest amount that the partner pays.
 * @param stablecoin millionths of stablecoin
 * @param rate millionths of the currency for one unit of stablecoin
 * @param unitDecimals decimals of the smallest amount, 0 to 6
 * @returns undefined when the amount is zero or more than JSON clients hold exactly
 */
export function priceOf(stablecoin: bigint, rate: bigint, unitDecimals: number): Priced | undefined {
  const product = stablecoin * rate;
  const unit = 10n ** BigInt(12 - unitDecimals);
  const remainder = product % unit;
  const amount = (product - remainder) / 1_000_000n;
  return amount > 0n && amount <= maxMicro ? { amount, remainder } : undefined;
}
