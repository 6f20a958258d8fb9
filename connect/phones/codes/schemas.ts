import { z } from "@hono/zod-openapi";
import { did, identifier, timestamp } from "../../../api/platform/values/text.ts";

export const newCodeMessage = z.strictObject({ voucherId: identifier(128), supplierDid: did }).openapi("NewPhoneCode");
export type NewCodeMessage = z.output<typeof newCodeMessage>;

export const codeMessage = z
  .object({
    voucherId: z.string(),
    sentAt: timestamp.openapi({
      description: "When the SMS was handed to be sent. It has the code; this answer has not.",
    }),
  })
  .openapi("PhoneCode");
export type CodeMessage = z.output<typeof codeMessage>;
