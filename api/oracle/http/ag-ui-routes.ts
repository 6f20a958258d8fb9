import { contentToText, type RunAgentInput } from "@ag-ui/core";
import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { z } from "@hono/zod-openapi";
import { AppError } from "../../platform/errors.ts";
import { errorResponses, jsonContent, zodDetails } from "../../platform/http/index.ts";
import type { Runs } from "../runs/runs.ts";
import type { Message, SendMessage } from "../runs/send-message.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import { roomOf } from "../sessions/sessions.ts";
import { AgUiTranslator } from "../wire/ag-ui-translator.ts";
import { plainJson } from "../wire/message-schemas.ts";
import type { ClientTool } from "../wire/turn.ts";
import { type LimitStreamsDeps, limitStreams } from "./limit-streams.ts";
import type { CallerDeps } from "./require-caller.ts";
import { callerRoute, callerRouter, longestSessionId } from "./router.ts";
import { streamRun } from "./stream-run.ts";

const route = callerRoute({
  method: "post",
  path: "/ag-ui",
  summary: "Send a message and stream the answer as AG-UI events",
  bodyLimit: 2 * 1024 * 1024,
  request: {
    body: {
      required: true,
      content: jsonContent(z.unknown().transform(plainJson).openapi({ type: "object", description: "RunAgentInput" })),
    },
  },
  responses: {
    200: { description: "A stream of AG-UI events", content: { "text/event-stream": { schema: z.string() } } },
    ...errorResponses(400, 409, 413),
  },
});

type ThreadDeps = { did: string; clock: { now: () => Date }; sessions: SessionStore };
export type AgUiRouteDeps = CallerDeps & LimitStreamsDeps & ThreadDeps & { runs: Runs; sendMessage: SendMessage };

export function agUiRoutes(deps: AgUiRouteDeps) {
  return callerRouter(deps).openapi(route, async (c) => {
    limitStreams(c, deps);
    const input = readInput(c.req.valid("json"));
    const message = messageOf(input, c.get("requestId"));
    const sessionId = await openThread(deps, input.threadId, c.get("caller").did);
    const { run } = await deps.sendMessage(c.get("caller"), sessionId, message);
    const { threadId, runId } = input;
    const translator = new AgUiTranslator({ threadId, runId, messageId: run.facts.messageId });
    return streamRun(c, deps.runs, run.facts, { after: 0, encode: (frames) => translator.encode(frames) });
  });
}

function readInput(body: unknown): RunAgentInput {
  const parsed = RunAgentInputSchema.safeParse(body);
  if (parsed.success && parsed.data.threadId.length <= longestSessionId) return parsed.data as RunAgentInput;
  const long = { path: "threadId", rule: "length", message: `must have at most ${longestSessionId} characters` };
  const details = parsed.success ? [long] : zodDetails(parsed.error as unknown as z.ZodError);
  throw new AppError("INVALID_INPUT", "The body is not a valid RunAgentInput; see details for each field.", {
    details,
  });
}

/** Take the messages after the last one of the assistant. The earlier ones are stored here already. */
function messageOf({ messages, tools, context, forwardedProps }: RunAgentInput, requestId: string): Message {
  const from = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  const fresh = messages.slice(from);
  const words = fresh.flatMap((each) => (each.role === "user" ? [contentToText(each.content)] : []));
  const results = fresh.flatMap((each) =>
    each.role === "tool" ? [{ toolCallId: each.toolCallId, content: contentToText(each.content) }] : [],
  );
  if (words.length === 0 && results.length === 0) {
    const details = [
      { path: "messages", rule: "required", message: "The last messages must be the user's or a tool's." },
    ];
    throw new AppError("INVALID_INPUT", "There is no new message.", { details });
  }
  return {
    requestId,
    message: words.join("\n\n"),
    attachments: [],
    frontendResults: results,
    metadata: { context, forwardedProps },
    clientTools: tools.map(
      ({ name, description, parameters }): ClientTool => ({
        name,
        description,
        kind: "frontend",
        schema: typeof parameters === "object" && parameters !== null ? { ...parameters } : {},
      }),
    ),
  };
}

/** Find the session of a thread, or create it. A thread id is a session's id, or a name that the front end chose. */
async function openThread({ sessions, clock, did }: ThreadDeps, threadId: string, userDid: string): Promise<string> {
  const find = async () => (await sessions.find(threadId, userDid)) ?? (await sessions.findThread(threadId, userDid));
  const found = await find();
  if (found !== undefined) return found.id;
  const created = await sessions.create({ userDid, roomId: roomOf(userDid, did), at: clock.now(), threadId });
  const row = created ?? (await find());
  if (row === undefined) throw new AppError("CONFLICT", "The thread could not be opened. Try again.");
  return row.id;
}
