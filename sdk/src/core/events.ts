export type JsonObject = Record<string, unknown>;

/** Status of a call. */
export type CallStatus = "isRunning" | "done" | "error";

/** Fields of every event of a session. */
export type EventIds = { sessionId: string; requestId: string };

export type ToolCallEventPayload = EventIds & {
  toolName: string;
  args: JsonObject;
  status: CallStatus;
  eventId: string;
  toolCallId?: string;
  output?: string;
  error?: string;
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
  error?: string;
};

/** Why a turn failed. */
export type ErrorEventPayload = {
  error: string;
  /** ISO 8601. */
  timestamp: string;
  kind?: string;
  retryable?: boolean;
  detail?: string;
  runId?: string;
};

/** Reasoning of the agent during a turn. */
export type ReasoningEventPayload = EventIds & {
  reasoning: string;
  reasoningDetails?: { type: string; text: string; format: string; index: number }[];
  isComplete?: boolean;
  timestamp?: string;
  eventId?: string;
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
