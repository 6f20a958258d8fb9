import { z } from "@hono/zod-openapi";
import { amountInResponse } from "../../../api/platform/values/numbers.ts";
import { timestamp } from "../../../api/platform/values/text.ts";
import { payoutStatuses } from "../orders/schemas.ts";

export const differences = [
  "payment-without-order",
  "order-without-payment",
  "payment-differs",
  "partner-status-differs",
  "partner-amount-differs",
  "partner-does-not-know",
  "partner-not-reached",
  "paid-twice",
] as const;
export type DifferenceKind = (typeof differences)[number];

export const reconciliationQuery = z.strictObject({
  paidFrom: timestamp.openapi({ description: "First moment, with its offset from UTC." }),
  paidBefore: timestamp.openapi({ description: "First moment after the period." }),
});
export type ReconciliationQuery = z.output<typeof reconciliationQuery>;

const difference = z
  .object({
    paymentId: z.string(),
    kind: z.enum(differences),
    reference: z.string().nullable().openapi({ description: "Of the attempt." }),
    recorded: z.string().nullable().openapi({ description: "What the order says." }),
    found: z.string().nullable().openapi({ description: "What the chain or the partner says." }),
  })
  .openapi("PayoutDifference");
export type Difference = z.output<typeof difference>;

export const reconciliation = z
  .object({
    paidFrom: timestamp,
    paidBefore: timestamp,
    payments: z.number().int().openapi({ description: "Final payments in stablecoin to the partners' accounts." }),
    paidOnChain: amountInResponse.openapi({ description: "Their sum in stablecoin." }),
    orders: z.array(
      z.object({
        status: z.enum(payoutStatuses),
        currency: z.string().nullable(),
        count: z.number().int(),
        stablecoin: amountInResponse,
        amount: amountInResponse,
        remainder: z.string().openapi({ description: "What rounding left, in the currency." }),
      }),
    ),
    asked: z.number().int().openapi({ description: "Attempts whose status the partner was asked for now." }),
    differences: z.array(difference).openapi({ description: "Empty when everything agrees." }),
  })
  .openapi("PayoutReconciliation");
export type Reconciliation = z.output<typeof reconciliation>;
