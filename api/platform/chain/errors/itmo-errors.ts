import { encodeConversionId } from "../../../../wire/src/ids.ts";
import { dateOf } from "../days.ts";
import { isoTime } from "../times.ts";
import { carbonOf, type ErrorMeanings, roomByHalfDays } from "./contract-errors.ts";

const years = (args: readonly unknown[], from: number) => `between ${String(args[from])} and ${String(args[from + 1])}`;

/** Say how much of a vintage can be converted. `amount`: micro-CARBON; undefined where only the error's selector is known. */
function availableText(vintage: number, amount: unknown): string {
  return `Valid certificates of vintage ${vintage} have ${carbonOf(amount)} CARBON to convert.`;
}

/** Say how much one conversion can take of a vintage. `amount`: as for `availableText`. */
function reachableText(vintage: number, amount: unknown): string {
  return `The amount is spread over too many certificates. One conversion of vintage ${vintage} can take ${carbonOf(amount)} CARBON now.`;
}

/** What the contract stores for an order that its account cancelled, instead of a conversion. */
const cancelledOrder = 2 ** 32 - 1;

/** Say why an order cannot be carried out any more. `conversion`: undefined where only the error's selector is known. */
export function orderUsedText(conversion: unknown): string {
  if (conversion === undefined) return "The order was carried out or cancelled before.";
  if (Number(conversion) === cancelledOrder) return "The order was cancelled by the implementer's account.";
  return `The order was used for conversion ${encodeConversionId(BigInt(String(conversion)))}.`;
}

/** Say until when a reduction can be vetoed. `day`: its first final day; undefined where only the error's selector is known. */
function reductionPendingText(day: unknown): string {
  const announced = "A reduction or revocation of the authorization was announced. The guardian can still veto it";
  if (day === undefined) return `${announced}.`;
  return `${announced}: it is final on ${dateOf(Number(day))}. Until then, units that were not first transferred wait.`;
}

/** Say until when units are held. `until`: seconds; undefined where only the error's selector is known. */
function stillHeldText(until: unknown): string {
  if (until === undefined) return "The holding time is not over.";
  return `The units are held until ${isoTime(Number(until))}.`;
}

