import { roomByHalfDays } from "../../platform/chain/index.ts";
import { type AppError, brokenRuleError, defineRules, type ErrorCode, type RuleDetail } from "../../platform/errors.ts";

const broken = defineRules({
  "credential-of-other-claim": ["credential-unused", "The credential was used for another claim."],
  "claim-deadline-passed": ["within-time-limit", "The claim's deadline has passed."],
  "payout-limit-reached": ["operator-cap", "The limit of 24 hours for payouts is reached. {room}"],
  "claim-refused-by-ledger": ["ledger-refused", "The ledger refused ({name})."],
});

const refusals: Record<string, () => [code: ErrorCode, detail: RuleDetail]> = {
  CredentialUsed: () => ["RULE_VIOLATION", broken("credential-of-other-claim", undefined)],
  ClaimDeadlinePassed: () => ["RULE_VIOLATION", broken("claim-deadline-passed", undefined)],
  OperatorCapExceeded: () => ["UNAVAILABLE", broken("payout-limit-reached", undefined, { room: roomByHalfDays })],
};

/** Build the error for a claim that the ledger refused, by the name of the ledger's error. */
export function errorOf(name: string): AppError {
  const [code, detail] = refusals[name]?.() ?? ["CONFLICT", broken("claim-refused-by-ledger", undefined, { name })];
  return brokenRuleError(code, detail);
}
