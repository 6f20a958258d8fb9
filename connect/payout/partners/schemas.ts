import { z } from "@hono/zod-openapi";
import { integer } from "../../../api/platform/values/numbers.ts";
import { account, freeText, identifier, timestamp } from "../../../api/platform/values/text.ts";
import { refuseMoreThanAddress } from "../../../api/platform/values/url-parts.ts";
import { partnerKinds } from "../tables.ts";

const secret = freeText(2_000).openapi({ format: "password" });
const url = z.url({ protocol: /^https?$/ }).superRefine(refuseMoreThanAddress);
const privateNetwork = z.boolean().optional().openapi({
  description:
    "The address is in a private network, such as behind the partner's VPN; http is allowed there. Without it, only public addresses are called, by https.",
});

/** Three letters of ISO 4217. */
export const currency = z
  .string()
  .regex(/^[A-Z]{3}$/, "A currency of ISO 4217 is expected, such as ZMW.")
  .openapi({ example: "ZMW" });

const mtnSettings = z.strictObject({
  kind: z.literal("mtn-momo"),
  url: url.openapi({ description: "Such as https://proxy.momoapi.mtn.com" }),
  privateNetwork,
  subscriptionKey: secret,
  apiUser: identifier(100),
  apiKey: secret,
  targetEnvironment: identifier(50).openapi({ description: "Such as mtnzambia, or sandbox." }),
});
export type MtnSettings = z.output<typeof mtnSettings>;

const airtelSettings = z.strictObject({
  kind: z.literal("airtel-money"),
  url: url.openapi({ description: "Such as https://openapi.airtel.africa" }),
  privateNetwork,
  clientId: identifier(100),
  clientSecret: secret,
  encryptedPin: secret.openapi({
    description: "The PIN as Airtel's developer portal encrypts it. The PIN itself never comes here.",
  }),
  country: z.string().regex(/^[A-Z]{2}$/, "Two letters of ISO 3166 are expected, such as ZM."),
  callingCode: z.string().regex(/^[1-9]\d{0,3}$/, "The country's calling code is expected, such as 260."),
});
export type AirtelSettings = z.output<typeof airtelSettings>;

export const partnerSettings = z.discriminatedUnion("kind", [mtnSettings, airtelSettings]).openapi("PayoutSettings");
export type PartnerSettings = z.output<typeof partnerSettings>;

export const newPartner = z
  .strictObject({
    name: freeText(100),
    account: account.openapi({
      description:
        "The operator's account on chain. Payments to it, for suppliers that are registered with this account, are paid out.",
    }),
    currency,
    unitDecimals: integer(0, 3)
      .optional()
      .openapi({ description: "Decimals of the smallest amount that the partner pays; absent: the currency's." }),
    payFrom: timestamp.optional().openapi({ description: "Earlier payments are not paid out; absent: now." }),
    api: partnerSettings,
  })
  .openapi("NewPayoutPartner");
export type NewPartner = z.output<typeof newPartner>;

export const partner = z
  .object({
    id: z.string(),
    name: z.string(),
    kind: z.enum(partnerKinds),
    account: z.string(),
    currency: z.string(),
    unitDecimals: z.number().int(),
    payFrom: timestamp,
    createdAt: timestamp,
    closedAt: timestamp.nullable(),
  })
  .openapi("PayoutPartner");
export type Partner = z.output<typeof partner>;
export const createdPartner = partner
  .extend({
    callbackUrl: z
      .string()
      .openapi({ description: "For the partner's callbacks, if it has to be entered there. Shown once." }),
  })
  .openapi("CreatedPayoutPartner");
export type CreatedPartner = z.output<typeof createdPartner>;
export const partnerList = z.object({ items: z.array(partner) }).openapi("PayoutPartners");
export const partnerParams = z.object({ id: identifier(64).openapi({ param: { name: "id", in: "path" } }) });
