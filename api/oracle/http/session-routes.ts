import { z } from "@hono/zod-openapi";
import { errorAnswers, jsonContent } from "../../platform/http/openapi.ts";
import { createSession, deleteSession, requireSession, showSession } from "../sessions/sessions.ts";
import { limitQuery, offsetQuery, oracleRoute, oracleRouter, sessionParams } from "./route.ts";

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

/** Clients of the family send what they have beside the title; it changes nothing here. */
const newSession = z
  .record(z.string(), z.unknown())
  .openapi({ type: "object", properties: { title: { type: "string" } } });

export function sessionRoutes() {
  return oracleRouter()
    .openapi(createRouteOf.create, async (c) => {
      const { oracle } = c.get("deps");
      const { title } = c.req.valid("json");
      const row = await createSession(oracle, c.get("caller").did, titleText(title));
      return c.json(showSession(oracle, row), 201);
    })
    .openapi(createRouteOf.list, async (c) => {
      const { oracle } = c.get("deps");
      const { limit, offset } = c.req.valid("query");
      const { rows, total } = await oracle.sessions.list(c.get("caller").did, limit, offset);
      return c.json({ sessions: rows.map((row) => showSession(oracle, row)), total }, 200);
    })
    .openapi(createRouteOf.remove, async (c) => {
      await deleteSession(c.get("deps").oracle, c.req.valid("param").sessionId, c.get("caller").did);
      return c.json({ message: "Session deleted successfully" }, 200);
    })
    .openapi(createRouteOf.run, async (c) => {
      const { oracle } = c.get("deps");
      const { sessionId } = c.req.valid("param");
      await requireSession(oracle, sessionId, c.get("caller").did);
      return c.json({ run: await oracle.runs.current(sessionId) }, 200);
    });
}

/** Text of a title that was given; none when it is no text or blank. */
function titleText(title: unknown): string | undefined {
  return typeof title === "string" && title.trim() !== "" ? title.trim().slice(0, 200).toWellFormed() : undefined;
}

const createRouteOf = {
  create: oracleRoute({
    method: "post",
    path: "/sessions",
    summary: "Begin a conversation",
    request: { body: { content: jsonContent(newSession) } },
    responses: { 201: { description: "The session", content: jsonContent(chatSession) }, ...errorAnswers(400) },
  }),
  list: oracleRoute({
    method: "get",
    path: "/sessions",
    summary: "The caller's conversations, newest first",
    request: { query: z.object({ limit: limitQuery(100), offset: offsetQuery }) },
    responses: {
      200: {
        description: "A page, and how many there are",
        content: jsonContent(z.object({ sessions: z.array(chatSession), total: z.number().int() })),
      },
      ...errorAnswers(400),
    },
  }),
  remove: oracleRoute({
    method: "delete",
    path: "/sessions/{sessionId}",
    summary: "Delete a conversation with its messages; what runs in it ends",
    request: { params: sessionParams },
    responses: {
      200: { description: "It is gone", content: jsonContent(z.object({ message: z.string() })) },
      ...errorAnswers(404),
    },
  }),
  run: oracleRoute(
    {
      method: "get",
      path: "/sessions/{sessionId}/run",
      summary: "The turn under way, if one is",
      request: { params: sessionParams },
      responses: {
        200: {
          description: "Its id for GET /runs/{runId}, or null",
          content: jsonContent(z.object({ run: z.object({ runId: z.string(), status: z.string() }).nullable() })),
        },
        ...errorAnswers(404),
      },
    },
    { counted: false },
  ),
};
