import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { errorResponses, jsonContent } from "../../platform/http/index.ts";
import type { FileEnv } from "../http/env.ts";

const id = z.union([z.string(), z.number().int()]);
const version = z.literal("2.0");
const request = z
  .object({
    jsonrpc: version,
    id: id.optional(),
    method: z.string(),
    params: z.record(z.string(), z.unknown()).optional(),
  })
  .openapi("McpMessage", {
    example: {
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "vfs_read", arguments: { path: "/reports/hello.txt" } },
    },
  });
const answer = z
  .object({
    jsonrpc: version,
    id: id.nullable(),
    result: z.record(z.string(), z.unknown()).optional(),
    error: z.object({ code: z.number().int(), message: z.string() }).optional(),
  })
  .openapi("McpAnswer");

/** Describe the MCP route in the OpenAPI document. The protocol itself: https://modelcontextprotocol.io. */
export function describeMcp(registry: OpenAPIHono<FileEnv>["openAPIRegistry"]): void {
  registry.registerPath({
    method: "post",
    path: "/mcp",
    tags: ["Files"],
    security: [{ ucan: [] }],
    summary: "Speak the Model Context Protocol (streamable HTTP, one message a request, no sessions)",
    description:
      "Accept names both application/json and text/event-stream. `tools/list` lists the tools that the token can use.",
    request: { body: { required: true, content: jsonContent(request) } },
    responses: {
      200: { description: "The response; a tool's error is a result with isError", content: jsonContent(answer) },
      202: { description: "The notification was accepted" },
      ...errorResponses(400, 403, 404, 413),
    },
  });
}
