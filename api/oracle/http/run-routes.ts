import { z } from "@hono/zod-openapi";
import { AppError } from "../../platform/errors.ts";
import { errorResponses, jsonContent } from "../../platform/http/index.ts";
import type { Runs } from "../runs/runs.ts";
import { requireSession, type SessionDeps } from "../sessions/sessions.ts";
import { type LimitStreamsDeps, limitStreams } from "./limit-streams.ts";
import type { CallerDeps } from "./require-caller.ts";
import { callerRoute, callerRouter, sessionParams } from "./router.ts";
import { streamRun } from "./stream-run.ts";

const seq = z.string().regex(/^\d{1,15}$/, "must be the number of a frame");

const currentRun = callerRoute({
  method: "get",
  path: "/sessions/{sessionId}/run",
  summary: "Find the session's running turn",
  request: { params: sessionParams },
  responses: {
    200: {
      description: "Its id for GET /runs/{runId}, or null if none is running",
      content: jsonContent(z.object({ run: z.object({ runId: z.string(), status: z.string() }).nullable() })),
    },
    ...errorResponses(404),
  },
});

const joinRun = callerRoute({
  method: "get",
  path: "/runs/{runId}",
  summary: "Resume a turn: stream its frames after a number, then new ones",
  request: {
    params: z.object({ runId: z.string().min(1).max(64) }),
    query: z.object({
      after: seq.optional().openapi({ description: "The last received number; alternatively `Last-Event-ID`" }),
    }),
  },
  responses: {
    200: {
      description: "An event stream that ends with `done`. A user can have 64 streams open; the next one answers 429.",
      content: { "text/event-stream": { schema: z.string() } },
    },
    ...errorResponses(400, 404),
  },
});

export type RunRouteDeps = CallerDeps & SessionDeps & LimitStreamsDeps & { runs: Runs };

/** Routes to find and rejoin turns. Clients that reconnect call them often, so they do not count against the user's limit. */
export function runRoutes(deps: RunRouteDeps) {
  const { runs } = deps;
  return callerRouter(deps, { counted: false })
    .openapi(currentRun, async (c) => {
      const { sessionId } = c.req.valid("param");
      await requireSession(deps, sessionId, c.get("caller").did);
      return c.json({ run: await runs.current(sessionId) }, 200);
    })
    .openapi(joinRun, async (c) => {
      limitStreams(c, deps);
      const { runId } = c.req.valid("param");
      const run = runs.live(runId)?.facts ?? (await storedRun(runs, runId));
      if (run?.user !== c.get("caller").did) throw new AppError("NOT_FOUND", "There is no such run.");
      const after = cursorOf(c.req.valid("query").after ?? c.req.header("last-event-id"));
      return streamRun(c, runs, run, { after });
    });
}

async function storedRun({ store }: Runs, id: string) {
  const row = await store.find(id);
  return row && { id: row.id, requestId: row.requestId, messageId: row.messageId, user: row.userDid };
}

function cursorOf(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const parsed = seq.safeParse(text);
  if (parsed.success) return Number(parsed.data);
  const details = [{ path: "Last-Event-ID", rule: "format", message: "must be the number of a frame" }];
  throw new AppError("INVALID_INPUT", "The cursor is not valid.", { details });
}
