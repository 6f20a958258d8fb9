import { z } from "@hono/zod-openapi";
import { listQuery, page } from "../../../platform/http/index.ts";
import { amountInResponse } from "../../../platform/values/numbers.ts";
import { account, did, timestamp } from "../../../platform/values/text.ts";

export const payment = z
  .object({
    id: z.string(),
    claimId: z.string(),
    redemptionId: z.string(),
    supplierDid: did,
    account: z.string().openapi({ description: "The account on chain that was paid." }),
    asset: z.enum(["stablecoin", "CARBON"]).openapi({ description: "CARBON when the pool did not pay." }),
    amount: amountInResponse,
    setOff: amountInResponse.openapi({ description: "CARBON kept back against the supplier's debt." }),
    paidAt: z.iso.datetime(),
    transactionHash: z.string(),
    blockNumber: z.number().int(),
    final: z.boolean().openapi({ description: "True: the chain can no longer lose the payment's block." }),
  })
  .openapi("Payment");
export type Payment = z.infer<typeof payment>;

export const paymentPage = page(payment).openapi("PaymentPage");
export const paymentQuery = listQuery.extend({
  supplierDid: did.optional(),
  account: account.optional(),
  paidFrom: timestamp.optional().openapi({ description: "First moment, with its offset from UTC." }),
  paidBefore: timestamp.optional().openapi({ description: "First moment after the period." }),
});
export type PaymentQuery = z.infer<typeof paymentQuery>;
