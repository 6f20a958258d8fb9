import type { z } from "zod";
import type { Log } from "../log.ts";

/** Asks the user; the arguments are shown as they are. False when refused, or nobody answered in time. */
export type Confirm = (question: {
  toolName: string;
  /** One sentence of what will happen. */
  summary: string;
  args: unknown;
}) => Promise<boolean>;

/** Who asks and in which conversation: what a tool may rely on. Made by the runtime for one turn. */
export type ToolContext = {
  /** The authenticated user's DID. */
  user: string;
  sessionId: string;
  /** Of user and oracle together: what is kept over sessions is kept for the room. */
  roomId: string;
  requestId: string;
  timezone?: string | undefined;
  /** Aborts with the turn, or when the tool's time is over. */
  signal: AbortSignal;
  /** What plugins keep of the conversation, by field: `userPreferences`, `loadedPlugins`, … */
  state: Record<string, unknown>;
  log: Log;
};

/** A tool as data. */
export type OracleTool = {
  /** snake_case; unique among all plugins. */
  name: string;
  description: string;
  /** A zod object, or the JSON schema of a tool that is declared elsewhere (a browser, an MCP server). */
  inputSchema: z.ZodObject | { jsonSchema: Record<string, unknown> };
  outputSchema?: z.ZodType;
  /** Changes what cannot simply be changed back, pays or purges: the user confirms each call, with its arguments. */
  destructive: boolean;
  /** The ability that the user's delegation must hold, such as `fs/write`. */
  scope?: string;
  /** Milliseconds; the runtime's limit when absent. */
  timeoutMs?: number;
  /** @throws AppError, which the model reads as the tool's failure; anything else is logged and told as a fault */
  run: (call: { ctx: ToolContext; input: never }) => Promise<unknown>;
};

type Definition<Input extends z.ZodObject> = Omit<OracleTool, "run" | "inputSchema"> & {
  inputSchema: Input;
  run: (call: { ctx: ToolContext; input: z.output<Input> }) => Promise<unknown>;
};

/** Define a tool whose input is typed by its schema. */
export function defineOracleTool<Input extends z.ZodObject>(definition: Definition<Input>): OracleTool {
  return definition as OracleTool;
}
