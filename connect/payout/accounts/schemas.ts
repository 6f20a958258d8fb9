import { z } from "@hono/zod-openapi";
import { did, freeText, identifier, timestamp } from "../../../api/platform/values/text.ts";

/** A phone number in the international format, without spaces. */
const phoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, "A number such as +260971234567 is expected.")
  .openapi({ example: "+260971234567" });

export const newAccount = z
  .strictObject({
    supplierDid: did,
    partnerId: identifier(64),
    number: phoneNumber,
    holder: freeText(100).openapi({ description: "The name in which the mobile account is registered." }),
  })
  .openapi("NewPayoutAccount");
export type NewAccount = z.output<typeof newAccount>;

export const accountStates = ["applies", "waits", "dropped", "replaced"] as const;
export type AccountState = (typeof accountStates)[number];

export const payoutAccount = z
  .object({
    id: z.string(),
    supplierDid: z.string(),
    partnerId: z.string(),
    number: z.string().openapi({ description: "Its last 3 digits.", example: "•••567" }),
    state: z.enum(accountStates).openapi({
      description:
        "waits: a change that does not apply yet. dropped: another change came before. replaced: applied earlier.",
    }),
    setByRole: z.string(),
    createdAt: timestamp,
    appliesAt: timestamp,
  })
  .openapi("PayoutAccount");
export type PayoutAccount = z.output<typeof payoutAccount>;
export const accountList = z.object({ items: z.array(payoutAccount) }).openapi("PayoutAccounts");
export const accountQuery = z.strictObject({ supplierDid: did });
