import type { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { z } from "zod";
import { AppError } from "../../../platform/errors.ts";
import { jsonVariable } from "../../../platform/json-variable.ts";
import { refuseUrlParts } from "../../../platform/values/url-parts.ts";
import type { JsonObject } from "../../wire/turn.ts";
import type { ToolContext } from "../host/tool.ts";

const server = z.strictObject({
  url: z.url({ protocol: /^https?$/ }).superRefine(refuseUrlParts(["fragment"], "")),
  headers: z.record(z.string(), z.string()).optional(),
});

/** The variable MCP_SERVERS: JSON of names to `{url, headers?}`. */
export const serversVariable = jsonVariable.pipe(
  z.record(z.string().regex(/^[a-z][a-z0-9-]*$/), server, {
    error: 'must be JSON like {"name": {"url": "https://…"}}',
  }),
);

export type McpServers = z.output<typeof serversVariable>;

/** A server's description of one of its tools. It is untrusted data, like the results of its tools. */
export type McpTool = { name: string; description: string | undefined; inputSchema: unknown; destructive: boolean };

/** @throws AppError NOT_FOUND, UPSTREAM */
export function listMcpTools(servers: McpServers, ctx: ToolContext, name: string): Promise<McpTool[]> {
  return withClient(servers, ctx, name, async (client) => {
    const all: McpTool[] = [];
    let cursor: string | undefined;
    do {
      const page = await client.listTools(cursor === undefined ? {} : { cursor }, { signal: ctx.signal });
      for (const { name: tool, description, inputSchema, annotations } of page.tools) {
        all.push({ name: tool, description, inputSchema, destructive: annotations?.destructiveHint === true });
      }
      cursor = page.nextCursor;
    } while (cursor !== undefined && all.length < maxTools);
    return all;
  });
}

/** Most tools of one server; later ones are unknown, so calling them needs confirmation. */
const maxTools = 1_000;

/**
 * Check whether the server marks the tool as destructive.
 * @throws AppError NOT_FOUND, UPSTREAM
 */
export async function isDestructiveCall(
  servers: McpServers,
  ctx: ToolContext,
  call: { server: string; tool: string },
): Promise<boolean> {
  const tools = await listMcpTools(servers, ctx, call.server);
  const named = tools.filter(({ name }) => name === call.tool);
  // An unknown tool fails anyway, unless the list was cut.
  return named.length === 0 ? tools.length >= maxTools : named.some(({ destructive }) => destructive);
}

/** @throws AppError NOT_FOUND; UPSTREAM with the server's message when the tool failed */
export function callMcpTool(
  servers: McpServers,
  ctx: ToolContext,
  call: { server: string; tool: string; args: JsonObject },
): Promise<unknown> {
  return withClient(servers, ctx, call.server, async (client) => {
    const { content, structuredContent, isError } = await client.callTool(
      { name: call.tool, arguments: call.args },
      undefined,
      { signal: ctx.signal },
    );
    if (isError === true)
      throw new AppError("UPSTREAM", `"${call.tool}" failed: ${JSON.stringify(content).slice(0, 1_000)}`);
    return structuredContent ?? content;
  });
}

async function withClient<T>(
  servers: McpServers,
  ctx: ToolContext,
  name: string,
  use: (client: Client) => Promise<T>,
): Promise<T> {
  const found = Object.hasOwn(servers, name) ? servers[name] : undefined;
  if (found === undefined) {
    throw new AppError("NOT_FOUND", `There is no MCP server "${name}"; there are: ${Object.keys(servers).join(", ")}.`);
  }
  // Most installations name no server, so the library is loaded with the first call.
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const client = new Client({ name: "hearth-oracle", version: "1.0.0" });
  const headers = { ...found.headers, ...invocationFor(ctx, name) };
  try {
    await client.connect(new StreamableHTTPClientTransport(new URL(found.url), { requestInit: { headers } }) as never);
    return await use(client);
  } catch (error) {
    if (error instanceof AppError) throw error;
    ctx.log.warn({ err: error, server: name }, "an MCP server failed");
    throw new AppError("UPSTREAM", `The MCP server "${name}" did not answer as it should.`, { cause: error });
  } finally {
    await client.close();
  }
}

/** The user's invocation for a server, which the client sent with the message. */
function invocationFor({ mcpInvocations }: ToolContext, name: string): Record<string, string> {
  const given = (mcpInvocations ?? {}) as Record<string, unknown>;
  const token = Object.hasOwn(given, name) ? given[name] : undefined;
  return typeof token === "string" ? { authorization: `Bearer ${token}` } : {};
}
