import { z } from "@hono/zod-openapi";
import { AppError } from "../../platform/errors.ts";
import { errorAnswers } from "../../platform/http/openapi.ts";
import { oracleRoute, oracleRouter } from "./route.ts";
import { streamRun } from "./stream-run.ts";

const seq = z.string().regex(/^\d{1,15}$/, "must be the number of a frame");

const joinRun = oracleRoute(
  {
    method: "get",
    path: "/runs/{runId}",
    summary: "Come back to a turn: its frames after a number, then what comes",
    request: {
      params: z.object({ runId: z.string().min(1).max(64) }),
      query: z.object({ after: seq.optional().openapi({ description: "The last number seen; or `Last-Event-ID`" }) }),
    },
    responses: {
      200: {
        description: "An event stream that ends with `done`",
        content: { "text/event-stream": { schema: z.string() } },
      },
      ...errorAnswers(400, 404),
    },
  },
  { counted: false },
);

export function runRoutes() {
  return oracleRouter().openapi(joinRun, async (c) => {
    const { runs } = c.get("deps").oracle;
    const { runId } = c.req.valid("param");
    const user = c.get("caller").did;
    const facts = runs.live(runId)?.facts ?? (await factsOf(runId));
    if (facts === undefined || facts.user !== user) throw new AppError("NOT_FOUND", "There is no such run.");
    return streamRun(c, facts, cursorOf(c.req.valid("query").after ?? c.req.header("last-event-id")));

    async function factsOf(id: string) {
      const row = await runs.store.find(id);
      return row && { id: row.id, requestId: row.requestId, messageId: row.messageId, user: row.userDid };
    }
  });
}

function cursorOf(text: string | undefined): number {
  if (text === undefined || text === "") return 0;
  const parsed = seq.safeParse(text);
  if (parsed.success) return Number(parsed.data);
  const details = [{ path: "Last-Event-ID", rule: "format", message: "must be the number of a frame" }];
  throw new AppError("INVALID_INPUT", "The cursor cannot be read.", { details });
}
