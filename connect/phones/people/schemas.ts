import { z } from "@hono/zod-openapi";
import { did, timestamp } from "../../../api/platform/values/text.ts";
import { phoneLanguages } from "../tables.ts";

/** A phone number in the international format, without spaces. */
export const phoneNumber = z
  .string()
  .regex(/^\+[1-9]\d{6,14}$/, "A number such as +260971234567 is expected.")
  .openapi({ example: "+260971234567" });

export const newPhone = z
  .strictObject({ householdDid: did, number: phoneNumber, language: z.enum(phoneLanguages) })
  .openapi("NewPhone");
export type NewPhone = z.output<typeof newPhone>;

export const phone = z
  .object({
    number: phoneNumber,
    householdDid: did,
    language: z.enum(phoneLanguages),
    stoppedAt: timestamp.nullable().openapi({ description: "Since when the phone gets no SMS." }),
    createdAt: timestamp,
  })
  .openapi("Phone");
export type Phone = z.output<typeof phone>;
export const phoneList = z.object({ items: z.array(phone) }).openapi("Phones");
export const phoneQuery = z.strictObject({ householdDid: did });
export const removedPhone = z.strictObject({ householdDid: did, number: phoneNumber }).openapi("RemovedPhone");
