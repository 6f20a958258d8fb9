import { z } from "@hono/zod-openapi";
import { consentLevels } from "../../../indexer/schema/consent-words.ts";
import { orderNonce } from "../../platform/chain/index.ts";
import { actingChannels, listQuery, page, roles } from "../../platform/http/index.ts";
import { amountInResponse, integer, parseScaled, positiveCarbonAmount } from "../../platform/values/numbers.ts";
import { bytes32, calendarDate, did, freeText, identifier, timestamp } from "../../platform/values/text.ts";
import { cardId, cardLanguage, cardStatus, pin } from "../cards/index.ts";
import { codesPerVoucher } from "../codes/index.ts";

const voucherId = identifier(128).openapi({ example: "VCHR-00000000000011" });
const redemptionId = identifier(128).openapi({ example: "REDM-000000000000000000010" });
const hash = z.string().openapi({ pattern: "^0x[0-9a-f]{64}$" });
export const reason = freeText(500);

/** Dates in the format of the requirements; a full ISO 8601 date-time is not accepted. */
export const voucherAttributes = z
  .strictObject({ batchId: identifier(128), issuanceDate: calendarDate, expiryDate: calendarDate })
  .openapi("VoucherAttributes");
export type VoucherAttributes = z.infer<typeof voucherAttributes>;

export const voucherStatuses = ["active", "exhausted", "suspended", "cancelled", "expired"] as const;
export const voucherStatus = z.enum(voucherStatuses).openapi("VoucherStatus");
export type VoucherStatus = z.infer<typeof voucherStatus>;

export const warning = z.object({ rule: z.string(), message: z.string() }).openapi("Warning");

export const voucher = z
  .object({
    id: voucherId,
    status: voucherStatus,
    recipientDid: did.optional().openapi({ description: "Absent for suppliers." }),
    emissionCertificateId: z.string(),
    value: amountInResponse,
    remainingBalance: amountInResponse,
    attributes: z.object({ batchId: z.string(), issuanceDate: z.string(), expiryDate: z.string() }),
    replaces: voucherId.optional().openapi({ description: "The cancelled voucher that this one replaces." }),
  })
  .openapi("Voucher");
export type Voucher = z.infer<typeof voucher>;

export const issueRequest = z
  .strictObject({
    recipientDid: did,
    emissionCertificateId: identifier(128).openapi({ example: "CERT-456" }),
    value: positiveCarbonAmount.openapi({ example: 100 }),
    attributes: voucherAttributes,
  })
  .openapi("IssueRequest");
export type IssueRequest = z.infer<typeof issueRequest>;

export const issuedVoucher = voucher
  .extend({
    transactionHash: hash,
    warnings: z.array(warning).optional(),
  })
  .openapi("IssuedVoucher");
export type IssuedVoucher = z.infer<typeof issuedVoucher>;

export const issueBatchRequest = z
  .strictObject({
    emissionCertificateId: identifier(128),
    attributes: voucherAttributes,
    codes: z.strictObject({ perVoucher: codesPerVoucher, language: cardLanguage }).optional().openapi({
      description:
        "Make one-time codes for each voucher and commit them with it. The set has the operation's id; print it with GET /v1/code-sets/{codeSetId}/sheets.",
    }),
  })
  .openapi("IssueBatchRequest");
export type IssueBatchRequest = z.infer<typeof issueBatchRequest>;

const signedOrder = {
  signature: z
    .string()
    .regex(/^0x([0-9a-fA-F]{2}){1,4096}$/, "Hexadecimal bytes are expected.")
    .transform((text) => text as `0x${string}`),
  nonce: orderNonce.openapi({
    type: ["string", "integer"],
    description: "As signed; each settles once for each household. Decimal text when it exceeds 2^53.",
  }),
  deadline: integer(0, Number.MAX_SAFE_INTEGER).openapi({ description: "As signed; seconds since 1970." }),
};
export const householdAuthorization = z.strictObject(signedOrder).openapi("HouseholdAuthorization");

const signatureConsent = z.strictObject({ type: z.literal("signature"), ...signedOrder });
const codeConsent = z.strictObject({
  type: z.literal("code"),
  ...signedOrder,
  proof: z.array(bytes32).max(32).optional().openapi({
    description:
      "Leads from the one-time key to the root on the ledger. Absent: the service adds it, if it made the code.",
  }),
});
const cardCode = freeText(64).openapi({
  description: "The 12 digits on the card, or its 11 digits without the check digit, or the text of its QR code.",
  example: "HC1:40718293651:4",
});
const pinConsent = z
  .strictObject({
    type: z.literal("pin"),
    card: cardCode.optional(),
    pin: pin
      .optional()
      .openapi({ description: "The service checks it. Absent: the caller states that it has checked it." }),
    repeat: z.literal(true).optional().openapi({
      description:
        "Only say how an earlier request with this Idempotency-Key ended. Where nothing was sent, nothing is, and no PIN is tried.",
    }),
  })
  .refine(({ card, pin: given }) => card === undefined || given !== undefined, {
    path: ["pin"],
    message: "A card needs the household's PIN.",
    params: { rule: "pin-given" },
  });
