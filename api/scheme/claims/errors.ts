import { roomByHalfDays } from "../../platform/chain/index.ts";
import { AppError, type ErrorCode } from "../../platform/errors.ts";

const refusals: Record<string, [code: ErrorCode, rule: string, message: string]> = {
  CredentialUsed: ["RULE_VIOLATION", "credential-unused", "The credential was used for another claim."],
  ClaimDeadlinePassed: ["RULE_VIOLATION", "within-time-limit", "The claim's deadline has passed."],
  OperatorCapExceeded: [
    "UNAVAILABLE",
    "operator-cap",
    `The limit of 24 hours for payouts is reached. ${roomByHalfDays}`,
  ],
};

/** Build the error for a claim that the ledger refused, by the name of the ledger's error. */
export function errorOf(errorName: string): AppError {
  const [code, rule, message] = refusals[errorName] ?? [
    "CONFLICT",
    "ledger-refused",
    `The ledger refused (${errorName}).`,
  ];
  return new AppError(code, message, { details: [{ rule, message }] });
}
