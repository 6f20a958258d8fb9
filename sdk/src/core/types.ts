import type {
  ActionCallEventPayload,
  BrowserToolCallEventPayload,
  CallStatus,
  ErrorEventPayload,
  EventIds,
  JsonObject,
  RenderComponentEventPayload,
  ToolCallEventPayload,
} from "./events.ts";

export type { CallStatus, JsonObject } from "./events.ts";

/** The connected user: wallet and messaging session. */
export type Wallet = {
  /** Address of the account on chain that pays. */
  address: string;
  did: string;
  matrix: {
    accessToken: string;
    /** A domain, reached over https, or a full URL. */
    homeServer: string;
  };
};

/** A UCAN minted by the app. */
export type MintedToken = {
  /** CAR in base64. */
  serialized: string;
  /** Expiry in unix milliseconds. */
  expiresAt: number;
};

/** Mints a UCAN for the oracle, signed by the user. */
export type Mint = (oracleDid: string) => Promise<MintedToken>;

/** Signs and broadcasts transactions with the user's wallet; resolves with the wallet's result. */
// biome-ignore lint/suspicious/noExplicitAny: each wallet has its types of transactions
export type TransactSignX = (messages: any[], memo?: any) => Promise<unknown>;

/** The chain and the contract of the registry of oracles. */
export type Network = { rpcUrl: string; registryAddress: `0x${string}`; chainId: number };

/** URLs to use instead of the registered ones. */
export type Overrides = { baseUrl?: string | undefined; wsUrl?: string | undefined };

/** Storage that keeps tokens across reloads. */
export type TokenStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** The agent's call of one of its tools, a browser tool or an action. */
export type IToolCall = {
  name: string;
  id: string;
  args: JsonObject;
  status?: CallStatus;
  output?: string;
  /** The same as `output`, if the call failed. */
  error?: string;
};

/** One part of an answer. */
export type IMessagePart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** `id` of one of the message's `toolCalls`. */
  | { type: "tool_call"; id: string }
  /** A component that belongs to no call. */
  | { type: "component"; id: string; componentName: string; args: JsonObject; status?: string };

/** A component in a message: its name and its data. */
export type IComponentMetadata = {
  /** Name of the component, the tool or the action. */
  name: string;
  props: {
    /** Id of the call or event; stays the same while arguments stream and after a reload. */
    id: string;
    /** The component defines their type. */
    args: unknown;
    status?: CallStatus;
    output?: string;
    error?: string;
    /** Name of the tool or action, for a call. */
    toolName?: string;
    /** True for a call of one of the agent's tools. */
    isToolCall?: boolean;
    /** True for a call of an action registered with `useAgAction`. */
    isAgAction?: boolean;
    /** The event's payload. */
    payload?:
      | ToolCallEventPayload
      | RenderComponentEventPayload
      | BrowserToolCallEventPayload
      | ActionCallEventPayload
      | ErrorEventPayload;
    /** The error event, for a failure. */
    event?: IComponentEvent;
  };
};

/** The event that a component shows. */
export type IComponentEvent = {
  eventName: "tool_call" | "render_component" | "browser_tool_call" | "action_call" | "error";
  // biome-ignore lint/suspicious/noExplicitAny: each event has its fields
  payload: (EventIds & Record<string, any>) | ErrorEventPayload;
};

/** Text, a component, or a list of both in order. */
export type MessageContent = string | IComponentMetadata | (string | IComponentMetadata)[];

export type IAttachment = {
  mxcUri?: string;
  eventId?: string;
  filename: string;
  mimetype: string;
  /** Bytes. */
  size?: number;
  /** Accepted and ignored: `mimetype` says what the file is. */
  category?: string;
};

/** A message of the thread. */
export type IMessage = {
  id: string;
  type: "ai" | "human";
  content: MessageContent;
  /** For the app's use; the SDK does not set it. */
  chunks?: number;
  toolCalls?: IToolCall[];
  /** Order of text, calls and components, for an answer in the history. */
  parts?: IMessagePart[];
  reasoning?: string;
  /** True while the agent is reasoning. */
  isReasoning?: boolean;
  /** False for the partial text of a turn that is running or was stopped. */
  isComplete?: boolean;
  /** ISO 8601. */
  createdAt?: string;
  attachments?: IAttachment[];
  /** The first attachment. */
  attachment?: IAttachment;
  /** Why the oracle did not accept the message. Send it again, or drop it with `refetchMessages`. */
  sendError?: Error;
};

/** State of a chat: `submitted` until the answer starts, `streaming` until it ends. */
export type ChatStatus = "submitted" | "streaming" | "ready" | "error";

/**
 * The running turn or the last one, and the state of its stream. A turn continues while nobody follows it.
 */
export type ChatRunState = {
  runId: string | null;
  requestId: string | null;
  /** The connection was lost and is being restored. */
  reconnecting: boolean;
  /** Number of restarts of the oracle during the turn. */
  resumed: number;
  /** How it ended; `disconnected` if its stream was lost. Null while it runs. */
  ended: "done" | "aborted" | "interrupted" | "failed" | "disconnected" | null;
};

/**
 * When streamed text updates the state: once per animation frame (`batched`), for each chunk (`immediate`), or the first chunk
 * immediately and then once per time window (`throttled`).
 */
export type StreamingMode = "batched" | "immediate" | "throttled";

/** Options of a function that reads again or further. Reading again always replaces a running read. */
export type RefetchOptions = {
  /** Reject when reading fails. Otherwise the failure is only in `error`. */
  throwOnError?: boolean;
  /** Accepted and ignored. */
  cancelRefetch?: boolean;
};

/** A chat session. */
export type IChatSession = {
  sessionId: string;
  title: string;
  /** ISO 8601. */
  lastUpdatedAt: string;
  /** ISO 8601. */
  createdAt: string;
  oracleName: string;
  oracleDid: string;
  oracleEntityDid: string;
  roomId?: string;
};

/** A request to confirm a call; only `true` confirms. */
export type ConfirmationRequest = {
  toolCallId: string;
  toolName: string;
  /** One sentence that describes the effect. */
  summary: string;
  /** The exact arguments. */
  args: unknown;
};
