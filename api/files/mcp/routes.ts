import { type Context, Hono } from "hono";
import { limitWrites, readBody } from "../../platform/http/index.ts";
import type { FileEnv, FileRouteDeps } from "../http/env.ts";
import { requireToken } from "../http/require-token.ts";
import { changingTools, maxWrittenBytes } from "./changing-tools.ts";
import { requireKnownHost } from "./require-known-host.ts";

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
      // The protocol's library is large: it is loaded with the first message.
      const { brokenParams, respond } = await import("./answer.ts");
      const broken = brokenParams(message);
      if (broken !== undefined) return c.json({ jsonrpc: "2.0", error: broken.error, id: broken.id });
      if (isChange(message)) await limitWrites(c);
      return await respond(deps, c, message);
    });
}

/** Check whether the message calls a tool that changes something. */
function isChange(message: unknown): boolean {
  const { method, params } = (message ?? {}) as { method?: unknown; params?: { name?: unknown } | null };
  return method === "tools/call" && changingTools.some(({ name }) => name === params?.name);
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
