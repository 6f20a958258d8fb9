import { z } from "@hono/zod-openapi";
import { did, freeText, timestamp } from "../../../platform/values/text.ts";

export const pin = z
  .string()
  .regex(/^\d{4,6}$/, "4 to 6 digits are expected.")
  .openapi({ description: "4 to 6 digits. Never stored nor logged.", format: "password" });

export const newPin = z
  .strictObject({
    pin,
    reason: freeText(500).optional().openapi({ description: "Required when the household has a PIN already." }),
  })
  .openapi("NewPin");
export type NewPin = z.infer<typeof newPin>;

const pinChange = z.object({ reason: z.string().nullable(), role: z.string(), caller: z.string(), at: timestamp });
export const pinState = z
  .object({
    isSet: z.boolean(),
    lockedUntil: timestamp.nullable().openapi({ description: "Null unless five wrong tries have locked it." }),
    triesLeft: z.int(),
    changes: z.array(pinChange).openapi({ description: "Who set it, oldest first." }),
  })
  .openapi("PinState");
export type PinState = z.infer<typeof pinState>;
export const pinParams = z.object({ did: did.openapi({ param: { name: "did", in: "path" } }) });