/** Consents that the chain checks for any sender. */
export const checkedConsent = z.discriminatedUnion("type", [signatureConsent, codeConsent]).openapi("CheckedConsent");
export const consent = z.discriminatedUnion("type", [signatureConsent, codeConsent, pinConsent]).openapi("Consent", {
  description:
    "How the household agrees: by its account's signature, by one of its one-time keys, whose address is the nonce, or by its PIN. Any key that may redeem can send card and PIN, which the service checks. Without a card, the key needs the scope vouchers:attest-pin.",
});
export type Consent = z.infer<typeof consent>;
export const consentLevel = z.enum(consentLevels).openapi("ConsentLevel", {
  description:
    "How the household agreed. The ledger has checked code and signature; pin is only the service's statement.",
});

export const redeemRequest = z
  .strictObject({
    voucherId,
    supplierDid: did,
    amount: positiveCarbonAmount.openapi({ example: 50 }),
    productId: identifier(128).openapi({ example: "PROD-789" }),
    consent: consent.optional().openapi({ description: "Absent: none, within the cap of the voucher's plan." }),
    householdAuthorization: householdAuthorization
      .optional()
      .openapi({ description: "The same as a consent of type signature." }),
    acceptedOffline: timestamp
      .optional()
      .openapi({ description: "When the till accepted the order without a network. The limit of a card applies." }),
  })
  .openapi("RedeemRequest");
export type RedeemRequest = z.infer<typeof redeemRequest>;

export const redemptionStatuses = [
  "pending_delivery",
  "reversed",
  "lapsed",
  "under_review",
  "settled",
  "rejected",
  "disputed",
  "invalidated",
] as const;
export const redemptionStatus = z.enum(redemptionStatuses).openapi("RedemptionStatus");
export type RedemptionStatus = z.infer<typeof redemptionStatus>;

export const actingChannel = z.enum(actingChannels).openapi("ActingChannel", {
  description:
    "Through what somebody acted for a household: a supplier's till, the implementer's staff (`field-team`), a collector's phone, the " +
    "household's own phone by USSD or SMS, the oracle's agent, another program, or the scheme's staff.",
});
const actedBy = z
  .object({
    channel: actingChannel,
    role: z.enum(roles),
    caller: z.string().nullable().openapi({
      description:
        "API key or account, for the regulator, evaluators and admins. Of the oracle's agent: `oracle:` and the DID of the person it acts for.",
    }),
  })
  .nullable()
  .openapi({
    description:
      "Who acted for the household. Null where the supplier sent its own transaction, or before this was stored.",
  });

export const actorFigures = z
  .object({
    items: z.array(z.object({ channel: actingChannel, consent: consentLevel, count: z.int() })),
  })
  .openapi("RedemptionActorFigures");
export type ActorFigures = z.infer<typeof actorFigures>;

export const redemption = z
  .object({
    redemptionId,
    voucherId,
    supplierDid: z.string(),
    productId: z.string(),
    amount: amountInResponse,
    status: redemptionStatus,
    consent: consentLevel,
    actedBy,
    flagged: z.boolean().openapi({ description: "An evaluator wants its claim reviewed." }),
    redeemedAt: timestamp,
    claimDeadline: timestamp,
    transactionHash: hash,
  })
  .openapi("Redemption");
export type RedemptionRecord = z.infer<typeof redemption>;

export const redeemed = z
  .object({
    redemptionId,
    voucherId,
    supplierDid: z.string(),
    productId: z.string(),
    amount: amountInResponse,
    status: z.literal("pending_delivery"),
    consent: consentLevel,
    redeemedAt: timestamp,
    claimDeadline: timestamp,
    remainingBalance: amountInResponse,
    transactionHash: hash,
    voucher,
  })
  .openapi("Redeemed");
export type Redeemed = z.infer<typeof redeemed>;

export const voucherParams = z.object({ voucherId: z.string().min(1).max(128) });
export const redemptionParams = z.object({ redemptionId: z.string().min(1).max(128) });

export const actionRequest = z.strictObject({ reason }).openapi("ActionRequest");
export const optionalReason = z.strictObject({ reason: reason.optional() }).openapi("OptionalReason");
export const reissueRequest = z
  .strictObject({
    reason: reason.optional(),
    attributes: voucherAttributes
      .optional()
      .openapi({ description: "Absent: as the voucher that is replaced, with the time that it has been cancelled." }),
  })
  .openapi("ReissueRequest");
export type ReissueRequest = z.infer<typeof reissueRequest>;

export const changedVoucher = voucher.extend({ transactionHash: hash }).openapi("ChangedVoucher");
export type ChangedVoucher = z.infer<typeof changedVoucher>;
export const changedRedemption = redemption
  .extend({
    changeTransactionHash: hash,
    refundedTo: z.enum(["voucher", "certificate"]).optional(),
  })
  .openapi("ChangedRedemption");
export type ChangedRedemption = z.infer<typeof changedRedemption>;

