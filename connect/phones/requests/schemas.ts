import { z } from "@hono/zod-openapi";
import { amountInResponse, positiveCarbonAmount } from "../../../api/platform/values/numbers.ts";
import { did, identifier, timestamp } from "../../../api/platform/values/text.ts";
import { requestStatuses } from "../tables.ts";

export const newRequest = z
  .strictObject({
    voucherId: identifier(128),
    supplierDid: did,
    productId: identifier(128),
    amount: positiveCarbonAmount.openapi({ example: 10 }),
  })
  .openapi("NewPhoneRequest");
export type NewRequest = z.output<typeof newRequest>;

export const phoneRequest = z
  .object({
    requestId: z.string(),
    voucherId: z.string(),
    supplierDid: z.string(),
    productId: z.string(),
    amount: amountInResponse,
    status: z.enum([...requestStatuses, "expired"]).openapi({
      description:
        "sent: the household agreed, and the transaction is not in a block yet. cancelled: by the supplier, before the household agreed.",
    }),
    redemptionId: z.string().nullable(),
    createdAt: timestamp,
    expiresAt: timestamp,
  })
  .openapi("PhoneRequest");
export type PhoneRequest = z.output<typeof phoneRequest>;
export const requestParams = z.object({
  requestId: z.string().openapi({ param: { name: "requestId", in: "path" } }),
});
