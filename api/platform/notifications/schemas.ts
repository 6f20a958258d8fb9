import { z } from "@hono/zod-openapi";
import { integer } from "../values/numbers.ts";
import { identifier } from "../values/text.ts";
import { languages } from "./texts.ts";
import { topics } from "./topics.ts";

const chosenTopics = z
  .array(z.enum(topics))
  .min(1)
  .max(topics.length)
  .refine((list) => new Set(list).size === list.length, {
    message: "The list must name each topic only once.",
    params: { rule: "distinct" },
  });
const language = z.enum(languages);
const base64url = (max: number) =>
  z
    .string()
    .min(1)
    .max(max)
    .regex(/^[\w-]+=*$/, "Base64url is expected.");

const email = z.email().max(254).openapi({ example: "maria@example.org" });
const pushAddress = z
  .strictObject({
    endpoint: z.url().max(2048),
    expirationTime: integer(0, Number.MAX_SAFE_INTEGER).nullish(),
    keys: z.strictObject({ p256dh: base64url(200), auth: base64url(64) }),
  })
  .openapi("PushAddress", { description: "A browser's `PushSubscription`, as its `toJSON()` gives it." });

const choices = {
  topics: chosenTopics.default([...topics]).openapi({ description: "What to be notified of; absent: everything." }),
  language: language.default("en"),
};
export const newNotification = z
  .discriminatedUnion("channel", [
    z.strictObject({ channel: z.literal("email"), email, ...choices }),
    z.strictObject({ channel: z.literal("push"), push: pushAddress, ...choices }),
  ])
  .openapi("NewNotification");
export type NewNotification = z.output<typeof newNotification>;

export const notificationChange = z
  .strictObject({ topics: chosenTopics.optional(), language: language.optional() })
  .openapi("NotificationChange");
export type NotificationChange = z.output<typeof notificationChange>;

export const notification = z
  .object({
    id: z.string().openapi({ example: "ns_0f1e2d3c4b5a6978" }),
    channel: z.enum(["email", "push"]),
    address: z.string().openapi({ description: "The e-mail address, or the host of the browser's push service." }),
    topics: z.array(z.enum(topics)),
    language,
    status: z.enum(["unconfirmed", "active", "failed"]),
    lastError: z.string().nullable(),
    createdAt: z.iso.datetime(),
  })
  .openapi("Notification");
export type Notification = z.output<typeof notification>;

export const notificationList = z.object({ items: z.array(notification) }).openapi("NotificationList");
export const notificationParams = z.object({ id: identifier(64).openapi({ param: { name: "id", in: "path" } }) });

export const notificationChannels = z
  .object({
    email: z.boolean().openapi({ description: "True when a mail server is configured." }),
    push: z.object({
      publicKey: z
        .string()
        .openapi({ description: "`applicationServerKey` of `PushManager.subscribe`, in base64url." }),
    }),
    topics: z.array(z.enum(topics)),
    languages: z.array(language),
  })
  .openapi("NotificationChannels");
export type NotificationChannels = z.output<typeof notificationChannels>;

const token = identifier(512);
export const notificationToken = z.strictObject({ token }).openapi("NotificationToken");
export const notificationTokenParams = z.object({ token: token.openapi({ param: { name: "token", in: "path" } }) });
export const notificationOutcome = z.object({ status: z.enum(["active", "ended"]) }).openapi("NotificationOutcome");
export type NotificationOutcome = z.output<typeof notificationOutcome>;
