import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../../platform/errors.ts";
import { errorResponses, jsonContent } from "../../platform/http/index.ts";
import { DuplicateMessageError } from "../runs/duplicate-message.ts";
import type { RunKey, Runs } from "../runs/runs.ts";
import type { Message, SendMessage, StartedTurn } from "../runs/send-message.ts";
import { listMessages, pageMessages, type ReadMessagesDeps } from "../sessions/read-messages.ts";
import { abortBody, chatMessage, type SendMessageBody, sendMessageBody } from "../wire/message-schemas.ts";
import type { ClientTool } from "../wire/turn.ts";
import type { OracleEnv } from "./env.ts";
import { type LimitStreamsDeps, limitStreams } from "./limit-streams.ts";
import type { CallerDeps } from "./require-caller.ts";
import { callerRoute, callerRouter, limitQuery, sessionParams } from "./router.ts";
import { streamRun } from "./stream-run.ts";

/** Largest body of a message, in bytes. */
const bodyLimit = 2 * 1024 * 1024;

export type MessageRouteDeps = CallerDeps &
  LimitStreamsDeps &
  ReadMessagesDeps & { runs: Runs; sendMessage: SendMessage };

export function messageRoutes(deps: MessageRouteDeps) {
  const { sessions, runs, sendMessage } = deps;
  return (
    callerRouter(deps)
      // Must come before the routes of a session, or "abort" would be read as a session's id.
      .openapi(routes.abort, async (c) => {
        const { sessionId } = c.req.valid("json");
        const own = await sessions.find(sessionId, c.get("caller").did);
        return c.json({ success: own !== undefined && (await runs.abort(sessionId)) }, 200);
      })
      .openapi(routes.send, async (c) => {
        limitStreams(c, deps);
        const body = c.req.valid("json");
        const requestId = body.requestId ?? c.get("requestId");
        c.set("requestId", requestId);
        c.header("X-Request-Id", requestId);
        const { sessionId } = c.req.valid("param");
        const request = { user: c.get("caller").did, sessionId, requestId };
        // Only an id in the body identifies the message; one in a header identifies the HTTP request.
        const earlier = body.requestId === undefined ? undefined : await runs.findByRequest(request);
        if (earlier !== undefined) return await respondAgain(c, deps, earlier, sessionId, body);
        const { message, attachments, model, timezone, metadata, mcpInvocations } = body;
        const input: Message = {
          message,
          attachments,
          model,
          timezone,
          metadata,
          mcpInvocations,
          requestId,
          retryId: body.requestId,
          clientTools: clientToolsOf(body),
        };
        const turn = await sendMessage(c.get("caller"), sessionId, input).catch(async (error: unknown) => {
          // Another copy of the message started its turn first.
          const duplicate = error instanceof DuplicateMessageError ? await runs.findByRequest(request) : undefined;
          if (duplicate === undefined) throw error;
          return duplicate;
        });
        if (!("run" in turn)) return await respondAgain(c, deps, turn, sessionId, body);
        return body.stream ? streamRun(c, runs, turn.run.facts) : await respondWhole(c, deps, turn, body);
      })
      .openapi(routes.list, async (c) => {
        const messages = await listMessages(deps, c.req.valid("param").sessionId, c.get("caller").did);
        return c.json({ messages }, 200);
      })
      .openapi(routes.page, async (c) => {
        const { sessionId } = c.req.valid("param");
        return c.json(await pageMessages(deps, sessionId, c.get("caller").did, c.req.valid("query")), 200);
      })
  );
}

/** The browser tools and actions that a request's body declares. */
function clientToolsOf({ tools, agActions }: Pick<SendMessageBody, "tools" | "agActions">): ClientTool[] {
  return [
    ...tools.map((tool): ClientTool => ({ ...tool, kind: "browser" })),
    ...agActions.map(({ hasRender = false, ...action }): ClientTool => ({ ...action, hasRender, kind: "action" })),
  ];
}

