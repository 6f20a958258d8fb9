import type { ClientTool } from "../wire/turn.ts";
import type { OracleTool, ToolContext } from "./host/tool.ts";

/**
 * Create the tools of one kind that the client declared with its message. The client runs them in the user's tab and asks the
 * user for confirmation itself; their results are content from others.
 */
export function clientToolsOf(ctx: ToolContext, kind: ClientTool["kind"]): OracleTool[] {
  return ctx.clientTools
    .filter((tool) => tool.kind === kind)
    .map(({ name, description, schema }) => ({
      name,
      description,
      inputSchema: { jsonSchema: schema },
      destructive: false,
      readOnly: true,
      onlyOnce: true,
      // The wire's time limit ends the call.
      timeoutMs: 10 * 60_000,
      run: (call) => call.ctx.callClient({ toolName: name, args: call.input, toolCallId: call.ctx.toolCallId }),
    }));
}
