import { z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { AppError } from "../../platform/errors.ts";
import type { AppEnv } from "../../platform/http/context.ts";
import { errorAnswers, jsonContent } from "../../platform/http/openapi.ts";
import { MessageTakenError } from "../runs/duplicate-message.ts";
import type { RunKey } from "../runs/runs.ts";
import { clientToolsOf, type Sent, sendMessage } from "../runs/send-message.ts";
import { listMessages, pageMessages } from "../sessions/read-messages.ts";
import { abortBody, chatMessage, type SendMessage, sendMessageBody } from "../wire/message-schemas.ts";
import { limitQuery, oracleRoute, oracleRouter, sessionParams } from "./route.ts";
import { streamRun } from "./stream-run.ts";

/** Largest body of a message, in bytes. */
const bodyLimit = 2 * 1024 * 1024;

export function messageRoutes() {
  return (
    oracleRouter()
      // Before the routes of a session, whose id could else be `abort`.
      .openapi(routes.abort, async (c) => {
        const { oracle } = c.get("deps");
        const { sessionId } = c.req.valid("json");
        const own = await oracle.sessions.find(sessionId, c.get("caller").did);
        return c.json({ success: own !== undefined && (await oracle.runs.abort(sessionId)) }, 200);
      })
      .openapi(routes.send, async (c) => {
        const body = c.req.valid("json");
        const requestId = body.requestId ?? c.get("requestId");
        c.set("requestId", requestId);
        c.header("X-Request-Id", requestId);
        const { oracle } = c.get("deps");
        const { sessionId } = c.req.valid("param");
        const request = { user: c.get("caller").did, sessionId, requestId };
        // Only an id that is the message's own: others name a request, not what it asks for.
        const earlier = body.requestId === undefined ? undefined : await oracle.runs.begunBy(request);
        if (earlier !== undefined) return await answerAgain(c, earlier, sessionId, body);
        const message = { ...body, requestId, retryId: body.requestId, clientTools: clientToolsOf(body) };
        const sent = await sendMessage(oracle, c.get("caller"), sessionId, message).catch(async (error: unknown) => {
          // Another copy of the message was faster.
          const taken = error instanceof MessageTakenError ? await oracle.runs.begunBy(request) : undefined;
          if (taken === undefined) throw error;
          return taken;
        });
        if (!("run" in sent)) return await answerAgain(c, sent, sessionId, body);
        return body.stream ? streamRun(c, sent.run.facts, 0) : await answerWhole(c, sent, body);
      })
      .openapi(routes.list, async (c) => {
        const { oracle } = c.get("deps");
        return c.json(
          { messages: await listMessages(oracle, c.req.valid("param").sessionId, c.get("caller").did) },
          200,
        );
      })
      .openapi(routes.page, async (c) => {
        const { oracle } = c.get("deps");
        const { sessionId } = c.req.valid("param");
        return c.json(await pageMessages(oracle, sessionId, c.get("caller").did, c.req.valid("query")), 200);
      })
  );
}

/** The answer to a message that was taken before: its own turn, from the beginning. */
async function answerAgain(c: Context<AppEnv>, run: RunKey, sessionId: string, body: SendMessage) {
  if (body.stream) return streamRun(c, run, 0);
  const { oracle } = c.get("deps");
  await oracle.runs.whenEnded(run.id);
  const [messages, row] = await Promise.all([
    listMessages(oracle, sessionId, c.get("caller").did),
    oracle.runs.findRow(run.id),
  ]);
  const content = messages.find(({ id }) => id === run.messageId)?.content ?? "";
  c.header("X-Run-Id", run.id);
  const answer = { message: { type: "ai" as const, content, id: run.messageId }, sessionId };
  if (row?.status === "failed") throw failedTurn(undefined, answer);
  return c.json({ ...answer, ...(body.returnAllMessages ? { messages } : {}) }, 200);
}

async function answerWhole(c: Context<AppEnv>, { run, ended }: Sent, { returnAllMessages }: SendMessage) {
  const outcome = await ended;
  const { id, messageId, sessionId } = run.facts;
  c.header("X-Run-Id", id);
  const answer = { message: { type: "ai" as const, content: run.text, id: messageId }, sessionId };
  if (outcome === "failed") throw failedTurn(run.error, answer);
  const all = returnAllMessages
    ? { messages: await listMessages(c.get("deps").oracle, sessionId, c.get("caller").did) }
    : {};
  return c.json({ ...answer, ...all }, 200);
}

/** A turn that failed, with what it had said until then. */
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
  abort: oracleRoute({
    method: "post",
    path: "/messages/abort",
    summary: "End the session's turn; its text so far is kept",
    request: { body: { required: true, content: jsonContent(abortBody) } },
    responses: {
      200: {
        description: "Whether one was under way. The stream ends after this answer.",
        content: jsonContent(z.object({ success: z.boolean() })),
      },
      ...errorAnswers(400),
    },
  }),
  send: oracleRoute({
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
      ...errorAnswers(400, 404, 409, 413, 502),
    },
  }),
  list: oracleRoute({
    method: "get",
    path: "/messages/{sessionId}",
    summary: "The session's messages, oldest first",
    request: { params: sessionParams },
    responses: {
      200: { description: "All of them", content: jsonContent(z.object({ messages: z.array(chatMessage) })) },
      ...errorAnswers(404),
    },
  }),
  page: oracleRoute({
    method: "get",
    path: "/sessions/{sessionId}/messages",
    summary: "A page of turns, oldest first; without a cursor the last ones",
    request: {
      params: sessionParams,
      query: z
        .strictObject({ limit: limitQuery(100), before: cursor, after: cursor })
        .refine(({ before, after }) => before === undefined || after === undefined, "before or after, not both"),
    },
    responses: { 200: { description: "The page", content: jsonContent(page) }, ...errorAnswers(400) },
  }),
};