export const proof = z
  .object({
    voucherId,
    voucher: z.string().openapi({ description: "On-chain id, decimal." }),
    opened: z.boolean().openapi({ description: "True: no proof is needed." }),
    household: z.number().int(),
    value: z.string().openapi({ description: "Micro-CARBON, decimal." }),
    proof: z.array(hash).openapi({ description: "Siblings from the leaf up; empty for a voucher issued alone." }),
    contract: z.string(),
    chainId: z.number().int(),
  })
  .openapi("VoucherProof");
export type Proof = z.infer<typeof proof>;

export const qrQuery = z.object({
  format: z.enum(["svg", "png"]).optional().openapi({ description: "Default: svg, unless only PNG is accepted." }),
});

const dids = z.string().min(1).max(256);
export const voucherListQuery = listQuery.extend({
  recipientDid: dids.optional(),
  batchId: z.string().min(1).max(128).optional(),
  status: voucherStatus.optional(),
  emissionCertificateId: z.string().min(1).max(128).optional(),
});
export type VoucherListQuery = z.infer<typeof voucherListQuery>;
export const redemptionListQuery = listQuery.extend({
  voucherId: z.string().min(1).max(128).optional(),
  supplierDid: dids.optional(),
  status: redemptionStatus.optional(),
  redeemedFrom: timestamp.optional().openapi({ description: "First moment, with its offset from UTC." }),
  redeemedBefore: timestamp.optional().openapi({ description: "First moment after the period." }),
});
export type RedemptionListQuery = z.infer<typeof redemptionListQuery>;
export const voucherPage = page(voucher).openapi("VoucherPage");
export const redemptionPage = page(redemption).openapi("RedemptionPage");

export const historyEvent = z
  .object({
    event: z.string(),
    occurredAt: timestamp,
    transactionHash: hash,
    blockNumber: z.number().int(),
    redemptionId: redemptionId.optional(),
    supplierDid: z.string().optional(),
    productId: z.string().optional(),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi("VoucherEvent");
export type HistoryEvent = z.infer<typeof historyEvent>;
export const historyPage = page(historyEvent).openapi("VoucherHistory");

const consentRequired = z.boolean().openapi({
  description: "Whether every redemption needs the household's signature or one of its codes.",
});
export const nextCode = z
  .object({
    code: z.string().openapi({ format: "password", description: "Anyone who has it can spend the voucher." }),
    place: z.int().openapi({ description: "Its place on the household's paper, from 1." }),
  })
  .openapi("NextCode");
export type NextCode = z.infer<typeof nextCode>;

export const consentTermsQuery = z.strictObject({
  supplierDid: did,
  amount: z
    .string()
    .regex(/^\d{1,10}(\.\d{1,6})?$/, "An amount with at most 6 decimals is expected.")
    .transform((text) => parseScaled(text, 6) ?? 0n)
    .optional()
    .openapi({ type: "string", description: "In CARBON. Absent: whether some amount is allowed.", example: "12.5" }),
});
export type ConsentTermsQuery = z.infer<typeof consentTermsQuery>;
const consentOption = z
  .object({
    level: consentLevel,
    isAllowed: z.boolean(),
    rule: z.string().optional().openapi({ description: "The rule that a redemption on this level would break." }),
    message: z.string().optional(),
    left: amountInResponse.optional().openapi({ description: "What may be redeemed on this level now." }),
    limit: amountInResponse.optional().openapi({ description: "What may be redeemed on this level in a day." }),
  })
  .openapi("ConsentOption");
export type ConsentOption = z.infer<typeof consentOption>;
export const consentTerms = z
  .object({
    consentRequired,
    levels: z.array(consentOption).openapi({ description: "The strongest one first." }),
  })
  .openapi("ConsentTerms");
export type ConsentTerms = z.infer<typeof consentTerms>;

const offlineLimits = z.object({ perCard: amountInResponse, perDevice: amountInResponse }).openapi({
  description:
    "Most CARBON of orders that a till accepted without a network and that the service has not answered: of one card, and of all of them.",
});
export const redemptionTerms = z.object({ consentRequired, offlineLimits }).openapi("RedemptionTerms");
export type RedemptionTerms = z.infer<typeof redemptionTerms>;
export const redemptionTermsChange = z.strictObject({ consentRequired }).openapi("RedemptionTermsChange");
export type RedemptionTermsChange = z.infer<typeof redemptionTermsChange>;

export const lookupRequest = z
  .strictObject({
    code: cardCode,
  })
  .openapi("LookUpCard");
export const foundCard = z
  .object({
    cardId,
    status: cardStatus,
    householdDid: did.optional().openapi({ description: "Absent for suppliers." }),
    offlineLimit: amountInResponse.openapi({
      description: "Most CARBON of this card's orders that a till may accept without a network.",
    }),
    vouchers: z
      .array(z.object({ id: z.string(), remainingBalance: amountInResponse, expiryDate: z.string() }))
      .openapi({
        description: "The household's vouchers that can be redeemed today; empty unless the card is active.",
      }),
  })
  .openapi("FoundCard");
export type FoundCard = z.infer<typeof foundCard>;
