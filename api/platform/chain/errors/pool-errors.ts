import { formatScaled } from "../../values/numbers.ts";
import { type ErrorMeanings, roomByHalfDays, roomByHalfHours } from "./contract-errors.ts";

/** Describe the remaining amount; empty where only the error's selector is known, without arguments. */
function leaves(args: readonly unknown[], index: number): string {
  const left = args[index];
  return left === undefined ? "" : ` It leaves ${formatScaled(BigInt(String(left)), 6)} CARBON.`;
}

/** Meanings of the pool's errors. */
export const poolErrors: ErrorMeanings = {
  CapNotLowered: ["CONFLICT", "cap-lowered", "A cap can only be lowered this way."],
  PoolPaused: ["UNAVAILABLE", "pool-open", "The pool is paused."],
  NotSupplier: ["FORBIDDEN", "own-identity", "The account is not an authorised supplier's."],
  PoolDry: ["UNAVAILABLE", "pool-reserve", "The pool does not hold enough of what it would pay."],
  TransactionCapExceeded: [
    "RULE_VIOLATION",
    "transaction-cap",
    (args) => `The amount exceeds the pool's cap for one swap.${leaves(args, 1)}`,
  ],
  WindowCapExceeded: [
    "UNAVAILABLE",
    "window-cap",
    (args) => `The amount exceeds the pool's cap for an hour.${leaves(args, 1)} ${roomByHalfHours}`,
  ],
  DayCapExceeded: [
    "UNAVAILABLE",
    "day-cap",
    (args) => `The amount exceeds the pool's cap for 24 hours.${leaves(args, 1)} ${roomByHalfDays}`,
  ],
  LifetimeCapExceeded: [
    "RULE_VIOLATION",
    "lifetime-cap",
    (args) => `The amount exceeds the pool's lifetime cap.${leaves(args, 1)}`,
  ],
  SupplierCapExceeded: [
    "UNAVAILABLE",
    "supplier-day-cap",
    (args) => `The amount exceeds the supplier's cap for 24 hours.${leaves(args, 2)} ${roomByHalfDays}`,
  ],
  AmountTooSmall: ["RULE_VIOLATION", "amount-positive", "The amount is too small to be worth anything."],
  OutputBelowMinimum: [
    "CONFLICT",
    "output-minimum",
    (args) =>
      args[0] === undefined
        ? "The swap would bring less than asked for."
        : `The swap would bring ${formatScaled(BigInt(String(args[0])), 6)}, less than asked for.`,
  ],
  DeadlinePassed: ["RULE_VIOLATION", "deadline", "The transaction's own deadline has passed."],
  NonceUsed: ["CONFLICT", "order-unused", "The order was carried out or cancelled before: its nonce is used."],
  SafeERC20FailedOperation: ["UNAVAILABLE", "pool-payment", "The token does not carry out the transfer."],
  PaymentMissing: ["UNAVAILABLE", "pool-payment", "The stablecoin did not transfer the payment."],
};
