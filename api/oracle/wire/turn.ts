export type JsonObject = Record<string, unknown>;

/** State of a tool call, as clients see it. */
export type CallStatus = "isRunning" | "done" | "error";

/** A call of a tool as it is stored with the answer. */
export type StoredCall = { name: string; id: string; args: JsonObject; status: string; output?: string };

/** A call of one of the runtime's tools. Emit it twice with the same id: when it begins and when it ends. */
export type ToolEvent = {
  type: "tool";
  toolCallId: string;
  toolName: string;
  args: JsonObject;
  status: CallStatus;
  output?: string;
};

/** A call of an AG-UI action that the client declared, sent over SSE. `callClient` sends the socket's part. */
export type ActionEvent = Omit<ToolEvent, "type"> & { type: "action" };

/** Output of a running turn. The wire converts it to frames, ids, the event log and socket events. */
export type TurnEvent =
  | { type: "text"; delta: string }
  /** `details`: data that a model server adds to its reasoning, passed on unchanged. */
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

/** The user's session at its home server, from the request's headers. Never stored or logged. */
export type MatrixSession = {
  accessToken: string;
  /** A domain, or a full URL. */
  homeServer: string;
};

/** The authenticated user's verified delegation to this oracle. */
export type HeldDelegation = {
  /** Base64 CAR as received. */
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
  /** Room of user and oracle. */
  roomId: string;
  /** Append-only; save with `saveState`. */
  loadedPlugins: string[];
  /** The agent's state of the thread, such as a summary of dropped turns. */
  state: JsonObject;
};

/** Asks the user, and shows the arguments unchanged. False when the user refused or did not answer in time. */
export type Confirm = (question: {
  toolName: string;
  /** One sentence that says what will happen. */
  summary: string;
  args: unknown;
}) => Promise<boolean>;

/** Everything that a turn needs; the wire creates it for each message. */
export type TurnContext = {
  runId: string;
  requestId: string;
  /** The authenticated user's DID. */
  user: string;
  delegation: HeldDelegation | null;
  session: TurnSession;
  /** The user's message. */
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
  /** Send an event now. Returns a promise only if the log is behind; await it where possible. */
  emit: (event: TurnEvent) => void | Promise<void>;
  /**
   * Have the client run a browser tool or an action. Arguments are checked against the declared schema before they are sent.
   * @throws AppError INVALID_INPUT for arguments that break the schema, UNAVAILABLE when no answer arrived in time, UPSTREAM with
   * the client's error
   */
  callClient: (call: { toolName: string; args: JsonObject; toolCallId?: string }) => Promise<unknown>;
  /** Asks the user over the socket; false when refused or not answered in time. */
  confirm: Confirm;
  /** Stored immediately, so that it survives a crash of the turn. */
  saveState: (change: { loadedPlugins?: string[]; state?: JsonObject }) => Promise<void>;
};

export type Usage = { inputTokens?: number | undefined; outputTokens?: number | undefined };

export type TurnResult = {
  /**
   * Messages of this turn for the model, the user's first, to be history of the next turn. If absent, or after a failure, the
   * wire stores the plain text of both sides.
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
  /** What a user pays for tokens, in addition to the price of a message. */
  pricing: { inputPerMillion: number; outputPerMillion: number; currency: "USD"; unit: "per_million_tokens" };
  isDefault: boolean;
};

/** The driver of a conversation. The wire does not depend on models, tools or plugins. */
export interface Agent {
  models(): ModelCard[];
  /**
   * Resolves when the answer is complete. If it throws, the run ends as failed; after an abort, any error counts as the abort.
   */
  runTurn(ctx: TurnContext): Promise<TurnResult>;
}
