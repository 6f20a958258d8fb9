import { BaseError, decodeErrorResult, type Hex, isHex, maxUint96 } from "viem";
import { encodeKptClaimId, encodeRedemptionId } from "../../../../wire/src/ids.ts";
import { AppError, defineRules } from "../../errors.ts";
import { allErrors } from "../contracts.ts";
import { dateOf, LAST_DAY } from "../days.ts";
import { isoTime } from "../times.ts";
import { carbonOf, type ErrorMeanings, roomByHalfDays, roomEvenly } from "./contract-errors.ts";
import { itmoErrors } from "./itmo-errors.ts";
import { oracleErrors } from "./oracle-errors.ts";
import { poolErrors } from "./pool-errors.ts";
import { redemptionError } from "./redemption-rules.ts";

export type ContractError = { name: string; args: readonly unknown[] };
/** Converts a contract error to a feature's more specific error; undefined for the general one. */
export type RevertReading = (error: ContractError) => AppError | undefined;

/** Say why a household's authorisation cannot be used again. The largest redemption number marks a cancelled one. */
export function usedAuthorization(redemption: bigint): string {
  if (redemption === maxUint96) return "The household has cancelled this authorisation.";
  return `The household's authorisation was used for redemption ${encodeRedemptionId(redemption)}.`;
}

/** `ICertificates.Status.Revoked`. */
const REVOKED = 4;

/** Say when the rest of an expired voucher may be swept. `LAST_DAY` means never: its certificate is suspended. */
export function sweepableOn(firstDay: number): string {
  if (firstDay === LAST_DAY) return "The rest of the voucher may not be swept while its certificate is suspended.";
  return `The rest of the voucher may be swept from ${dateOf(firstDay)} on.`;
}

/** Say that a new plan's cap without consent is too high. `highest`: the default plan's cap, in whole CARBON. */
export const unconsentedCapTooHigh = (highest: number): string =>
  `A plan is registered with at most the default plan's ${highest} CARBON a day without consent; the council can raise it then.`;

/** Say that a certificate's status, a number of `ICertificates.Status`, does not allow the change. */
function certificateStatusError(current: number): string {
  if (current === REVOKED)
    return "The certificate is revoked. Until the revocation is final, the guardian can veto it; nothing else changes it.";
  return `The certificate is ${["unknown", "pending", "valid", "suspended"][current]}, which does not allow this change.`;
}

/** Say since when a revocation is final. `day`: its first final day; undefined where only the error's selector is known. */
function revocationIsFinal(day: unknown): string {
  if (day === undefined) return "The revocation is final. Nobody can veto or undo it.";
  return `The revocation is final since ${dateOf(Number(day))}. Nobody can veto or undo it.`;
}

/** Say when a new account can replace the old one. `from`: unix seconds; undefined where only the error's selector is known. */
function accountWaits(from: unknown): string {
  if (from === undefined) return "The new account still waits.";
  return `The new account still waits: it can be put in force from ${isoTime(Number(from))} on.`;
}

const broken = defineRules({
  "ledger-refuses": ["ledger-refused", "The ledger refuses this."],
  "ledger-refuses-for": ["ledger-refused", "The ledger refuses this ({name})."],
});

