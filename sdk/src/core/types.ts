/** Who uses the app: the connected wallet and its messaging session. */
export type Wallet = {
  /** Account on chain that pays. */
  address: string;
  did: string;
  matrix: {
    accessToken: string;
    /** A domain (https is meant) or a full URL. */
    homeServer: string;
  };
};

/** A UCAN that the app has minted. */
export type MintedToken = {
  /** Base64 CAR. */
  serialized: string;
  /** Unix milliseconds. */
  expiresAt: number;
};

/** Mints a UCAN addressed to the oracle, signed by the user. */
export type Mint = (oracleDid: string) => Promise<MintedToken>;

/** Signs and broadcasts transactions with the user's wallet; resolves with whatever the wallet answers. */
// biome-ignore lint/suspicious/noExplicitAny: wallets have types of their own for what they sign
export type TransactSignX = (messages: any[], memo?: any) => Promise<unknown>;

/** Where the registry of oracles lies. */
export type Network = { rpcUrl: string; registryAddress: `0x${string}`; chainId: number };

/** URLs to use in place of those that the registry tells. */
export type Overrides = { baseUrl?: string | undefined; wsUrl?: string | undefined };

/** Where tokens may be kept over a reload; none are kept without one. */
export type TokenStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

export type JsonObject = Record<string, unknown>;

/** Where a call stands. */
export type CallStatus = "isRunning" | "done" | "error";

/** A call that the agent made of one of its tools, of a browser tool or of an action. */
export type IToolCall = {
  name: string;
  id: string;
  args: JsonObject;
  status?: CallStatus;
  output?: string;
  /** Of a call that failed: the same as `output`. */
  error?: string;
};

/** What an answer was made of, in order. */
export type IMessagePart =
  | { type: "text"; text: string }
  | { type: "reasoning"; text: string }
  /** `id`: of one of the message's `toolCalls`. */
  | { type: "tool_call"; id: string }
  /** A component that no call asked for. */
  | { type: "component"; id: string; componentName: string; args: JsonObject; status?: string };

/** A component that stands in a message: what to draw, without the drawing. */
export type IComponentMetadata = {
  /** Of the component, the tool or the action. */
  name: string;
  props: {
    /** Of the call or event; stays the same while arguments stream and after a reload. */
    id: string;
    args: JsonObject;
    status?: CallStatus;
    output?: string;
    error?: string;
    /** Of a call: the tool or action. */
    toolName?: string;
    /** A call of one of the agent's tools. */
    isToolCall?: boolean;
    /** A call of an action that was registered with `useAgAction`. */
    isAgAction?: boolean;
    /** What came with the event. */
    payload?: JsonObject;
    /** Of a failure: the event as it came. */
    event?: { eventName: "error"; payload: JsonObject };
  };
};

/** Text, a component, or both in the order in which they were said. */
export type MessageContent = string | IComponentMetadata | (string | IComponentMetadata)[];

export type IAttachment = {
  mxcUri?: string;
  eventId?: string;
  filename: string;
  mimetype: string;
  /** Bytes. */
  size?: number;
};

/** A message of the thread. */
export type IMessage = {
  id: string;
  type: "ai" | "human";
  content: MessageContent;
  toolCalls?: IToolCall[];
  /** Of an answer with calls or components that is in the history: the order in which it was said. */
  parts?: IMessagePart[];
  reasoning?: string;
  /** True while the agent thinks. */
  isReasoning?: boolean;
  /** False for the partial text of a turn that is under way, or that was ended early. */
  isComplete?: boolean;
  /** ISO 8601. */
  createdAt?: string;
  attachments?: IAttachment[];
  /** The first of them. */
  attachment?: IAttachment;
  /** Of a message that the oracle did not take: why. Send it again, or drop it with `refetchMessages`. */
  sendError?: Error;
};

/** State of a chat: `submitted` until the first of the answer is there, `streaming` until its end. */
export type ChatStatus = "submitted" | "streaming" | "ready" | "error";

/**
 * The turn under way, or the last one: which it is, and how it fares on the way here. A turn goes on while nobody follows it.
 */
export type ChatRunState = {
  runId: string | null;
  requestId: string | null;
  /** The connection was lost, and is being made again. */
  reconnecting: boolean;
  /** How often the oracle was restarted in its midst. */
  resumed: number;
  /** How it ended; `disconnected`: it could not be followed to its end. Null while it runs. */
  ended: "done" | "aborted" | "interrupted" | "failed" | "disconnected" | null;
};

/**
 * How streamed text reaches state: once per animation frame (`batched`), with each piece (`immediate`), or the first piece at once
 * and then once in a number of milliseconds (`throttled`).
 */
export type StreamingMode = "batched" | "immediate" | "throttled";

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

/** A question whether a call may be made; only `true` confirms. */
export type ConfirmationRequest = {
  toolCallId: string;
  toolName: string;
  /** One sentence of what will happen. */
  summary: string;
  /** The literal arguments. */
  args: unknown;
};
