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
    lockedUntil: timestamp.nullable().openapi({
      description: "When the last lock ends; null unless wrong tries have locked it, for one caller or for all.",
    }),
    lockedForAll: z.boolean().openapi({ description: "Whether ten wrong tries of several callers have locked it." }),
    lockedFor: z
      .array(z.object({ caller: z.string(), until: timestamp }))
      .openapi({ description: "Callers with five wrong tries: suppliers by DID, others by their key." }),
    triesLeft: z.int().openapi({ description: "Of the caller with most wrong tries that is not locked." }),
    changes: z.array(pinChange).openapi({ description: "Who set it, oldest first." }),
  })
  .openapi("PinState");
export type PinState = z.infer<typeof pinState>;
export const pinParams = z.object({ did: did.openapi({ param: { name: "did", in: "path" } }) });
