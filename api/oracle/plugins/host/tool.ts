import type { z } from "zod";
import type { Log } from "../../../platform/log.ts";
import type { Attachment, ClientTool, HeldDelegation, JsonObject, MatrixSession } from "../../wire/turn.ts";

/** Who asks and in which conversation: what a tool may rely on. Made by the runtime for one turn. */
export type ToolContext = {
  /** The authenticated user's DID. */
  user: string;
  /** What the user lets the oracle do in its name; null: nothing. */
  delegation: HeldDelegation | null;
  sessionId: string;
  /** Of user and oracle together: what is kept over sessions is kept for the room. */
  roomId: string;
  requestId: string;
  /** Of this call: its results may come back over the socket. */
  toolCallId: string;
  timezone?: string | undefined;
  /** What the message's sender gave along. */
  metadata?: JsonObject | undefined;
  mcpInvocations?: unknown;
  /** Of the user's message. */
  attachments: Attachment[];
  /** Where attachments at `mxc://` are fetched, and with which token. */
  matrix?: MatrixSession | undefined;
  /** Tools and actions that the client declared. */
  clientTools: ClientTool[];
  /** Has the client run one of them. @throws AppError when it is not answered, or with the client's own error */
  callClient: (call: { toolName: string; args: JsonObject; toolCallId: string }) => Promise<unknown>;
  /** Shows one of the client's components. */
  /** `eventId`: of the call that asked for it, so that a client shows it once. */
  render: (component: { componentName: string; args: JsonObject; eventId?: string }) => void;
  /** Aborts with the turn, or when the tool's time is over. */
  signal: AbortSignal;
  /** What plugins keep of the conversation, by field: `userPreferences`, … */
  state: Record<string, unknown>;
  log: Log;
};

/** A tool as data. */
export type OracleTool = {
  /** snake_case; unique among all plugins. */
  name: string;
  description: string;
  /** A zod object, or the JSON schema of a tool that is declared elsewhere (a browser, an MCP server). */
  inputSchema: z.ZodObject | { jsonSchema: JsonObject };
  outputSchema?: z.ZodType;
  /** Pays, purges, or cannot simply be undone: the user confirms each call, with its arguments. */
  destructive: boolean;
  /** Whether this very call is destructive, of a tool that calls what somebody else describes. @throws AppError */
  isDestructive?: (call: { ctx: ToolContext; input: never }) => Promise<boolean>;
  /**
   * Changes nothing. A tool that may change something is called without a question only as long as nothing but the user's own
   * words has reached the model in this turn.
   */
  readOnly?: boolean;
  /** A failure is the model's to judge, even one that may pass: for calls that their receiver takes once. */
  onlyOnce?: boolean;
  /** What it answers is the runtime's own word, not content that somebody else wrote. */
  trustedOutput?: boolean;
  /** The ability that the user's delegation must hold, such as `fs/write`. */
  scope?: string;
  /** Milliseconds; the runtime's limit when absent. */
  timeoutMs?: number;
  /** @throws AppError, which the model reads as the tool's failure; anything else is logged and told as a fault */
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