/** Meanings of the ITMO contract's errors. */
export const itmoErrors: ErrorMeanings = {
  CodeInvalid: ["RULE_VIOLATION", "code-format", "A code does not have the spelling of the agreed electronic format."],
  TextInvalid: ["RULE_VIOLATION", "id-format", "An id is empty, too long, or has characters that are not allowed."],
  YearsNotOrdered: ["RULE_VIOLATION", "dates-ordered", "The last year must not be before the first."],
  ApproachKnown: ["CONFLICT", "not-registered-before", "The cooperative approach is registered already."],
  UnknownApproach: ["NOT_FOUND", "cooperative-approach-exists", "There is no such cooperative approach."],
  AuthorizationKnown: ["CONFLICT", "not-registered-before", "The authorization is registered already."],
  UnknownAuthorization: ["NOT_FOUND", "authorization-exists", "There is no such authorization."],
  PurposeMissing: ["RULE_VIOLATION", "purpose-given", "An authorization needs a purpose."],
  FirstTransferMismatch: [
    "RULE_VIOLATION",
    "first-transfer-definition",
    "The first transfer is defined for other international mitigation purposes, and only for them.",
  ],
  SharesTooLarge: [
    "RULE_VIOLATION",
    "shares-within-whole",
    "OMGE and share of proceeds must not exceed 100 % together.",
  ],
  DateInFuture: ["RULE_VIOLATION", "date-not-in-future", "The authorization's date is in the future."],
  QuantityZero: ["RULE_VIOLATION", "quantity-positive", "The quantity must be more than 0."],
  QuantityBelowCommitted: [
    "CONFLICT",
    "quantity-committed",
    (args) => `${String(args[2])} tonnes of the authorization are requested or issued already.`,
  ],
  AmountNotWholeTonnes: ["RULE_VIOLATION", "whole-tonnes", "The amount must be a positive multiple of 1000 CARBON."],
  QuantityNotAuthorized: [
    "RULE_VIOLATION",
    "quantity-authorized",
    (args) => `The authorization leaves ${String(args[2])} tonnes.`,
  ],
  VintageNotAuthorized: [
    "RULE_VIOLATION",
    "vintage-authorized",
    (args) => `The vintage must be ${years(args, 1)}, the authorized timeframe.`,
  ],
  VintageInFuture: ["RULE_VIOLATION", "vintage-not-in-future", "The vintage is in the future."],
  NotImplementer: ["FORBIDDEN", "own-identity", "The account is not the implementer's."],
  OrderExpired: ["RULE_VIOLATION", "deadline", "The order's deadline has passed."],
  OrderUsed: ["CONFLICT", "order-unused", (args) => orderUsedText(args[2])],
  SignatureInvalid: ["FORBIDDEN", "signature-valid", "The signature is not the account's for this order."],
  UnknownConversion: ["NOT_FOUND", "conversion-exists", "There is no such conversion."],
  ConversionStatusNotAllowed: [
    "CONFLICT",
    "conversion-status",
    (args) => `The conversion is ${["unknown", "requested", "finalised", "reverted"][Number(args[1])]} already.`,
  ],
  ImplementerNotAuthorized: [
    "RULE_VIOLATION",
    "implementer-authorized",
    "The authorization is reserved for the implementers that its entities name.",
  ],
  ImplementerOwes: [
    "CONFLICT",
    "implementer-debt",
    (args) =>
      `The implementer owes ${carbonOf(args[1])} CARBON of revoked certificates, and ${carbonOf(args[2])} CARBON to the ` +
      "pool. Both must be paid before a conversion becomes final.",
  ],
  LotsTooSmall: ["CONFLICT", "vintage-available", (args) => availableText(Number(args[0]), args[2])],
  TooManyLots: ["CONFLICT", "lots-within-reach", (args) => reachableText(Number(args[0]), args[2])],
  LotNotValid: [
    "CONFLICT",
    "lots-valid",
    "A certificate of the conversion's CARBON is suspended or revoked. Reinstate the certificate, or revert the conversion.",
  ],
  ImplementerSuspended: [
    "CONFLICT",
    "implementer-authorised",
    "The implementer is suspended. Its CARBON waits, and goes to the account that it has when it is authorised again.",
  ],
  TooEarlyToReclaim: ["CONFLICT", "reclaim-time", "The registrar still has time to answer the request."],
  SerialsInvalid: ["RULE_VIOLATION", "serials-ordered", "Serials begin with 1, and the last is not below the first."],
  SerialsNotQuantity: [
    "RULE_VIOLATION",
    "serials-quantity",
    (args) => `The serials must be ${String(args[2])}, one for each tonne.`,
  ],
  SerialsTaken: ["CONFLICT", "serials-disjoint", "The serials overlap another block of the registry."],
  UnknownBlock: ["NOT_FOUND", "block-exists", "There is no such block."],
  BlockNotHeld: [
    "CONFLICT",
    "block-held",
    "The block has been used, cancelled or given away, or the invalidation buffer holds it.",
  ],
  PartOutsideBlock: ["RULE_VIOLATION", "part-within-block", "The serials are not inside the block."],
  PartyNotParticipating: [
    "RULE_VIOLATION",
    "party-participates",
    "The Party does not take part in the cooperative approach.",
  ],
  AlreadyHeldBy: ["CONFLICT", "party-differs", "The Party holds the block already."],
  PurposeNotAuthorized: ["RULE_VIOLATION", "purpose-authorized", "The authorization is not for this purpose."],
  NotTransferred: [
    "CONFLICT",
    "first-transferred",
    "The first transferring Party holds the block: it must be transferred before another can use it.",
  ],
  YearOutsideNdcPeriod: [
    "RULE_VIOLATION",
    "ndc-year",
    (args) => `The year must be ${years(args, 1)}, the NDC implementation period.`,
  ],
  EntityNotAuthorized: ["RULE_VIOLATION", "entity-authorized", "The entity is not authorized."],
  OnlyItmo: ["FORBIDDEN", "role", "Only the ITMO contract can call this."],
  AuthorizationRevoked: ["CONFLICT", "authorization-revoked", "The authorization is revoked."],
  ReductionPending: ["CONFLICT", "reduction-final", (args) => reductionPendingText(args[1])],
  QuantityReduced: [
    "CONFLICT",
    "quantity-reduced",
    (args) =>
      `${String(args[1])} tonnes in total are more than the ${String(args[2])} to which the authorization was reduced.`,
  ],
  NotReduced: [
    "RULE_VIOLATION",
    "reduction-within",
    "A reduction leaves purposes that are authorized, no more tonnes than are, and fewer of one of them.",
  ],
  QuantityFirstTransferred: [
    "CONFLICT",
    "quantity-first-transferred",
    (args) => `${String(args[2])} tonnes were first transferred and stay authorized.`,
  ],
  ReductionFinal: [
    "CONFLICT",
    "reduction-pending",
    "The authorization has no reduction or revocation that can still be vetoed.",
  ],
  OnlyBuffer: ["FORBIDDEN", "role", "Only the invalidation buffer can call this."],
  BlockNotBuffered: ["CONFLICT", "block-buffered", "The invalidation buffer does not hold the block."],
  BufferTermsInvalid: [
    "RULE_VIOLATION",
    "buffer-terms",
    "The share is at most 20 % and the holding time at most 2 920 days. Both are 0, or neither is.",
  ],
  NothingHeld: ["CONFLICT", "units-buffered", "The invalidation buffer holds nothing of the conversion."],
  NothingToCancel: [
    "CONFLICT",
    "revocation-final",
    "There is nothing to cancel: no certificate behind the conversion is finally revoked, or its tonnes are cancelled already.",
  ],
  StillHeld: ["CONFLICT", "holding-time-over", (args) => stillHeldText(args[1])],
  LotInQuestion: [
    "CONFLICT",
    "lots-valid",
    "A certificate behind the conversion is suspended, or its revocation can still be vetoed. The release waits for it.",
  ],
  DailyCapExceeded: ["UNAVAILABLE", "itmo-cap", `The limit of 24 hours for ITMOs is reached. ${roomByHalfDays}`],
};
