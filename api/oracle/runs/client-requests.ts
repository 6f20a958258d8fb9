import type { Server } from "socket.io";
import { AppError } from "../../platform/errors.ts";
import { type ClientCalls, confirmationRoom, requireArguments } from "../wire/client-calls.ts";
import type { ClientTool, TurnContext } from "../wire/turn.ts";
import type { LiveRun } from "./live-run.ts";

/** How long a user has to confirm, in milliseconds. */
const confirmMs = 120_000;

export type ClientRequestDeps = {
  io: Server;
  clientCalls: Pick<ClientCalls, "call">;
  /** How long a client has to answer a call, in milliseconds. */
  clientCallMs: number;
};

type TurnClient = { run: LiveRun; tools: ClientTool[]; signal: AbortSignal };

/** Make the function by which a turn calls browser tools and actions, over the session's sockets. */
export function callClientTool(deps: ClientRequestDeps, { run, tools, signal }: TurnClient): TurnContext["callClient"] {
  const { io, clientCalls, clientCallMs: timeoutMs } = deps;
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
      io.to(sessionId).emit(event, tool.kind === "action" ? { ...call, status: "isRunning" } : call);
    };
    return await clientCalls.call({ sessionId, user, signal, send, ...callId, timeoutMs });
  };
}

/**
 * Make the function by which a turn asks the user to confirm. It sends an `event` to those sockets of the session that subscribed
 * to it, and waits for `confirmation_result`. Without such a socket it refuses immediately.
 */
export function confirmWithUser(deps: ClientRequestDeps, { run, signal }: TurnClient): TurnContext["confirm"] {
  const { io, clientCalls } = deps;
  return async ({ toolName, summary, args }) => {
    const { sessionId, user, requestId } = run.facts;
    const room = confirmationRoom(sessionId);
    if (!(await hasSockets(io, room))) {
      const message = `"${toolName}" was not run: it needs the user's confirmation, and the user's app cannot ask for it.`;
      throw new AppError("FORBIDDEN", message);
    }
    const send = (toolCallId: string) => {
      const payload = { sessionId, requestId, toolCallId, toolName, summary, args };
      io.to(room).emit("event", { eventName: "confirmation_request", payload });
    };
    try {
      return (await clientCalls.call({ sessionId, user, signal, send, timeoutMs: confirmMs })) === true;
    } catch (error) {
      // No answer, or an error as the answer, is not a confirmation.
      if (error instanceof AppError) return false;
      throw error;
    }
  };
}

/** Whether the room has a socket, at this process or another. */
async function hasSockets(io: Server, room: string): Promise<boolean> {
  if ((await io.local.in(room).fetchSockets()).length > 0) return true;
  // A process that does not answer counts as having none.
  return await io
    .in(room)
    .fetchSockets()
    .then(
      (sockets) => sockets.length > 0,
      () => false,
    );
}
