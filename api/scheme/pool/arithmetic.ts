/** Price in stablecoin base units per CARBON, and the fee in ten-thousandths of the stablecoin amount. */
export type Pricing = { price: bigint; fee: bigint };
export const sides = ["buy", "sell"] as const;
/** From the caller's side: `buy` takes CARBON from the pool, `sell` gives CARBON to it. */
export type Side = (typeof sides)[number];
/** One of the two is given, in base units. To buy, stablecoin goes in and CARBON out; to sell, the reverse. */
export type Amounts = { amountIn: bigint; amountOut?: undefined } | { amountIn?: undefined; amountOut: bigint };
export type Swapped = { side: Side; amountIn: bigint; amountOut: bigint };

/** Base units per CARBON. */
const unit = 1_000_000n;
/** Ten-thousandths per whole. */
export const basis = 10_000n;

/**
 * Calculate a swap as contracts/pool/Pool.sol does, rounded in the pool's favour. For a wanted `amountOut`, find the smallest
 * `amountIn` that gives at least this amount; it may give slightly more.
 */
export function quoteSwap(side: Side, amounts: Amounts, pricing: Pricing): Swapped {
  const amountIn = amounts.amountIn ?? leastFor(side, amounts.amountOut, pricing);
  const [numerator, denominator] = rateOf(side, pricing);
  return { side, amountIn, amountOut: (amountIn * numerator) / denominator };
}

function leastFor(side: Side, amountOut: bigint, pricing: Pricing): bigint {
  const [numerator, denominator] = rateOf(side, pricing);
  return divideUp(amountOut * denominator, numerator);
}

/** Amount out per amount in, as numerator and denominator. */
function rateOf(side: Side, { price, fee }: Pricing): [bigint, bigint] {
  return side === "buy" ? [unit * basis, price * (basis + fee)] : [price * (basis - fee), unit * basis];
}

/** Return a swap's CARBON and stablecoin amounts. */
export function tokensOf({ side, amountIn, amountOut }: Swapped): { carbon: bigint; stablecoin: bigint } {
  return side === "buy" ? { carbon: amountOut, stablecoin: amountIn } : { carbon: amountIn, stablecoin: amountOut };
}

/** Calculate a swap's cost above the price: the fee and the rounding in the pool's favour, in stablecoin base units. */
export function costOf(swapped: Swapped, price: bigint): bigint {
  const { carbon, stablecoin } = tokensOf(swapped);
  const cost =
    swapped.side === "buy" ? stablecoin - divideUp(carbon * price, unit) : (carbon * price) / unit - stablecoin;
  return cost > 0n ? cost : 0n;
}

function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
