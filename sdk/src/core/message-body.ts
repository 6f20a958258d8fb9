import type { ChatOptions } from "./chat-state.ts";
import { declareTools } from "./client-tools.ts";
import type { MessageBody, SendOptions } from "./messages.ts";
import { type RealtimeChannel, whenConnected } from "./realtime.ts";
import type { SessionCalls } from "./session-calls.ts";

/** How long a message waits for the socket that delivers tool calls and confirmation requests, in milliseconds. */
const socketWaitMs = 1_500;

type Said = { message: string; requestId: string };

/** Build a message's request: declare the app's tools once the socket can deliver calls, and add the attachments' headers. */
export async function messageRequest(
  said: Said,
  given: SendOptions,
  { browserTools = {}, actions = [], model, matrixHeaders = {}, onConfirmationRequest }: ChatOptions,
  { channel, calls }: { channel: RealtimeChannel; calls: Pick<SessionCalls, "offerToConfirm"> },
): Promise<{ body: MessageBody; headers: Record<string, string> }> {
  const declared = await declareTools(Object.values(browserTools), actions);
  const hasTools = declared.tools !== undefined || declared.agActions !== undefined;
  if (hasTools || onConfirmationRequest !== undefined) await whenConnected(channel, socketWaitMs);
  await calls.offerToConfirm();
  const needsMatrix = given.attachments?.some(({ mxcUri, eventId }) => eventId ?? mxcUri?.startsWith("mxc:"));
  const body = { ...(model === undefined ? {} : { model }), ...given, ...declared, ...said };
  return { body, headers: needsMatrix ? matrixHeaders : {} };
}
