import { z } from "@hono/zod-openapi";
import { errorResponses, jsonContent } from "../../platform/http/index.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { createSession, serializeSession } from "../sessions/sessions.ts";
import type { CallerDeps } from "./require-caller.ts";
import { callerRoute, callerRouter, limitQuery, offsetQuery, sessionParams } from "./router.ts";

const chatSession = z
  .object({
    sessionId: z.string(),
    title: z.string(),
    lastUpdatedAt: z.string().openapi({ format: "date-time" }),
    createdAt: z.string().openapi({ format: "date-time" }),
    oracleName: z.string(),
    oracleDid: z.string(),
    oracleEntityDid: z.string(),
    roomId: z.string(),
  })
  .openapi("ChatSession");

/** Clients of this protocol send more fields than the title. They are ignored. */
const newSession = z
  .record(z.string(), z.unknown())
  .openapi({ type: "object", properties: { title: { type: "string" } } });

export type SessionRouteDeps = CallerDeps & {
  name: string;
  did: string;
  clock: { now: () => Date };
  sessions: SessionStore;
  /** End what runs in the session, delete it, and disconnect its sockets. @throws AppError NOT_FOUND */
  deleteSession: (sessionId: string, userDid: string) => Promise<void>;
};

export function sessionRoutes(deps: SessionRouteDeps) {
  return callerRouter(deps)
    .openapi(routes.create, async (c) => {
      const { title } = c.req.valid("json");
      const row = await createSession(deps, c.get("caller").did, titleText(title));
      return c.json(serializeSession(deps, row), 201);
    })
    .openapi(routes.list, async (c) => {
      const { limit, offset } = c.req.valid("query");
      const { rows, total } = await deps.sessions.list(c.get("caller").did, limit, offset);
      return c.json({ sessions: rows.map((row) => serializeSession(deps, row)), total }, 200);
    })
    .openapi(routes.remove, async (c) => {
      await deps.deleteSession(c.req.valid("param").sessionId, c.get("caller").did);
      return c.json({ message: "Session deleted successfully" }, 200);
    });
}

/** The title as text; undefined when it is blank or not text. */
function titleText(title: unknown): string | undefined {
  return typeof title === "string" && title.trim() !== "" ? title.trim().slice(0, 200).toWellFormed() : undefined;
}

const routes = {
  create: callerRoute({
    method: "post",
    path: "/sessions",
    summary: "Create a conversation",
    request: { body: { content: jsonContent(newSession) } },
    responses: { 201: { description: "The session", content: jsonContent(chatSession) }, ...errorResponses(400) },
  }),
  list: callerRoute({
    method: "get",
    path: "/sessions",
    summary: "List the caller's conversations, newest first",
    request: { query: z.object({ limit: limitQuery(100), offset: offsetQuery }) },
    responses: {
      200: {
        description: "A page, and the total number",
        content: jsonContent(z.object({ sessions: z.array(chatSession), total: z.number().int() })),
      },
      ...errorResponses(400),
    },
  }),
  remove: callerRoute({
    method: "delete",
    path: "/sessions/{sessionId}",
    summary: "Delete a conversation with its messages, and stop its turn",
    request: { params: sessionParams },
    responses: {
      200: { description: "The conversation is deleted", content: jsonContent(z.object({ message: z.string() })) },
      ...errorResponses(404),
    },
  }),
};
