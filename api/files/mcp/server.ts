import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
} from "@modelcontextprotocol/sdk/types.js";
import { toAppError, toErrorBody } from "../../platform/http/index.ts";
import { Access } from "../../platform/ucan/index.ts";
import { holdsForbiddenText } from "../../platform/values/json.ts";
import type { FileContext } from "../deps.ts";
import { changingTools } from "./changing-tools.ts";
import { findingTools } from "./finding-tools.ts";
import type { Tool } from "./tool.ts";

export const tools: readonly Tool[] = [...findingTools, ...changingTools];
const toolsByName = new Map(tools.map((tool) => [tool.name, tool]));

const instructions =
  "Files in the namespace of the token's owner; paths are absolute. Every write keeps the previous version. Files that the token may not see are reported as missing.";

/** Create an MCP server for one request, with the tools that its token allows. */
export function createFileServer(ctx: FileContext): Server {
  const server = new Server(
    { name: "hearth-files", title: "Hearth files", version: "1.0.0" },
    { capabilities: { tools: {} }, instructions },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: tools
      .filter((tool) => tool.usable(ctx.access))
      .map(({ name, title, description, annotations, inputSchema }) => {
        return { name, title, description, annotations, inputSchema };
      }),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = toolsByName.get(params.name);
    if (tool === undefined) throw new McpError(ErrorCode.InvalidParams, "There is no such tool.");
    return await callTool(actingAs(ctx, params._meta), tool, params.arguments);
  });
  return server;
}

async function callTool(ctx: FileContext, tool: Tool, input: unknown): Promise<CallToolResult> {
  const { log } = ctx.deps;
  const about = { requestId: ctx.requestId, tool: tool.name };
  try {
    const answer = await tool.call(ctx, input);
    log.info(about, "tool called");
    return { content: [{ type: "text", text: JSON.stringify(answer) }], structuredContent: answer };
  } catch (thrown) {
    const error = toAppError(thrown);
    if (error.status >= 500) log.error({ ...about, err: thrown }, "tool failed");
    else log.info({ ...about, code: error.code }, "tool refused");
    const body = toErrorBody(error, ctx.requestId ?? "");
    return { isError: true, content: [{ type: "text", text: JSON.stringify(body) }], structuredContent: body };
  }
}

/** Take the agent's run and tool call for the audit from the call's `_meta`, unless the token itself names them. */
function actingAs(ctx: FileContext, meta: Record<string, unknown> | undefined): FileContext {
  const { grant } = ctx.access;
  const agent = { ...namedIn(meta, "runId"), ...namedIn(meta, "toolCallId"), ...grant.agent };
  return Object.keys(agent).length === 0 ? ctx : { ...ctx, access: new Access({ ...grant, agent }) };
}

function namedIn(meta: Record<string, unknown> | undefined, name: "runId" | "toolCallId"): { [name]?: string } {
  const value = meta?.[name];
  const recordable = typeof value === "string" && value.length >= 1 && value.length <= 256;
  return recordable && !holdsForbiddenText(value) ? { [name]: value } : {};
}
