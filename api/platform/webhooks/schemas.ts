import { z } from "@hono/zod-openapi";
import { eventTypes } from "../events/index.ts";
import { listQuery, page } from "../http/index.ts";
import { identifier, timestamp } from "../values/text.ts";
import { refuseUrlParts } from "../values/url-parts.ts";

const events = z
  .array(z.enum([...eventTypes, "*"]))
  .min(1)
  .max(eventTypes.length + 1)
  .refine((list) => new Set(list).size === list.length, {
    message: "The list must name each event type only once.",
    params: { rule: "distinct" },
  })
  .openapi({ description: 'Event types; "*" for all.', example: ["claim.approved"] });

export const newWebhook = z
  .strictObject({
    url: z
      .url()
      .max(2048)
      .superRefine(refuseUrlParts(["fragment"]))
      .openapi({ example: "https://example.org/hearth" }),
    events,
    secret: z.string().min(16).max(256).optional().openapi({
      description:
        "Signing secret, as in Standard Webhooks (`whsec_` and base64) or any text. Absent: the server creates one.",
    }),
  })
  .openapi("NewWebhook");
export type NewWebhook = z.infer<typeof newWebhook>;

export const webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(z.string()),
    status: z.enum(["active", "disabled"]),
    createdAt: z.iso.datetime(),
  })
  .openapi("Webhook");
export type Webhook = z.infer<typeof webhook>;

export const createdWebhook = webhook
  .extend({
    secret: z.string().optional().openapi({ description: "Only when the server created it; shown only once." }),
  })
  .openapi("CreatedWebhook");
export type CreatedWebhook = z.infer<typeof createdWebhook>;

const statuses = ["pending", "succeeded", "failed"] as const;
export const delivery = z
  .object({
    eventId: z.string(),
    type: z.string(),
    status: z.enum(statuses),
    attempts: z.number().int(),
    nextAttemptAt: z.iso.datetime().nullable(),
    lastStatus: z.number().int().nullable(),
    lastError: z.string().nullable(),
    createdAt: z.iso.datetime(),
    deliveredAt: z.iso.datetime().nullable(),
  })
  .openapi("WebhookDelivery");
export type Delivery = z.infer<typeof delivery>;

export const replayRequest = z
  .strictObject({
    since: timestamp.optional().openapi({ description: "Only deliveries made since then." }),
    status: z.enum(["failed", "succeeded", "all"]).default("failed"),
  })
  .openapi("WebhookReplay");
export type ReplayRequest = z.infer<typeof replayRequest>;
export const replayed = z.object({ requeued: z.number().int() }).openapi("WebhookReplayed");

export const webhookPage = page(webhook).openapi("WebhookPage");
export const deliveryPage = page(delivery).openapi("WebhookDeliveryPage");
export const webhookParams = z.object({ id: identifier(64).openapi({ param: { name: "id", in: "path" } }) });
export const deliveryQuery = listQuery.extend({ status: z.enum(statuses).optional() });
export type DeliveryQuery = z.infer<typeof deliveryQuery>;
