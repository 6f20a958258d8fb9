import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../api/platform/http/index.ts";
import { amountInResponse, nullableAmountInResponse } from "../../../api/platform/values/numbers.ts";
import { did, identifier, timestamp } from "../../../api/platform/values/text.ts";
import { attemptStatuses, waitReasons } from "../tables.ts";

export const payoutStatuses = ["waiting", "sent", "unknown", "succeeded", "failed"] as const;
export type PayoutStatus = (typeof payoutStatuses)[number];

const attempt = z
  .object({
    reference: z.string().openapi({ description: "The partner knows the transfer by it." }),
    number: z.number().int(),
    partnerId: z.string(),
    account: z.string().openapi({ description: "Last 3 digits of the mobile number.", example: "•••567" }),
    status: z.enum(attemptStatuses),
    reason: z.string().nullable().openapi({ description: "The partner's." }),
    partnerTransaction: z.string().nullable(),
    preparedAt: timestamp,
    calledAt: timestamp.nullable().openapi({ description: "When the partner was last called for the transfer." }),
    sentAt: timestamp.nullable().openapi({ description: "When the partner accepted it." }),
    askedAt: timestamp.nullable().openapi({ description: "When the partner was last asked for its status." }),
    endedAt: timestamp.nullable(),
  })
  .openapi("PayoutAttempt");

export const payout = z
  .object({
    id: z.string().openapi({ description: "Id of the payment on chain." }),
    claimId: z.string(),
    supplierDid: did,
    status: z.enum(payoutStatuses).openapi({
      description:
        "waiting: nothing was sent. sent: the partner has it. unknown: the partner was called and has not said what happened.",
    }),
    waitsFor: z.enum(waitReasons).nullable().openapi({
      description:
        "Why it waits: no mobile account, no open partner that was paid, no rate, another currency, too small an amount, or a receipt that differs.",
    }),
    stablecoin: amountInResponse.openapi({ description: "What the chain paid." }),
    rate: nullableAmountInResponse,
    amount: nullableAmountInResponse.openapi({ description: "In the currency, rounded down." }),
    currency: z.string().nullable(),
    remainder: z.string().nullable().openapi({ description: "What rounding left, in the currency, as decimal text." }),
    account: z.string().openapi({ description: "The account on chain that was paid." }),
    transactionHash: z.string(),
    blockNumber: z.number().int(),
    paidAt: timestamp,
    endedAt: timestamp.nullable(),
    attempts: z.array(attempt),
  })
  .openapi("Payout");
export type Payout = z.output<typeof payout>;

export const payoutPage = page(payout).openapi("PayoutPage");
export const payoutQuery = listQuery.extend({
  supplierDid: did.optional(),
  status: z.enum(payoutStatuses).optional(),
  paidFrom: timestamp.optional().openapi({ description: "First moment, with its offset from UTC." }),
  paidBefore: timestamp.optional().openapi({ description: "First moment after the period." }),
});
export type PayoutQuery = z.output<typeof payoutQuery>;
export const payoutParams = z.object({ id: identifier(64).openapi({ param: { name: "id", in: "path" } }) });
