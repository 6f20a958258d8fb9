export type JsonObject = Record<string, unknown>;

/** Where a call of a tool stands, as clients are told. */
export type CallStatus = "isRunning" | "done" | "error";

/** A call of a tool as it is stored with the answer. */
export type StoredCall = { name: string; id: string; args: JsonObject; status: string; output?: string };

/** A call of one of the runtime's own tools. Say it twice: when it begins and when it ends, with the same id. */
export type ToolEvent = {
  type: "tool";
  toolCallId: string;
  toolName: string;
  args: JsonObject;
  status: CallStatus;
  output?: string;
};

/** A call of an AG-UI action that the client declared; told over SSE. The socket's part is done by `callClient`. */
export type ActionEvent = Omit<ToolEvent, "type"> & { type: "action" };

/** What a turn says while it runs. The wire makes frames, ids, the event log and socket events of it. */
export type TurnEvent =
  | { type: "text"; delta: string }
  /** `details`: what a model server adds to its reasoning, handed on as it is. */
  | { type: "reasoning"; text: string; details?: unknown }
  | ToolEvent
  | ActionEvent
  | { type: "component"; componentName: string; args: JsonObject; status?: string; eventId?: string }
  | { type: "error"; message: string; kind?: string; retryable?: boolean };

/** A tool that the client declared with its message. */
export type ClientTool = {
  name: string;
  description: string;
  /** JSON schema of the arguments; empty: any object. */
  schema: JsonObject;
  /** `browser`: a function in the user's tab. `action`: an AG-UI action. `frontend`: a tool of an AG-UI front end, see `deferred`. */
  kind: "browser" | "action" | "frontend";
  hasRender?: boolean;
};

export type Attachment = {
  mxcUri?: string | undefined;
  eventId?: string | undefined;
  filename: string;
  mimetype: string;
  size?: number | undefined;
};

/** The user's session at its home server, as the request's headers tell it. Never kept, never logged. */
export type MatrixSession = {
  accessToken: string;
  /** A domain, or a full URL. */
  homeServer: string;
};

/** The user's delegation to this oracle, verified, of the same user who is authenticated. */
export type HeldDelegation = {
  /** Base64 CAR as it came. */
  raw: string;
  cid: string;
  issuer: string;
  /** Unix seconds. */
  expiration: number;
  capabilities: { can: string; with: string; nb?: unknown }[];
};

/** One earlier turn's messages as the model saw them: what `TurnResult.messages` was. */
export type History = JsonObject[];

export type TurnSession = {
  id: string;
  /** Of user and oracle together. */
  roomId: string;
  /** Append-only; save with `saveState`. */
  loadedPlugins: string[];
  /** What the agent keeps of the thread, such as a summary of dropped turns. */
  state: JsonObject;
};

/** Asks the user; the arguments are shown as they are. False when refused, or nobody answered in time. */
export type Confirm = (question: {
  toolName: string;
  /** One sentence of what will happen. */
  summary: string;
  args: unknown;
}) => Promise<boolean>;

/** Everything that a turn needs; made by the wire for each message. */
export type TurnContext = {
  runId: string;
  requestId: string;
  /** The authenticated user's DID. */
  user: string;
  delegation: HeldDelegation | null;
  session: TurnSession;
  /** The user's words. */
  message: string;
  attachments: Attachment[];
  matrix?: MatrixSession | undefined;
  history: History;
  model?: string | undefined;
  timezone?: string | undefined;
  metadata?: JsonObject | undefined;
  mcpInvocations?: unknown;
  clientTools: ClientTool[];
  /** Results of `frontend` tools that ended the turn before; then `message` may be empty. */
  frontendResults: { toolCallId: string; content: string }[];
  /** Aborts when the user aborts, sends another message, or the server stops. */
  signal: AbortSignal;
  /** Say something now. Returns a promise only when the log is behind: await it where that costs nothing. */
  emit: (event: TurnEvent) => void | Promise<void>;
  /**
   * Have the client run a browser tool or an action. Arguments are checked against the declared schema before they are sent.
   * @throws AppError INVALID_INPUT for arguments that break the schema, UNAVAILABLE when no answer came in time, UPSTREAM with
   * the client's own error
   */
  callClient: (call: { toolName: string; args: JsonObject; toolCallId?: string }) => Promise<unknown>;
  /** Asks the user over the socket; false when refused or not answered in time. */
  confirm: Confirm;
  /** Kept at once, so that it outlives a crash of the turn. */
  saveState: (change: { loadedPlugins?: string[]; state?: JsonObject }) => Promise<void>;
};

export type Usage = { inputTokens?: number | undefined; outputTokens?: number | undefined };

export type TurnResult = {
  /**
   * Messages of this turn for the model, the user's first, to be history of the next turn. Absent or after a failure, the wire
   * keeps the plain text of both sides.
   */
  messages?: History;
  usage?: Usage;
};

export type ModelCard = {
  id: string;
  label: string;
  family: string;
  tier: string;
  costLabel: string;
  badge: string;
  blurb: string;
  vision: boolean;
  /** What a user pays for tokens, beside the price of a message. */
  pricing: { inputPerMillion: number; outputPerMillion: number; currency: "USD"; unit: "per_million_tokens" };
  isDefault: boolean;
};

/** What drives a conversation. The wire knows nothing of models, tools or plugins. */
export interface Agent {
  models(): ModelCard[];
  /** Resolves when all is said. What it throws ends the run as failed; after an abort anything it throws is the abort's. */
  runTurn(ctx: TurnContext): Promise<TurnResult>;
}
