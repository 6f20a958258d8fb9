import { z } from "@hono/zod-openapi";
import { presentedCredential } from "../../scheme/claims/schemas.ts";
import { conversionTerms } from "../../scheme/itmo/conversion-terms.ts";
import { swapTerms } from "../../scheme/pool/terms.ts";
import { checkedConsent, householdAuthorization, reason, voucherAttributes } from "../../scheme/vouchers/schemas.ts";
import { orderNonce } from "../chain/order-signatures.ts";
import { carbonAmount, integer, positiveCarbonAmount } from "../http/numbers.ts";
import { address, bytes32, did, identifier } from "../http/text.ts";

const voucherId = identifier(128);
const redemptionId = identifier(128);
const from = address.openapi({ description: "The account that will sign and pay." });
const redemptionTerms = { voucherId, supplierDid: did, productId: identifier(128), amount: positiveCarbonAmount };

const debtPayment = {
  implementerDid: did,
  amount: positiveCarbonAmount,
  from: from.optional().openapi({ description: "Absent: the implementer's account." }),
};

export const prepareRequest = z
  .discriminatedUnion("action", [
    z.strictObject({
      action: z.literal("redeem"),
      ...redemptionTerms,
      consent: checkedConsent.optional(),
      householdAuthorization: householdAuthorization.optional(),
      from: from.optional().openapi({ description: "Absent: the supplier's account." }),
    }),
    z.strictObject({
      action: z.literal("household-authorization"),
      ...redemptionTerms,
      nonce: z
        .string()
        .regex(/^\d{1,78}$/)
        .optional()
        .openapi({ description: "Absent: a random one." }),
      deadline: integer(1, Number.MAX_SAFE_INTEGER)
        .optional()
        .openapi({ description: "Seconds since 1970. Absent: the voucher's last second." }),
    }),
    z.strictObject({
      action: z.literal("claim"),
      redemptionId,
      verifiableCredential: presentedCredential,
    }),
    z.strictObject({ action: z.literal("reverse"), redemptionId, reason }),
    z.strictObject({ action: z.literal("lapse"), redemptionId, from }),
    z.strictObject({ action: z.literal("open"), voucherId, from }),
    z.strictObject({ action: z.literal("sweep"), voucherId, from }),
    z.strictObject({ action: z.literal("cancel"), voucherId, reason }),
    z.strictObject({ action: z.literal("pool-buy"), implementerDid: did, ...swapTerms }),
    z.strictObject({ action: z.literal("pool-sell"), supplierDid: did, ...swapTerms }),
    z.strictObject({ action: z.literal("itmo-convert"), ...conversionTerms }),
    z.strictObject({ action: z.literal("itmo-reclaim"), conversionId: identifier(64) }),
    z.strictObject({ action: z.literal("repay-debt"), ...debtPayment }),
    z.strictObject({ action: z.literal("replace-carbon"), ...debtPayment }),
    z.strictObject({
      action: z.literal("pool-cancel-order"),
      side: z.enum(["buy", "sell"]),
      implementerDid: did.optional().openapi({ description: "Who signed an order to buy." }),
      supplierDid: did.optional().openapi({ description: "Who signed an order to sell." }),
      nonce: orderNonce,
    }),
    z.strictObject({ action: z.literal("itmo-cancel-order"), implementerDid: did, nonce: orderNonce }),
    z.strictObject({
      action: z.literal("cancel-authorization"),
      voucherId: voucherId.openapi({ description: "Any voucher of the household; a nonce is the household's." }),
      nonce: orderNonce.openapi({ description: "Of what was signed; of a code, its key's address as a number." }),
    }),
    z.strictObject({
      action: z.literal("cancel-attestation"),
      from: from.openapi({ description: "The operator's account that signed the attestation." }),
      attestation: bytes32.openapi({ description: "The attestation's EIP-712 digest." }),
    }),
    z.strictObject({
      action: z.literal("contractOracle"),
      from,
      oracleDid: did.optional().openapi({ description: "Absent: this system's own oracle." }),
      user: bytes32.optional().openapi({
        type: "string",
        description: "What the oracle told its user. Absent: the DID of the account itself.",
      }),
      amount: carbonAmount.openapi({ description: "The deposit, in stablecoin.", example: 5 }),
      maxPrice: carbonAmount
        .optional()
        .openapi({ description: "The most that a message may cost. Absent: the price." }),
    }),
    z.strictObject({ action: z.literal("reissue"), voucherId, attributes: voucherAttributes.optional() }),
  ])
  .openapi("PrepareRequest");
export type PrepareRequest = z.infer<typeof prepareRequest>;
export type Prepare<A extends PrepareRequest["action"]> = Extract<PrepareRequest, { action: A }>;

const hex = z.string().openapi({ pattern: "^0x[0-9a-f]*$" });
const decimal = z.string().openapi({ pattern: "^[0-9]+$" });

export const preparedTransaction = z
  .object({
    kind: z.literal("transaction"),
    contract: z.string(),
    functionName: z.string(),
    transaction: z.object({
      type: z.literal("eip1559"),
      chainId: z.number().int(),
      from: hex,
      to: hex,
      nonce: z.number().int(),
      value: decimal,
      data: hex,
      gas: decimal,
      maxFeePerGas: decimal,
      maxPriorityFeePerGas: decimal,
    }),
    unsignedTransaction: hex.openapi({ description: "The same, serialized: sign its keccak-256." }),
    validUntil: z.iso.datetime().optional().openapi({ description: "When what it carries expires." }),
  })
  .openapi("PreparedTransaction");
export const preparedTypedData = z
  .object({
    kind: z.literal("typed-data"),
    signer: hex.nullable().openapi({ description: "The account that must sign; null while the household has none." }),
    typedData: z.object({
      domain: z.record(z.string(), z.unknown()),
      types: z.record(z.string(), z.array(z.object({ name: z.string(), type: z.string() }))),
      primaryType: z.string(),
      message: z.record(z.string(), z.unknown()),
    }),
  })
  .openapi("PreparedTypedData");
export const preparedTransactions = z
  .object({
    kind: z.literal("transactions"),
    transactions: z.array(preparedTransaction).openapi({ description: "Sign and send them in this order." }),
  })
  .openapi("PreparedTransactions");
export const prepared = z.union([preparedTransaction, preparedTransactions, preparedTypedData]).openapi("Prepared");
export type PreparedTransaction = z.infer<typeof preparedTransaction>;
export type PreparedTransactions = z.infer<typeof preparedTransactions>;
export type PreparedTypedData = z.infer<typeof preparedTypedData>;

export const submitRequest = z
  .strictObject({
    signedTransaction: z
      .string()
      .regex(/^0x([0-9a-fA-F]{2}){1,65536}$/, "Hexadecimal bytes of a signed transaction are expected.")
      .transform((text) => text as `0x${string}`),
  })
  .openapi("SubmitTransaction");
export type SubmitRequest = z.infer<typeof submitRequest>;

export const submitted = z
  .object({
    transactionHash: hex,
    blockNumber: z.number().int(),
    status: z.literal("mined"),
    from: hex,
    contract: z.string(),
    functionName: z.string(),
    events: z.array(z.object({ contract: z.string(), event: z.string(), args: z.record(z.string(), z.unknown()) })),
    voucherId: z.string().optional(),
    redemptionId: z.string().optional(),
    conversionId: z.string().optional(),
  })
  .openapi("MinedTransaction");
export type Submitted = z.infer<typeof submitted>;
