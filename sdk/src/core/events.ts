import type { CallStatus, JsonObject } from "./types.ts";

/** Fields of every event of a session. */
export type EventIds = { sessionId: string; requestId: string };

export type ToolCallEventPayload = EventIds & {
  toolName: string;
  args: JsonObject;
  status: CallStatus;
  eventId: string;
  toolCallId?: string;
  output?: string;
};

export type RenderComponentEventPayload = EventIds & {
  componentName: string;
  args: JsonObject;
  status?: CallStatus;
  eventId?: string;
};

export type BrowserToolCallEventPayload = EventIds & { toolCallId: string; toolName: string; args: JsonObject };

export type ActionCallEventPayload = BrowserToolCallEventPayload & {
  status: CallStatus;
  eventId?: string;
  output?: string;
};

export type ToolCallEvent = { eventName: "tool_call"; payload: ToolCallEventPayload };
export type RenderComponentEvent = { eventName: "render_component"; payload: RenderComponentEventPayload };
export type BrowserToolCallEvent = { eventName: "browser_tool_call"; payload: BrowserToolCallEventPayload };
export type ActionCallEvent = { eventName: "action_call"; payload: ActionCallEventPayload };
export type MessageCacheInvalidationEvent = { eventName: "message_cache_invalidation"; payload: EventIds };

/** Events that a component of the app can render. */
export type AnyEvent = ToolCallEvent | RenderComponentEvent | BrowserToolCallEvent;

/** All events of a session except the text of its answers. */
export type SessionEvent = AnyEvent | ActionCallEvent | MessageCacheInvalidationEvent;
