import { z } from "@hono/zod-openapi";
import { isRange } from "../../../api/platform/values/networks.ts";
import { integer } from "../../../api/platform/values/numbers.ts";
import { freeText, identifier, timestamp } from "../../../api/platform/values/text.ts";
import { refuseMoreThanAddress, refuseUrlParts } from "../../../api/platform/values/url-parts.ts";
import { gatewayKinds, phoneLanguages } from "../tables.ts";

const secret = freeText(200).openapi({ format: "password" });
const url = z.url({ protocol: /^https?$/ }).superRefine(refuseMoreThanAddress);
const privateNetwork = z.boolean().default(false).openapi({
  description:
    "The gateway is on this machine or in a private network, where http is allowed too. Without it, only public addresses are called, by https.",
});

/** How a gateway sends SMS. */
export const smsSettings = z
  .discriminatedUnion("kind", [
    z.strictObject({
      kind: z.literal("africas-talking"),
      username: identifier(100),
      apiKey: secret,
      from: identifier(20).optional(),
      url: url.default("https://api.africastalking.com"),
      privateNetwork,
    }),
    z.strictObject({
      kind: z.literal("twilio"),
      accountSid: identifier(64),
      authToken: secret,
      from: identifier(20),
      url: url.default("https://api.twilio.com"),
      privateNetwork,
    }),
    z.strictObject({
      kind: z.literal("kannel"),
      username: identifier(100),
      password: secret,
      from: identifier(20).optional(),
      url: url.openapi({ description: "Of its sendsms service, such as http://127.0.0.1:13013" }),
      privateNetwork,
    }),
    z.strictObject({
      kind: z.literal("smpp"),
      url: z
        .url({ protocol: /^s?smpp$/ })
        .superRefine(refuseUrlParts(["user", "path", "query", "fragment"]))
        .openapi({ description: "smpp://host:2775, or ssmpp://host:3550 with TLS", example: "smpp://192.0.2.1:2775" }),
      privateNetwork,
      systemId: identifier(64),
      password: secret,
      systemType: identifier(12).optional(),
      from: identifier(20).openapi({ description: "A short code, a number, or a name of up to 11 letters." }),
      perSecond: integer(1, 1000).default(10).openapi({
        description: "Most messages a second, as agreed with the operator.",
      }),
    }),
    z.strictObject({ kind: z.literal("simulator") }).openapi({
      description: "For trying: it keeps SMS instead of sending them. Only where no other gateway is set up.",
    }),
  ])
  .openapi("SmsSettings");
export type SmsSettings = z.output<typeof smsSettings>;

export const newGateway = z
  .strictObject({
    name: freeText(100),
    sms: smsSettings,
    sources: z
      .array(
        z.string().refine(isRange, { message: "An address or a CIDR range is expected.", params: { rule: "range" } }),
      )
      .max(100)
      .default([])
      .openapi({ description: "Where the gateway's calls come from; empty for anywhere." }),
    language: z.enum(phoneLanguages).optional().openapi({
      description:
        "In which a phone that is not registered is answered; absent: English. Registered ones have their own.",
    }),
  })
  .openapi("NewPhoneGateway");
export type NewGateway = z.output<typeof newGateway>;

export const gateway = z
  .object({
    id: z.string(),
    kind: z.enum(gatewayKinds),
    keyId: z.string(),
    sources: z.array(z.string()),
    language: z.enum(phoneLanguages),
    createdAt: timestamp,
    revokedAt: timestamp.nullable(),
  })
  .openapi("PhoneGateway");
export type Gateway = z.output<typeof gateway>;
export const createdGateway = gateway
  .extend({
    ussdUrl: z.string().openapi({ description: "For Africa's Talking USSD. Shown only once, as all URLs here." }),
    smsUrl: z.string().openapi({ description: "For SMS that people send." }),
    reportUrl: z.string().openapi({ description: "For delivery reports." }),
  })
  .openapi("CreatedPhoneGateway");
export type CreatedGateway = z.output<typeof createdGateway>;
export const gatewayList = z.object({ items: z.array(gateway) }).openapi("PhoneGateways");

export const simulatedMessages = z
  .object({
    items: z.array(z.object({ id: z.string(), to: z.string(), text: z.string(), at: timestamp })),
  })
  .openapi("SimulatedMessages");
export type SimulatedMessages = z.output<typeof simulatedMessages>;
export const gatewayParams = z.object({ id: z.string().openapi({ param: { name: "id", in: "path" } }) });
