import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";
import {
  CallToolRequestSchema,
  ErrorCode,
  InitializeRequestSchema,
  ListToolsRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";
import { type Context, Hono } from "hono";
import type { z } from "zod";
import { limitWrites, readBody } from "../../platform/http/index.ts";
import { type FileEnv, type FileRouteDeps, fileContext } from "../http/env.ts";
import { requireToken } from "../http/require-token.ts";
import { changingTools, maxWrittenBytes } from "./changing-tools.ts";
import { requireKnownHost } from "./require-known-host.ts";
import { createFileServer } from "./server.ts";

/** Largest request in bytes: the largest content of vfs_write in base64, plus the rest of the message. */
const bodyLimit = Math.ceil(maxWrittenBytes / 3) * 4 + 64 * 1024;

/**
 * The Model Context Protocol over streamable HTTP, without sessions. Each POST carries its token and gets a new server with the
 * token's tools. So a revocation takes effect immediately, nothing is kept between requests, and message ids of different clients
 * never mix.
 */
export function mcpRoutes(deps: FileRouteDeps): Hono<FileEnv> {
  return new Hono<FileEnv>()
    .use(requireKnownHost(deps.config))
    .on(["GET", "DELETE", "PUT", "PATCH"], "/", (c) => {
      return rpcError(c, 405, -32000, "This server keeps no sessions and no streams; POST your messages.", {
        Allow: "POST",
      });
    })
    .post("/", requireToken(deps.files.authority), async (c) => {
      c.header("Cache-Control", "private, no-store");
      if (c.req.header("mcp-session-id") !== undefined) return rpcError(c, 404, -32001, "There is no such session.");
      const message = readMessage(await readBody(c, bodyLimit));
      if (message === undefined) return rpcError(c, 400, -32700, "The body is not JSON in UTF-8.");
      if (Array.isArray(message)) return rpcError(c, 400, -32600, "Send one message at a time.");
      const broken = brokenParams(message);
      if (broken !== undefined) return c.json({ jsonrpc: "2.0", error: broken.error, id: broken.id });
      if (isChange(message)) await limitWrites(c);
      return await respond(deps, c, message);
    });
}

const requests = new Map<string, z.ZodType>([
  ["initialize", InitializeRequestSchema],
  ["tools/list", ListToolsRequestSchema],
  ["tools/call", CallToolRequestSchema],
]);

/** Create the error for malformed params. The SDK would report them as a server error. */
function brokenParams(message: unknown) {
  const { id, method } = (message ?? {}) as { id?: unknown; method?: unknown };
  const schema = typeof method === "string" ? requests.get(method) : undefined;
  const parsed = schema?.safeParse(message);
  if (parsed === undefined || parsed.success || (typeof id !== "string" && typeof id !== "number")) return undefined;
  const fields = [...new Set(parsed.error.issues.map(({ path }) => path.join(".")))].slice(0, 20).join(", ");
  return { id, error: { code: ErrorCode.InvalidParams, message: `${method} does not accept these: ${fields}.` } };
}

/** Check whether the message calls a tool that changes something. */
function isChange(message: unknown): boolean {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  return method === "tools/call" && changingTools.some(({ name }) => name === params?.name);
}

async function respond(deps: FileRouteDeps, c: Context<FileEnv>, parsedBody: unknown): Promise<Response> {
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

function readMessage(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    return undefined;
  }
}

function rpcError(c: Context<FileEnv>, status: 400 | 404 | 405, code: number, message: string, headers = {}): Response {
  return c.json({ jsonrpc: "2.0", error: { code, message }, id: null }, status, headers);
}
