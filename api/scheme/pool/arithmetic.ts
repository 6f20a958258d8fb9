/** What the pool asks: stablecoin base units for one CARBON, and the fee in ten-thousandths of the stablecoin amount. */
export type Pricing = { price: bigint; fee: bigint };
export const sides = ["buy", "sell"] as const;
/** Seen by the caller: `buy` takes CARBON out of the pool, `sell` brings it. */
export type Side = (typeof sides)[number];
/** One of the two is given. Base units: of stablecoin in and CARBON out to buy, the other way round to sell. */
export type Amounts = { amountIn: bigint; amountOut?: undefined } | { amountIn?: undefined; amountOut: bigint };
export type Swapped = { side: Side; amountIn: bigint; amountOut: bigint };

/** Base units of one CARBON. */
const unit = 1_000_000n;
/** Ten-thousandths in a whole. */
export const basis = 10_000n;

/**
 * What a swap gives, as contracts/pool/Pool.sol calculates it: rounded in the pool's favour. For a wished `amountOut` the least
 * `amountIn` that gives at least so much; it may give a little more.
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

/** Out for in, as a fraction. */
function rateOf(side: Side, { price, fee }: Pricing): [bigint, bigint] {
  return side === "buy" ? [unit * basis, price * (basis + fee)] : [price * (basis - fee), unit * basis];
}

/** The CARBON and the stablecoin of a swap. */
export function tokensOf({ side, amountIn, amountOut }: Swapped): { carbon: bigint; stablecoin: bigint } {
  return side === "buy" ? { carbon: amountOut, stablecoin: amountIn } : { carbon: amountIn, stablecoin: amountOut };
}

/** What a swap costs beyond the price: the fee, and what rounding leaves to the pool. Stablecoin base units. */
export function costOf(swapped: Swapped, price: bigint): bigint {
  const { carbon, stablecoin } = tokensOf(swapped);
  const cost =
    swapped.side === "buy" ? stablecoin - divideUp(carbon * price, unit) : (carbon * price) / unit - stablecoin;
  return cost > 0n ? cost : 0n;
}

function divideUp(numerator: bigint, denominator: bigint): bigint {
  return (numerator + denominator - 1n) / denominator;
}
