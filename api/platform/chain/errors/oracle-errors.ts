import type { ErrorMeanings } from "./contract-errors.ts";

const micro = (args: readonly unknown[], index: number) => `${String(args[index])} base units`;

/** Meanings of the oracle registry's errors. */
export const oracleErrors: ErrorMeanings = {
  OracleTextInvalid: [
    "RULE_VIOLATION",
    "text-length",
    (args) => `The oracle's DID and API URL are needed, and a text has at most ${String(args[1])} bytes.`,
  ],
  OracleExists: ["CONFLICT", "not-registered-before", "The oracle is registered already."],
  UnknownOracle: ["NOT_FOUND", "oracle-exists", "There is no such oracle."],
  OracleAccountInvalid: ["RULE_VIOLATION", "account-given", "The account must not be zero or the registry itself."],
  NotOracleOwner: ["FORBIDDEN", "oracle-owner", "The account does not own the oracle."],
  NotPendingOwner: ["FORBIDDEN", "oracle-owner", "The oracle was not offered to the account."],
  NotSettler: ["FORBIDDEN", "oracle-settler", "The account may not settle the oracle's claims."],
  PriceNotAccepted: [
    "CONFLICT",
    "price-accepted",
    (args) => `A message costs ${micro(args, 0)}, more than the accepted ${micro(args, 1)}.`,
  ],
  DepositMissing: ["UNAVAILABLE", "deposit-payment", "The stablecoin did not transfer the deposit."],
  WithdrawalTooLarge: ["RULE_VIOLATION", "deposit", (args) => `The deposit is ${micro(args, 1)}.`],
  NoWithdrawal: ["CONFLICT", "withdrawal-requested", "No withdrawal was requested."],
  WithdrawalTooEarly: ["CONFLICT", "withdrawal-delay", "The withdrawal's delay is not over yet."],
  TooManyClaims: ["RULE_VIOLATION", "claims", (args) => `At most ${String(args[1])} claims are settled together.`],
  ClaimAmountInvalid: ["RULE_VIOLATION", "price-accepted", "The claim exceeds the price that its payer accepted."],
  DepositTooSmall: ["CONFLICT", "deposit", "The deposit does not cover the claim."],
  SettlementShort: ["UNAVAILABLE", "deposit-payment", "The stablecoin did not pay the settlement."],
};