/** Meanings of the contracts' errors. A feature that knows more replaces one by its RevertReading. */
const entries: ErrorMeanings = {
  ...itmoErrors,
  // participants
  MissingRole: ["FORBIDDEN", "role", "The sending account does not hold the role that this needs."],
  AccessManagerUnauthorizedAccount: [
    "FORBIDDEN",
    "role",
    "The sending account does not hold the role that this needs.",
  ],
  AlreadyRegistered: ["CONFLICT", "not-registered-before", "It is registered already."],
  UnknownHousehold: ["NOT_FOUND", "household-exists", "There is no such household."],
  UnknownImplementer: ["NOT_FOUND", "implementer-exists", "There is no such implementer."],
  UnknownSupplier: ["NOT_FOUND", "supplier-exists", "There is no such supplier."],
  UnknownProduct: ["NOT_FOUND", "product-exists", "There is no such product."],
  UnknownPlan: ["NOT_FOUND", "plan-exists", "There is no such monitoring plan."],
  UnknownIssuer: ["NOT_FOUND", "issuer-exists", "There is no such trusted issuer."],
  NoAccountPending: ["CONFLICT", "account-pending", "No new account waits for this party."],
  OtherAccountPending: ["CONFLICT", "account-pending", "Another account waits for this household."],
  AccountNotConfirmed: ["CONFLICT", "account-confirmed", "An evaluator has to confirm the household's account first."],
  AccountDelayNotOver: ["CONFLICT", "account-delay", (args) => accountWaits(args[0])],
  ProductStatusNotAllowed: ["CONFLICT", "product-status", "The product's status does not allow this change."],
  InvalidPeriod: ["RULE_VIOLATION", "dates-ordered", "The period must not end before it starts."],
  UnconsentedCapTooHigh: ["RULE_VIOLATION", "unconsented-cap", (args) => unconsentedCapTooHigh(Number(args[1]))],
  InvalidShare: ["RULE_VIOLATION", "review-share", "The share must be at most 10 000 ten-thousandths."],
  EmptyId: ["RULE_VIOLATION", "id-given", "The id must not be empty."],
  ZeroAccount: ["RULE_VIOLATION", "account-given", "The account must not be the zero address."],
  GuardianMayNotCancel: [
    "FORBIDDEN",
    "guardian-change",
    "The operation only replaces or removes the guardian, so the guardian cannot cancel it; the council can.",
  ],
  // certificates
  UnknownCertificate: ["NOT_FOUND", "certificate-exists", "There is no such certificate."],
  CertificateNotValid: ["RULE_VIOLATION", "certificate-valid", "The certificate is not valid."],
  StatusNotAllowed: ["CONFLICT", "certificate-status", ([, current]) => certificateStatusError(Number(current))],
  RevocationFinal: ["CONFLICT", "certificate-status", ([, day]) => revocationIsFinal(day)],
  VerifierNotTrusted: [
    "RULE_VIOLATION",
    "issuer-trusted",
    "The credential's issuer is not a trusted verifier now, or was not one when it was issued.",
  ],
  CredentialAlreadyUsed: ["CONFLICT", "credential-unused", "The credential is used by another certificate."],
  InvalidSerials: ["RULE_VIOLATION", "serials-ordered", "The last serial must not be below the first."],
  RegistryNameInvalid: [
    "RULE_VIOLATION",
    "registry-name",
    "A registry's name has printable ASCII characters, one of them a letter or digit.",
  ],
  RegistrySpelledDifferently: [
    "RULE_VIOLATION",
    "registry-spelling",
    "The registry is on record with another spelling.",
  ],
  SerialsOverlap: ["CONFLICT", "serials-disjoint", "The serial range overlaps another certificate's."],
  PredecessorTooFar: ["CONFLICT", "serials-disjoint", "The registry's list of serials has moved on; try again."],
  InvalidAmount: ["RULE_VIOLATION", "amount-positive", "Amounts must be more than 0."],
  InvalidLeaves: [
    "RULE_VIOLATION",
    "allocation-shape",
    "The allocation's data does not have the length of its entries.",
  ],
  TooManyLeaves: ["CONFLICT", "allocation-shape", "The allocation is recorded already."],
  HouseholdsNotAscending: ["RULE_VIOLATION", "allocation-unique", "A household appears twice in the allocation."],
  HouseholdNotRegistered: ["RULE_VIOLATION", "recipient-registered", "A household is not registered."],
  AllocationSumMismatch: [
    "RULE_VIOLATION",
    "allocation-sum",
    "The sum of allocations must equal the verified reduction.",
  ],
  NotUnallocated: ["RULE_VIOLATION", "value-matches-reduction", "The certificate is allocated to named households."],
  ChunkNotRecorded: ["CONFLICT", "allocation-recorded", "The certificate's allocation is not recorded yet."],
  LeafAlreadyIssued: ["CONFLICT", "issued-once", "The certificate has a voucher for this household already."],
  ProofInvalid: [
    "RULE_VIOLATION",
    "value-matches-reduction",
    "The value does not equal the household's allocation in the certificate.",
  ],
  IssueExceedsReduction: ["CONFLICT", "issued-once", "The certificate's verified reduction has been issued already."],
  AmountNotOwed: [
    "RULE_VIOLATION",
    "amount-owed",
    (args) => `The amount must be more than 0 and at most what the implementer owes, ${carbonOf(args[2])} CARBON.`,
  ],
  // vouchers
  CertificateNotRevoked: [
    "CONFLICT",
    "certificate-revoked",
    "The certificate is not revoked, or its revocation is not final yet.",
  ],
  DatesNotOrdered: ["RULE_VIOLATION", "dates-ordered", "The expiry date must not be before the issuance date."],
  UnknownVoucher: ["NOT_FOUND", "voucher-exists", "There is no such voucher."],
  VoucherNotOpened: ["CONFLICT", "voucher-opened", "The voucher has not been opened on the ledger yet."],
  OpeningInvalid: ["RULE_VIOLATION", "opening-proven", "The opening does not prove the voucher."],
  VoucherStatusNotAllowed: ["CONFLICT", "voucher-status", "The voucher's status does not allow this."],
  VoucherExpired: ["CONFLICT", "voucher-not-expired", "The voucher has expired."],
  VoucherNotExpired: ["CONFLICT", "voucher-expired", "The voucher has not expired yet."],
  VoucherExhausted: ["CONFLICT", "voucher-not-exhausted", "The voucher's balance is 0."],
  VoucherNotSweepable: ["CONFLICT", "sweep-grace-over", (args) => sweepableOn(Number(args[1]))],
  ReissueTooShort: [
    "RULE_VIOLATION",
    "reissue-not-shorter",
    (args) =>
      `The new voucher must start on ${dateOf(Number(args[1]))} or before, and expire on ${dateOf(Number(args[2]))} or later: ` +
      "the household keeps the remaining time of the cancelled voucher.",
  ],
  LifecyclePaused: [
    "UNAVAILABLE",
    "not-paused",
    "While the pool is paused, no voucher is cancelled, reissued or swept, and no redemption reversed for its supplier.",
  ],
  LifecycleCapExceeded: [
    "UNAVAILABLE",
    "lifecycle-cap",
    ([left, amount]) =>
      `The limit on what may be cancelled, reissued, swept or reversed within a day has ${carbonOf(left)} CARBON left now, ` +
      `not ${carbonOf(amount)}. ${roomEvenly}`,
  ],
  NothingToReissue: ["CONFLICT", "rest-left", "Nothing is left that could be reissued."],
  AuthorizationUsed: ["CONFLICT", "authorization-unused", (args) => usedAuthorization(BigInt(String(args[2])))],
  NothingToCommitTo: [
    "RULE_VIOLATION",
    "codes-with-issue",
    "Codes can be committed only once, in the transaction that issues the vouchers.",
  ],
  AuthorizationExpired: ["RULE_VIOLATION", "household-authorised", "The household's authorisation has expired."],
  UnknownRedemption: ["NOT_FOUND", "redemption-exists", "There is no such redemption."],
  RedemptionStatusNotAllowed: ["CONFLICT", "redemption-status", "The redemption's status does not allow this."],
  ClaimDeadlinePassed: ["RULE_VIOLATION", "within-time-limit", "The claim's deadline has passed."],
  ClaimDeadlineNotPassed: ["CONFLICT", "deadline-passed", "The claim's deadline has not passed yet."],
  NotPermitted: ["FORBIDDEN", "caller-authorised", "The sending account may not do this."],
  AuthorizationsNotAscending: [
    "RULE_VIOLATION",
    "household-authorised",
    "Authorisations must come in the order of the redemptions that they are for.",
  ],
  // claims
  CredentialUsed: ["CONFLICT", "credential-unused", "The credential was used for another redemption."],
  EmptyCredentialHash: ["RULE_VIOLATION", "proof-verifies", "The credential's hash is empty."],
  OperatorCapExceeded: [
    "UNAVAILABLE",
    "operator-cap",
    `The limit of 24 hours for payouts, rejections and disputes upheld is reached. ${roomByHalfDays}`,
  ],
  AttestationInvalid: ["FORBIDDEN", "attestation-valid", "The attestation is not by an operator of the scheme."],
  AttestationExpired: ["RULE_VIOLATION", "attestation-valid", "The attestation has expired."],
  AttestationWithdrawn: ["CONFLICT", "attestation-valid", "The attestation was withdrawn by its signer."],
  NoDraw: ["CONFLICT", "claim-drawn", "The claim does not await a draw."],
  NothingToWaive: ["CONFLICT", "debt-owed", "The supplier owes nothing."],
  NoDispute: ["CONFLICT", "claim-disputed", "The claim is not disputed."],
  InsufficientGas: ["UNAVAILABLE", "gas", "The transaction ran out of gas; try again."],
  ...poolErrors,
  ...oracleErrors,
  // audits
  EmptyAuditRoot: ["RULE_VIOLATION", "audit-root", "The audit's root is empty."],
  AuditDayNotLater: ["CONFLICT", "audit-day", "The chain has a root of this day or a later one already."],
  AuditDayInFuture: ["CONFLICT", "audit-day", "The day has not begun on the chain yet."],
  // parameters
  ParameterTextInvalid: [
    "RULE_VIOLATION",
    "text-length",
    (args) => `A text of a parameter has 1 to ${String(args[1])} bytes, not ${String(args[0])}.`,
  ],
  ParameterDecimalsInvalid: [
    "RULE_VIOLATION",
    "decimals",
    (args) => `A parameter's value has at most ${String(args[1])} decimals.`,
  ],
  ParameterPeriodInvalid: ["RULE_VIOLATION", "dates-ordered", "The validity must not end before it starts."],
  // campaigns
  EmptyCampaignId: ["RULE_VIOLATION", "id-given", "The campaign's id must not be empty."],
  CampaignExists: ["CONFLICT", "not-registered-before", "The campaign is registered already."],
  CampaignPeriodInvalid: ["RULE_VIOLATION", "dates-ordered", "The test period must not end before it starts."],
  FrameInvalid: ["RULE_VIOLATION", "frame-valid", "A frame must hold at least one household, and fewer than 2^31."],
  FramesEqual: ["RULE_VIOLATION", "frames-disjoint", "The two groups' frames must not share a household."],
  SampleSizeInvalid: [
    "RULE_VIOLATION",
    "sample-within-frames",
    (args) => `The sample size must be between 1 and the size of the smaller frame, ${String(args[1])}.`,
  ],
  UnknownCampaign: ["NOT_FOUND", "campaign-exists", "There is no such campaign."],
  CampaignStatusNotAllowed: [
    "CONFLICT",
    "campaign-status",
    (args) =>
      `The campaign is ${["unknown", "committed", "drawn", "closed", "abandoned"][Number(args[1])]}, which does not allow this.`,
  ],
  DrawTooEarly: [
    "CONFLICT",
    "draw-block-mined",
    (args) => `Block ${String(args[1])}, whose hash draws the sample, has not been mined yet.`,
  ],
  EmptyCommitment: ["RULE_VIOLATION", "commitment-given", "The commitment must not be zero."],
  SecondPartyNotAllowed: [
    "RULE_VIOLATION",
    "party-allowed",
    "The second party must be a registrar, an evaluator or the guardian, not an operator, and must not have withheld its secret before.",
  ],
  DrawSignatureExpired: ["RULE_VIOLATION", "deadline-ahead", "The deadline of the signature is over."],
  DrawSignatureInvalid: [
    "RULE_VIOLATION",
    "party-signed",
    "The account did not sign this commitment for this round of the campaign's draw.",
  ],
  DrawHasSecondParty: [
    "CONFLICT",
    "second-party-once",
    (args) => `Account ${String(args[1])} is the draw's second party already.`,
  ],
  DrawIsOpen: ["CONFLICT", "draw-not-open", "The draw is open: no party can join, and no term can change."],
  DrawNotOpen: ["CONFLICT", "draw-open", "The draw is not open yet."],
  SecretWrong: ["RULE_VIOLATION", "secret-committed", "No party of this draw committed to that secret."],
  SecretAlreadyRevealed: ["CONFLICT", "secret-once", "The party has revealed its secret already."],
  DrawBlockLost: [
    "CONFLICT",
    "draw-block-reachable",
    (args) => `The hash of block ${String(args[1])} is out of reach: the draw must be postponed.`,
  ],
  DrawBlockNotLost: ["CONFLICT", "draw-block-lost", "The hash of the draw's block is not out of reach."],
  RevealNotOver: ["CONFLICT", "reveal-time-over", "The time to reveal the secrets is not over."],
  RevealOver: ["CONFLICT", "secrets-in-time", "The time to reveal the secrets is over: the draw must be repeated."],
  DrawnByOneParty: [
    "RULE_VIOLATION",
    "draw-by-two-parties",
    "One party alone could have chosen the draw, so no certificate can be made from the result.",
  ],
  PositionNotDrawn: ["RULE_VIOLATION", "random-selection-verified", "The household is not in the drawn sample."],
  PositionDropped: ["RULE_VIOLATION", "random-selection-verified", "The household was replaced by another."],
  PositionHasClaim: [
    "CONFLICT",
    "household-unmeasured",
    "The household has a claim, so it can neither be replaced nor be missing.",
  ],
  PositionIsMissing: ["CONFLICT", "household-not-missing", "The household is marked as missing, which is final."],
  EvidenceMissing: [
    "RULE_VIOLATION",
    "evidence-given",
    'A replacement, and a position that is missing for the reason "other", need evidence.',
  ],
  SampleIncomplete: [
    "CONFLICT",
    "sample-complete",
    (args) => `${args[1]} drawn households are neither measured nor replaced nor marked as missing.`,
  ],
  TooManyMissing: [
    "RULE_VIOLATION",
    "sample-complete",
    (args) => `${args[2]} of ${args[3]} households of a group are missing; at most a tenth may be.`,
  ],
  FrameExhausted: ["CONFLICT", "frame-left", "The group's frame has no household left to replace it by."],
  KptClaimNumberZero: ["RULE_VIOLATION", "claim-number", "Claims are counted from 1."],
  KptClaimHashEmpty: ["RULE_VIOLATION", "claim-hash", "The hashes of the claim and its credential must not be empty."],
  KptCredentialUsed: ["CONFLICT", "credential-unused", "The credential was recorded for another KPT claim."],
  CampaignPeriodNotOver: ["CONFLICT", "period-over", "The campaign's last day is not over yet."],
  KptClaimExists: [
    "CONFLICT",
    "same-claim",
    (args) => `Claim ${encodeKptClaimId(BigInt(String(args[0])))} is recorded.`,
  ],
  NoReferenceClaims: [
    "RULE_VIOLATION",
    "control-group-present",
    "An intervention claim needs a verified claim of the reference group.",
  ],
  UnknownKptClaim: ["NOT_FOUND", "claim-exists", "There is no such claim."],
  KptClaimAlreadyRevoked: ["CONFLICT", "claim-not-revoked", "The claim is revoked already."],
  ReasonInvalid: [
    "RULE_VIOLATION",
    "reason-length",
    (args) => `The reason must have between 1 and ${String(args[1])} bytes.`,
  ],
  EmptyResultHash: ["RULE_VIOLATION", "result-hash", "The hash of the result must not be empty."],
  CampaignAlreadyCertified: ["CONFLICT", "campaign-not-certified", "The campaign has a certificate already."],
  CertificateLinked: ["CONFLICT", "certificate-not-linked", "The certificate is another campaign's."],
  CertificatePlanDiffers: ["RULE_VIOLATION", "certificate-plan", "The certificate is not of the campaign's plan."],
  // bounds and tokens
  InvalidClaimWindow: ["RULE_VIOLATION", "claim-window", "The claim window is out of bounds."],
  InvalidTrustPeriod: ["RULE_VIOLATION", "dates-ordered", "The trust must not end before it starts."],
  ERC20InvalidReceiver: ["RULE_VIOLATION", "account-given", "The zero address cannot receive tokens."],
  ERC20InvalidSpender: ["RULE_VIOLATION", "account-given", "The zero address cannot spend tokens."],
  ERC20InsufficientBalance: ["CONFLICT", "balance", "The account does not hold enough of the token."],
  ERC20InsufficientAllowance: ["CONFLICT", "allowance", "The account has not approved enough of the token."],
};

