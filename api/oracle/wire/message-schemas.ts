import { z } from "@hono/zod-openapi";
import { isLosslessNumber, stringify } from "lossless-json";

/** Convert lossless numbers to JavaScript numbers, for JSON that is passed on to models and clients. */
export const plainJson = (value: unknown): unknown => JSON.parse(stringify(value) ?? "null");
const isObject = (value: unknown) =>
  typeof value === "object" && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
const anyJson = z.unknown().transform(plainJson);
const jsonObject = z
  .custom<Record<string, unknown>>(isObject, { message: "must be an object" })
  .transform((value) => plainJson(value) as Record<string, unknown>)
  .openapi({ type: "object" });

const toolName = z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, "1 to 64 letters, digits, _ . and -");
const description = z.string().max(4_000);

const declaredTool = z.strictObject({ name: toolName, description, schema: jsonObject });
const declaredAction = z.strictObject({
  name: toolName,
  description,
  schema: jsonObject,
  hasRender: z.boolean().optional(),
});

/** In bytes. */
const largestAttachment = 25 * 1024 * 1024;
const byteCount = z.unknown().transform((value, ctx): number => {
  const size = Number(stringify(value));
  if (Number.isSafeInteger(size) && size >= 0 && size <= largestAttachment) return size;
  ctx.addIssue({
    code: "custom",
    message: `must be a whole number up to ${largestAttachment}`,
    params: { rule: "range" },
  });
  return z.NEVER;
});

const attachment = z
  .strictObject({
    mxcUri: z
      .string()
      .max(2_048)
      .regex(/^(mxc:\/\/|https:\/\/|vfs:)/, "must begin with mxc://, https:// or vfs:")
      .optional(),
    eventId: z.string().min(1).max(256).optional(),
    filename: z.string().min(1).max(255),
    mimetype: z.string().min(1).max(255),
    size: byteCount.openapi({ type: "integer", maximum: largestAttachment }).optional(),
    category: z
      .string()
      .max(100)
      .optional()
      .openapi({ description: "Accepted and ignored: `mimetype` says what the file is" }),
  })
  .transform(({ category: _, ...rest }) => rest)
  .refine(({ mxcUri, eventId }) => mxcUri !== undefined || eventId !== undefined, {
    message: "needs an mxcUri or an eventId",
    params: { rule: "required" },
    path: ["mxcUri"],
  });

/** Most characters of one message. */
const longestMessage = 100_000;

export const sendMessageBody = z
  .strictObject({
    message: z.string().min(1).max(longestMessage),
    stream: z.boolean().default(false),
    returnAllMessages: z.boolean().default(false),
    model: z.string().min(1).max(200).optional(),
    tools: z.array(declaredTool).max(128).default([]),
    agActions: z.array(declaredAction).max(128).default([]),
    metadata: jsonObject.optional(),
    timezone: z.string().min(1).max(100).optional(),
    homeServer: z.string().max(255).optional(),
    mcpInvocations: anyJson.optional(),
    attachments: z.array(attachment).max(10).default([]),
    requestId: z
      .string()
      .regex(/^[A-Za-z0-9._:-]{1,128}$/, "1 to 128 letters, digits, . _ : and -")
      .optional(),
  })
  .openapi("SendMessage");
export type SendMessageBody = z.output<typeof sendMessageBody>;

export const abortBody = z.strictObject({ sessionId: z.string().min(1).max(256) });

const toolCall = z.object({
  name: z.string(),
  id: z.string(),
  args: z.record(z.string(), z.unknown()),
  status: z.string(),
  output: z.string().optional(),
});

const messagePart = z
  .discriminatedUnion("type", [
    z.object({ type: z.literal("text"), text: z.string() }),
    z.object({ type: z.literal("reasoning"), text: z.string() }),
    z.object({ type: z.literal("tool_call"), id: z.string().openapi({ description: "One of `toolCalls`" }) }),
    z.object({
      type: z.literal("component"),
      id: z.string(),
      componentName: z.string(),
      args: z.record(z.string(), z.unknown()),
      status: z.string().optional(),
    }),
  ])
  .openapi("MessagePart");

export const chatMessage = z
  .object({
    id: z.string(),
    type: z.enum(["human", "ai"]),
    content: z.string(),
    toolCalls: z.array(toolCall).optional(),
    reasoning: z.string().optional(),
    parts: z
      .array(messagePart)
      .optional()
      .openapi({ description: "In which order an answer with calls or components was said" }),
    isComplete: z.boolean(),
    createdAt: z.string().openapi({ format: "date-time" }),
    attachments: z.array(z.object({ filename: z.string(), mimetype: z.string() })).optional(),
  })
  .openapi("ChatMessage");
export type ChatMessage = z.output<typeof chatMessage>;
