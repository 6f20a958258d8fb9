import type { z } from "zod";
import type { Log } from "../../../platform/log.ts";
import type { Attachment, ClientTool, HeldDelegation, JsonObject, MatrixSession } from "../../wire/turn.ts";

/** The user and conversation of a call. Created by the runtime for one turn, so a tool can rely on it. */
export type ToolContext = {
  /** The authenticated user's DID. */
  user: string;
  /** What the oracle may do in the user's name; null: nothing. */
  delegation: HeldDelegation | null;
  sessionId: string;
  /** The room of user and oracle. What outlives a session is kept by room. */
  roomId: string;
  requestId: string;
  /** Id of this call. */
  toolCallId: string;
  timezone?: string | undefined;
  /** The message's `metadata`. */
  metadata?: JsonObject | undefined;
  mcpInvocations?: unknown;
  /** Of the user's message. */
  attachments: Attachment[];
  /** The user's Matrix session, to fetch attachments at `mxc://`. */
  matrix?: MatrixSession | undefined;
  /** Tools and actions that the client declared. */
  clientTools: ClientTool[];
  /** Have the client run one of them. @throws AppError without an answer, or with the client's error */
  callClient: (call: { toolName: string; args: JsonObject; toolCallId: string }) => Promise<unknown>;
  /** Show one of the client's components. `eventId`: id of the call that asked for it, so that a client shows it once. */
  render: (component: { componentName: string; args: JsonObject; eventId?: string }) => void;
  /** Aborts when the turn is aborted, or the tool times out. */
  signal: AbortSignal;
  /** State that plugins loaded, by field: `userPreferences`, … */
  state: Record<string, unknown>;
  log: Log;
};

/** A tool as data. */
export type OracleTool = {
  /** snake_case; unique among all plugins. */
  name: string;
  description: string;
  /** A zod object; or JSON schema, for a tool that a browser or an MCP server declared. */
  inputSchema: z.ZodObject | { jsonSchema: JsonObject };
  outputSchema?: z.ZodType;
  /** Pays, purges, or is hard to undo: the user confirms each call with its arguments. */
  destructive: boolean;
  /** Whether one call is destructive, for a tool that calls tools of others. @throws AppError */
  isDestructive?: (call: { ctx: ToolContext; input: never }) => Promise<boolean>;
  /** Changes nothing. Other tools need the user's confirmation once content that the user did not write has reached the model. */
  readOnly?: boolean;
  /** Never retry a failed call: its receiver accepts it only once. */
  onlyOnce?: boolean;
  /** Its result is the runtime's own text, not content that others wrote. */
  trustedOutput?: boolean;
  /** Ability that the user's delegation must hold, such as `fs/write`. */
  scope?: string;
  /** In milliseconds; the runtime's default when absent. */
  timeoutMs?: number;
  /** @throws AppError, whose message the model reads. Any other error is logged, and the model reads only that the tool failed */
  run: (call: { ctx: ToolContext; input: never }) => Promise<unknown>;
};

type Definition<Input extends z.ZodObject> = Omit<OracleTool, "run" | "isDestructive" | "inputSchema"> & {
  inputSchema: Input;
  isDestructive?: (call: { ctx: ToolContext; input: z.output<Input> }) => Promise<boolean>;
  run: (call: { ctx: ToolContext; input: z.output<Input> }) => Promise<unknown>;
};

/** Define a tool whose input is typed by its schema. */
export function defineOracleTool<Input extends z.ZodObject>(definition: Definition<Input>): OracleTool {
  return definition as OracleTool;
}