/** Find the revert data in an error of viem; undefined when the chain did not execute the call. */
export function revertData(thrown: unknown): Hex | undefined {
  if (!(thrown instanceof BaseError)) return undefined;
  let found: Hex | undefined;
  thrown.walk((inner) => {
    const data: unknown = (inner as { data?: unknown } | null)?.data;
    const hex = typeof data === "object" && data !== null ? (data as { data?: unknown }).data : data;
    if (isHex(hex)) found = hex;
    return false;
  });
  if (found !== undefined) return found;
  return /revert/i.test(thrown.message) ? "0x" : undefined;
}

/** Decode revert data with the errors of all our contracts; undefined for an unknown error. */
export function decodeContractError(data: Hex): ContractError | undefined {
  try {
    const { errorName, args } = decodeErrorResult({ abi: allErrors, data });
    return { name: errorName, args: args ?? [] };
  } catch {
    return undefined;
  }
}

/** Convert revert data to the caller's error. It is never a 500, not even for an unknown contract error. */
export function errorOf(data: Hex, reading?: RevertReading): AppError {
  const error = decodeContractError(data);
  return error === undefined ? ledgerRefused(data) : errorOfRevert(error, data, reading);
}

/** Convert a decoded contract error to the caller's error. `args` may be empty where only a selector is known. */
export function errorOfRevert(error: ContractError, data: Hex = "0x", reading?: RevertReading): AppError {
  const special = reading?.(error);
  if (special !== undefined) return special;
  if (error.name === "RedemptionRuleBroken") return redemptionError(Number(error.args[1])) ?? ledgerRefused(data);
  const entry = entries[error.name];
  if (entry === undefined) return ledgerRefused(data, error.name);
  const [code, rule, text] = entry;
  const message = typeof text === "string" ? text : text(error.args);
  return new AppError(code, message, {
    details: [{ rule, message, code: codeOfContractError(error.name), values: {} }],
  });
}

/** Code of a contract error's sentence: `PositionDropped` is `ledger-position-dropped`. */
export function codeOfContractError(name: string): string {
  return `ledger${name.replaceAll(/[A-Z]+(?![a-z])|[A-Z]/g, (word) => `-${word.toLowerCase()}`)}`;
}

/** Convert a failed simulation or estimate to the caller's error; undefined when the chain did not answer. */
export function errorFromRevert(thrown: unknown, reading?: RevertReading): AppError | undefined {
  const data = revertData(thrown);
  return data === undefined ? undefined : errorOf(data, reading);
}

function ledgerRefused(data: Hex, name?: string): AppError {
  const detail =
    name === undefined ? broken("ledger-refuses", undefined) : broken("ledger-refuses-for", undefined, { name });
  return new AppError("RULE_VIOLATION", detail.message, {
    details: [detail],
    cause: new Error(`unmapped revert ${data.slice(0, 10)}`),
  });
}

/** Names of all contract errors with a specific message. A test compares them with the ABIs. */
export const mappedErrors: ReadonlySet<string> = new Set([...Object.keys(entries), "RedemptionRuleBroken"]);
