import { contentToText, type RunAgentInput } from "@ag-ui/core";
import { RunAgentInputSchema } from "@ag-ui/core/schemas";
import { z } from "@hono/zod-openapi";
import { AppError } from "../../platform/errors.ts";
import { zodDetails } from "../../platform/http/error-response.ts";
import { errorAnswers, jsonContent } from "../../platform/http/openapi.ts";
import type { Oracle } from "../conversations.ts";
import { type Message, sendMessage } from "../runs/send-message.ts";
import { roomOf } from "../sessions/sessions.ts";
import { AgUiTranslator } from "../wire/ag-ui-translator.ts";
import { plainJson } from "../wire/message-schemas.ts";
import type { ClientTool } from "../wire/turn.ts";
import { oracleRoute, oracleRouter } from "./route.ts";
import { streamRun } from "./stream-run.ts";

const route = oracleRoute({
  method: "post",
  path: "/ag-ui",
  summary: "The same conversations for front ends that speak AG-UI",
  bodyLimit: 2 * 1024 * 1024,
  request: {
    body: {
      required: true,
      content: jsonContent(z.unknown().transform(plainJson).openapi({ type: "object", description: "RunAgentInput" })),
    },
  },
  responses: {
    200: { description: "Events of AG-UI", content: { "text/event-stream": { schema: z.string() } } },
    ...errorAnswers(400, 409, 413),
  },
});

export function agUiRoutes() {
  return oracleRouter().openapi(route, async (c) => {
    const { oracle } = c.get("deps");
    const input = readInput(c.req.valid("json"));
    const message = messageOf(input, c.get("requestId"));
    const sessionId = await sessionOf(oracle, input.threadId, c.get("caller").did);
    const { run } = await sendMessage(oracle, c.get("caller"), sessionId, message);
    const { threadId, runId } = input;
    const translator = new AgUiTranslator({ threadId, runId, messageId: run.facts.messageId });
    return streamRun(c, run.facts, 0, (frames) => translator.encode(frames));
  });
}

function readInput(body: unknown): RunAgentInput {
  const parsed = RunAgentInputSchema.safeParse(body);
  if (parsed.success) return parsed.data as RunAgentInput;
  const details = zodDetails(parsed.error as unknown as z.ZodError);
  throw new AppError("INVALID_INPUT", "This is no RunAgentInput; see details for each field.", { details });
}

/** What is new: the messages after the last one of the assistant. The earlier ones are kept here already. */
function messageOf({ messages, tools, context, forwardedProps }: RunAgentInput, requestId: string): Message {
  const from = messages.findLastIndex(({ role }) => role === "assistant") + 1;
  const fresh = messages.slice(from);
  const words = fresh.flatMap((each) => (each.role === "user" ? [contentToText(each.content)] : []));
  const results = fresh.flatMap((each) =>
    each.role === "tool" ? [{ toolCallId: each.toolCallId, content: contentToText(each.content) }] : [],
  );
  if (words.length === 0 && results.length === 0) {
    const details = [{ path: "messages", rule: "required", message: "The last messages are the user's or a tool's." }];
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
        ...{ name, description, kind: "frontend" },
        schema: typeof parameters === "object" && parameters !== null ? { ...parameters } : {},
      }),
    ),
  };
}

/** A thread is a session's own id, or a name that the front end gave: then the user's session of that name. */
async function sessionOf(oracle: Oracle, threadId: string, userDid: string): Promise<string> {
  const { sessions, clock, did } = oracle;
  const find = async () => (await sessions.find(threadId, userDid)) ?? (await sessions.findThread(threadId, userDid));
  const found = await find();
  if (found !== undefined) return found.id;
  const made = await sessions.create({ userDid, roomId: roomOf(userDid, did), at: clock.now(), threadId });
  const row = made ?? (await find());
  if (row === undefined) throw new AppError("CONFLICT", "The thread could not be opened. Try again.");
  return row.id;
}
