import { z } from "zod";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";
import { defineOracleTool } from "../host/tool.ts";
import { callMcpTool, isDestructiveCall, listMcpTools, serversVariable } from "./servers.ts";

const configSchema = z.object({ MCP_SERVERS: serversVariable });

export const mcp = defineOraclePlugin<Services, typeof configSchema>({
  name: "mcp",
  version: "1.0.0",
  manifest: {
    title: "External tools",
    summary: "Uses the tools of external MCP servers that the operator has named.",
    whenToUse: ["when the user asks for something that an external server offers"],
    tags: ["mcp", "external", "integration"],
    category: "integration",
  },
  configSchema,
  getTools: ({ config: { MCP_SERVERS: servers } }) => [
    defineOracleTool({
      name: "list_mcp_tools",
      description: `The tools of an external server. Servers: ${Object.keys(servers).join(", ")}.`,
      inputSchema: z.strictObject({ server: z.string() }),
      destructive: false,
      readOnly: true,
      run: ({ ctx, input }) => listMcpTools(servers, ctx, input.server),
    }),
    defineOracleTool({
      name: "call_mcp_tool",
      description: "Calls a tool of an external server with these arguments.",
      inputSchema: z.strictObject({
        server: z.string(),
        tool: z.string(),
        args: z.record(z.string(), z.unknown()).default({}),
      }),
      destructive: false,
      isDestructive: ({ ctx, input }) => isDestructiveCall(servers, ctx, input),
      run: ({ ctx, input }) => callMcpTool(servers, ctx, input),
    }),
  ],
});
