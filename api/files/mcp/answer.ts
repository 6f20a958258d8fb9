import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import type { Context } from "hono";
import type { z } from "zod";
import { type FileEnv, type FileRouteDeps, fileContext } from "../http/env.ts";
import { createFileServer } from "./server.ts";

const requests = new Map<string, z.ZodType>([
  ["initialize", InitializeRequestSchema],
  ["tools/list", ListToolsRequestSchema],
  ["tools/call", CallToolRequestSchema],
]);

/** Create the error for malformed params. The SDK would report them as a server error. */
export function brokenParams(message: unknown) {
  const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  const schema = typeof method === "string" ? requests.get(method) : undefined;
  const parsed = schema?.safeParse(message);
  if (parsed === undefined || parsed.success || (typeof id !== "string" && typeof id !== "number")) return undefined;
  const fields = [...new Set(parsed.error.issues.map(({ path }) => path.join(".")))].slice(0, 20).join(", ");
  return { id, error: { code: ErrorCode.InvalidParams, message: `${method} does not accept these: ${fields}.` } };
}

/** Answer a message of an authorised client. */
export async function respond(deps: FileRouteDeps, c: Context<FileEnv>, parsedBody: unknown): Promise<Response> {
  const server = createFileServer(fileContext(deps, c));
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true });
  try {
    await server.connect(transport);
    const { status, headers, body } = await transport.handleRequest(c.req.raw, { parsedBody });
    return c.newResponse(body, status as 200, Object.fromEntries(headers));
  } finally {
    await server.close();
  }
}
