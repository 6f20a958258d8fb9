import { type ContractError, errorOfRevert } from "../../platform/chain/index.ts";
import { AppError, type ErrorCode } from "../../platform/errors.ts";
import { formatScaled, maxMicro } from "../../platform/values/numbers.ts";
import { type Swapped, tokensOf } from "./arithmetic.ts";
import type { PoolState, Room } from "./pool.ts";
import type { Bound } from "./units.ts";

/** Bounds that the request sets for a swap: base units, unix seconds. Absent: not set. */
export type SwapTerms = { minOut?: bigint | undefined; maxIn?: bigint | undefined; deadline?: bigint | undefined };
/** Balance and allowance of the swapping account. */
export type Holding = { balance: bigint; allowance: bigint };

/** A rule that a swap breaks: the contract's error and the field. */
export type BrokenRule = { path: string; refusal: AppError };

/**
 * List every rule of the pool that a swap breaks at a block, with the contract's errors (contracts/pool/Pool.sol).
 * `supplierDayLeft` is the seller's remaining cap; `asked` is the field that gave the amount.
 */
export function brokenByPool(
  state: PoolState,
  swapped: Swapped,
  { asked, supplierDayLeft }: { asked: "amountIn" | "amountOut"; supplierDayLeft?: Bound | undefined },
): BrokenRule[] {
  const { carbon, stablecoin } = tokensOf(swapped);
  const amountOf = (name: string, ...args: unknown[]) => broken(asked, { name, args });
  const { caps, room, reserves } = state;
  const wanted = swapped.side === "buy" ? carbon : stablecoin;
  const reserve = swapped.side === "buy" ? reserves.carbon : reserves.stablecoin;
  const found: BrokenRule[] = [];
  if (state.paused) found.push(broken("side", { name: "PoolPaused", args: [] }));
  if (swapped.amountOut === 0n) found.push(amountOf("AmountTooSmall", swapped.amountIn));
  if (exceeds(carbon, caps.perTransaction)) found.push(amountOf("TransactionCapExceeded", carbon, caps.perTransaction));
  if (room !== null) {
    for (const [name, key] of flowCaps) {
      const left = room[swapped.side][key];
      if (exceeds(carbon, left)) found.push(amountOf(name, carbon, left));
    }
  }
  if (supplierDayLeft !== undefined && exceeds(carbon, supplierDayLeft))
    found.push(amountOf("SupplierCapExceeded", 0, carbon, supplierDayLeft));
  if (wanted > reserve) found.push(amountOf("PoolDry", reserve, wanted));
  return found;
}

const flowCaps = [
  ["WindowCapExceeded", "perWindow"],
  ["DayCapExceeded", "perDay"],
  ["LifetimeCapExceeded", "lifetime"],
] as const satisfies [string, keyof Room][];

const exceeds = (amount: bigint, bound: Bound) => bound !== null && amount > bound;

/** List the bounds of the request that the swap breaks now. */
export function brokenByTerms(swapped: Swapped, { minOut, maxIn, deadline }: SwapTerms, now: bigint): BrokenRule[] {
  const found: BrokenRule[] = [];
  if (minOut !== undefined && swapped.amountOut < minOut)
    found.push(broken("minOut", { name: "OutputBelowMinimum", args: [swapped.amountOut, minOut] }));
  if (maxIn !== undefined && swapped.amountIn > maxIn) {
    const message = "The price has changed: the swap would cost more than maxIn.";
    const refusal = new AppError("CONFLICT", message, { details: [{ rule: "input-maximum", message }] });
    found.push({ path: "maxIn", refusal });
  }
  if (deadline !== undefined && now > deadline)
    found.push(broken("deadline", { name: "DeadlinePassed", args: [deadline] }));
  return found;
}

/** List what the account lacks for a swap. The allowance is not checked if a permit may grant it. */
export function brokenByHolding(
  amountIn: bigint,
  { balance, allowance }: Partial<Holding>,
  permitted: boolean,
): BrokenRule[] {
  const found: BrokenRule[] = [];
  if (balance !== undefined && balance < amountIn)
    found.push(broken("amountIn", { name: "ERC20InsufficientBalance", args: [] }));
  if (!permitted && allowance !== undefined && allowance < amountIn)
    found.push(broken("amountIn", { name: "ERC20InsufficientAllowance", args: [] }));
  return found;
}

/** Build the rule for a supplier whose debt takes the whole amount. */
export function supplierOwes(debt: bigint): BrokenRule {
  const message = `The supplier owes ${formatScaled(debt, 6)} CARBON for claims found invalid: the pool would keep all of it unpaid.`;
  return {
    path: "amountIn",
    refusal: new AppError("CONFLICT", message, { details: [{ rule: "supplier-debt", message }] }),
  };
}

/** Build the rule of a contract error for a field. */
export function broken(path: string, error: ContractError): BrokenRule {
  return { path, refusal: errorOfRevert(error) };
}

/** The order in which error codes take precedence. */
const precedence: ErrorCode[] = ["FORBIDDEN", "CONFLICT", "RULE_VIOLATION"];

/** Throw if rules are broken. @throws AppError naming every broken rule, with the code that takes precedence */
export function refuseBroken(all: BrokenRule[]): void {
  const code = precedence.find((each) => all.some(({ refusal }) => refusal.code === each));
  const first = all.find(({ refusal }) => code === undefined || refusal.code === code);
  if (first === undefined) return;
  throw new AppError(first.refusal.code, first.refusal.message, { details: detailsOf(all) });
}

export function detailsOf(all: BrokenRule[]) {
  return all.flatMap(({ path, refusal }) => refusal.details.map((detail) => ({ path, ...detail })));
}

/** Refuse amounts above what a JSON number holds exactly, which no reserve reaches. @throws AppError RULE_VIOLATION */
export function requireInRange({ amountIn, amountOut }: Swapped): void {
  if (amountIn <= maxMicro && amountOut <= maxMicro) return;
  const message = "The other amount of the swap would be out of range.";
  throw new AppError("RULE_VIOLATION", message, { details: [{ path: "amountIn", rule: "range", message }] });
}
