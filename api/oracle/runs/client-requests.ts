import type { Server } from "socket.io";
import { AppError } from "../../platform/errors.ts";
import type { Oracle } from "../conversations.ts";
import { roomOfConfirmers } from "../http/sockets/serve-sockets.ts";
import { requireArguments } from "../wire/client-calls.ts";
import type { ClientTool, TurnContext } from "../wire/turn.ts";
import type { LiveRun } from "./live-run.ts";

/** How long a user has to confirm, in milliseconds. */
const confirmMs = 120_000;

type Client = { oracle: Oracle; run: LiveRun; tools: ClientTool[]; signal: AbortSignal };

/** Calls of browser tools and actions, over the session's sockets. */
export function callClientOver({ oracle, run, tools, signal }: Client): TurnContext["callClient"] {
  return async ({ toolName, args, toolCallId }) => {
    const tool = tools.find(({ name }) => name === toolName);
    if (tool === undefined || tool.kind === "frontend") {
      throw new AppError("INVALID_INPUT", `The client did not declare ${toolName}.`);
    }
    requireArguments(tool.schema, args);
    const { sessionId, user, requestId } = run.facts;
    const event = tool.kind === "action" ? "action_call" : "browser_tool_call";
    const callId = toolCallId === undefined ? {} : { callId: run.publicId(toolCallId) };
    const send = (id: string) => {
      const call = { sessionId, requestId, toolCallId: id, toolName, args };
      oracle.io.to(sessionId).emit(event, tool.kind === "action" ? { ...call, status: "isRunning" } : call);
    };
    return await oracle.calls.call({ ...{ sessionId, user, signal, send }, ...callId, timeoutMs: oracle.clientCallMs });
  };
}

/**
 * Questions to the user: an `event` on those of the session's sockets that have subscribed to it, answered by
 * `confirmation_result`. Where there is none nobody is waited for.
 */
export function confirmOver({ oracle, run, signal }: Client): TurnContext["confirm"] {
  return async ({ toolName, summary, args }) => {
    const { sessionId, user, requestId } = run.facts;
    const room = roomOfConfirmers(sessionId);
    if (!(await hasSockets(oracle.io, room))) {
      const message = `"${toolName}" was not run: it needs the user's confirmation, and the user's app cannot ask for it.`;
      throw new AppError("FORBIDDEN", message);
    }
    const send = (toolCallId: string) => {
      const payload = { sessionId, requestId, toolCallId, toolName, summary, args };
      oracle.io.to(room).emit("event", { eventName: "confirmation_request", payload });
    };
    try {
      return (await oracle.calls.call({ sessionId, user, signal, send, timeoutMs: confirmMs })) === true;
    } catch (error) {
      // Not answered, or answered with an error: not confirmed.
      if (error instanceof AppError) return false;
      throw error;
    }
  };
}

/** Whether anybody is in the room, at this process or another one. */
async function hasSockets(io: Server, room: string): Promise<boolean> {
  if ((await io.local.in(room).fetchSockets()).length > 0) return true;
  // A process that does not answer has nobody whom it could ask.
  return await io
    .in(room)
    .fetchSockets()
    .then(
      (sockets) => sockets.length > 0,
      () => false,
    );
}
