import { z } from "@hono/zod-openapi";
import { conversionStatuses } from "../../../../indexer/schema/itmo-words.ts";
import { orderNonce, orderSignatures, typedDataToSign } from "../../../platform/chain/index.ts";
import { listQuery, page } from "../../../platform/http/index.ts";
import { preparedTransaction } from "../../../platform/transactions/index.ts";
import { amountInResponse } from "../../../platform/values/numbers.ts";
import { did, identifier } from "../../../platform/values/text.ts";
import { deadline } from "../../pool/index.ts";
import { reason } from "../../registry/index.ts";
import { bufferHold } from "../buffer/schemas.ts";
import { authorizationId, cooperativeApproachId, itmoRegistryId, itmoSerialNumber } from "../codes.ts";
import { conversionTerms } from "./terms.ts";

export const newConversion = z
  .strictObject({
    ...conversionTerms,
    signatures: orderSignatures({ nonce: orderNonce.optional(), deadline: deadline.optional() }).optional().openapi({
      description: "Absent: the answer says what to sign, and nothing is done.",
    }),
  })
  .openapi("NewConversion");
export type NewConversion = z.infer<typeof newConversion>;
export type ConversionTerms = Omit<NewConversion, "signatures">;

const partToSign = z
  .object({
    vintage: z.number().int(),
    amount: amountInResponse,
    typedData: z.array(typedDataToSign),
    nonce: z.string(),
    deadline: z.number().int(),
  })
  .openapi("ConversionPartToSign");

export const conversionToSign = z
  .object({
    conversions: z.array(partToSign).openapi({
      description:
        "One for each vintage, the oldest first. Send each in this order: the same body with its `vintage` and `amount`, and the signatures of its `typedData`.",
    }),
    typedData: z.array(typedDataToSign).openapi({
      description: "Of the first conversion. Sign each and send the same body with its `vintage` and `signatures`.",
    }),
    transactions: z.array(preparedTransaction).openapi({ description: "Or send these from the account itself." }),
    nonce: z.string().openapi({ description: "The order's nonce, to be given back in `signatures`." }),
    deadline: z.number().int().openapi({ description: "Unix seconds; to be given back in `signatures`." }),
  })
  .openapi("ConversionToSign");
export type ConversionToSign = z.infer<typeof conversionToSign>;

export const vintageList = z
  .object({
    items: z.array(
      z.object({
        vintage: z.number().int(),
        available: amountInResponse.openapi({ description: "CARBON of valid certificates." }),
        reachable: amountInResponse.openapi({ description: "What one conversion can take of it." }),
        tonnes: z.number().int().openapi({ description: "The whole tonnes of that." }),
      }),
    ),
  })
  .openapi("VintageList");
export type VintageList = z.infer<typeof vintageList>;

export const conversion = z
  .object({
    conversionId: z.string().openapi({ example: "CONV-00000011" }),
    status: z.enum(conversionStatuses),
    implementerDid: did.nullable(),
    amount: amountInResponse,
    quantity: z.number().int().openapi({ description: "Tonnes of CO2 equivalent." }),
    cooperativeApproachId: z.string(),
    authorizationId: z.string(),
    vintage: z.number().int(),
    lots: z.array(z.object({ certificateId: z.string(), amount: amountInResponse })).openapi({
      description: "What the conversion took of each certificate, in order; empty once it is reverted.",
    }),
    account: z.string().openapi({
      description: "Where the CARBON came from. A reversal returns it to the account that the implementer has then.",
    }),
    requestedAt: z.iso.datetime(),
    reclaimableFrom: z.iso.datetime().nullable().openapi({
      description:
        "When the implementer's account may take the CARBON back, 90 days after the request and later by the time in which the cap of a day was 0; null once it is answered.",
    }),
    itmoRegistryId: z.string().nullable(),
    firstId: z.string().nullable(),
    lastId: z.string().nullable(),
    uniqueId: z.string().nullable().openapi({ description: "Of all that was minted." }),
    blockId: z.string().nullable().openapi({ description: "The block that begins with the first serial." }),
    buffer: bufferHold.nullable().openapi({
      description: "What the invalidation buffer held of it; null if it never held anything.",
    }),
    reason: z.string().nullable().openapi({ description: "Why it was reverted." }),
    answeredAt: z.iso.datetime().nullable(),
    index: z.number().int().openapi({ description: "The conversion's number on chain, from 1." }),
    transactionHash: z.string().openapi({ description: "Of the request." }),
    blockNumber: z.number().int(),
    answerTransactionHash: z.string().nullable(),
  })
  .openapi("Conversion");
export type Conversion = z.infer<typeof conversion>;

export const conversionPage = page(conversion).openapi("ConversionPage");
export const conversionQuery = listQuery.extend({
  implementerDid: did.optional(),
  authorizationId: authorizationId.optional(),
  cooperativeApproachId: cooperativeApproachId.optional(),
  status: z.enum(conversionStatuses).optional(),
});
export type ConversionQuery = z.infer<typeof conversionQuery>;
export const conversionParams = z.object({
  conversionId: identifier(64).openapi({ param: { name: "conversionId", in: "path" }, example: "CONV-00000011" }),
});

export const finalisation = z
  .strictObject({ itmoRegistryId, firstId: itmoSerialNumber, lastId: itmoSerialNumber })
  .openapi("Finalisation", { description: "The serial block that the national registry gave." });
export type Finalisation = z.infer<typeof finalisation>;

export const reversal = z.strictObject({ reason }).openapi("ConversionReversal");
export type Reversal = z.infer<typeof reversal>;