/** Respond to a message that was sent before: with the turn that it started, from its beginning. */
async function respondAgain(
  c: Context<OracleEnv>,
  deps: MessageRouteDeps,
  run: RunKey,
  sessionId: string,
  body: SendMessageBody,
) {
  const { runs } = deps;
  if (body.stream) return streamRun(c, runs, run);
  await runs.whenEnded(run.id);
  const [messages, row] = await Promise.all([listMessages(deps, sessionId, c.get("caller").did), runs.findRow(run.id)]);
  const content = messages.find(({ id }) => id === run.messageId)?.content ?? "";
  c.header("X-Run-Id", run.id);
  const answer = { message: { type: "ai" as const, content, id: run.messageId }, sessionId };
  if (row?.status === "failed") throw failedTurn(undefined, answer);
  return c.json({ ...answer, ...(body.returnAllMessages ? { messages } : {}) }, 200);
}

/** Respond with the whole answer once the turn has ended. */
async function respondWhole(
  c: Context<OracleEnv>,
  deps: MessageRouteDeps,
  { run, ended }: StartedTurn,
  { returnAllMessages }: SendMessageBody,
) {
  const outcome = await ended;
  const { id, messageId, sessionId } = run.facts;
  c.header("X-Run-Id", id);
  const answer = { message: { type: "ai" as const, content: run.text, id: messageId }, sessionId };
  if (outcome === "failed") throw failedTurn(run.error, answer);
  const all = returnAllMessages ? { messages: await listMessages(deps, sessionId, c.get("caller").did) } : {};
  return c.json({ ...answer, ...all }, 200);
}

/** The error of a failed turn, with its text so far. */
function failedTurn(why: string | undefined, { message: answer, sessionId }: Omit<z.infer<typeof sent>, "messages">) {
  return new AppError("UPSTREAM", why ?? "The turn failed.", { extra: { answer, sessionId } });
}

const page = z.object({
  messages: z.array(chatMessage),
  prevCursor: z.string().nullable(),
  nextCursor: z.string().nullable(),
  hasOlder: z.boolean(),
  hasNewer: z.boolean(),
});

const sent = z.object({
  message: z.object({ type: z.literal("ai"), content: z.string(), id: z.string() }),
  sessionId: z.string(),
  messages: z.array(chatMessage).optional(),
});

const cursor = z.string().min(1).max(64).optional();

const routes = {
  abort: callerRoute({
    method: "post",
    path: "/messages/abort",
    summary: "Stop the session's turn, and keep its text so far",
    request: { body: { required: true, content: jsonContent(abortBody) } },
    responses: {
      200: {
        description: "Whether a turn was running. Its stream ends after this response.",
        content: jsonContent(z.object({ success: z.boolean() })),
      },
      ...errorResponses(400),
    },
  }),
  send: callerRoute({
    method: "post",
    path: "/messages/{sessionId}",
    summary: "Send a message; with `stream` the answer is an event stream",
    bodyLimit,
    request: { params: sessionParams, body: { required: true, content: jsonContent(sendMessageBody) } },
    responses: {
      200: {
        description: "The answer, whole or as `text/event-stream` (docs/oracle.md)",
        content: { ...jsonContent(sent), "text/event-stream": { schema: z.string() } },
      },
      ...errorResponses(400, 404, 409, 413, 502),
    },
  }),
  list: callerRoute({
    method: "get",
    path: "/messages/{sessionId}",
    summary: "List the session's messages, oldest first",
    request: { params: sessionParams },
    responses: {
      200: { description: "All messages", content: jsonContent(z.object({ messages: z.array(chatMessage) })) },
      ...errorResponses(404),
    },
  }),
  page: callerRoute({
    method: "get",
    path: "/sessions/{sessionId}/messages",
    summary: "List a page of turns, oldest first; without a cursor the last ones",
    request: {
      params: sessionParams,
      query: z
        .strictObject({ limit: limitQuery(100), before: cursor, after: cursor })
        .refine(({ before, after }) => before === undefined || after === undefined, "set before or after, not both"),
    },
    responses: { 200: { description: "The page", content: jsonContent(page) }, ...errorResponses(400) },
  }),
};
