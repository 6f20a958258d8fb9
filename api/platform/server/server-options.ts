import type { IncomingMessage } from "node:http";

/**
 * Options of Node's server. The header limit fits a bearer token of 64 KiB, which is 88 KiB in base64. An upload may take hours, so
 * a whole request has no time limit. Its header has one, set here because Node would derive it from the request's. Its body must
 * keep arriving (`slow-bodies.ts`). An idle connection ends after 3 s, so that SIGTERM waits no longer than that for one. Not
 * less: Node's fetch stops using a connection 2 s before the announced end, and would open one for each request at 2 s.
 * Only WebSocket is an upgrade: a client that offers HTTP/2, as Java's does in each request without TLS, gets a normal answer.
 */
export const serverOptions = {
  maxHeaderSize: 128 * 1024,
  requestTimeout: 0,
  headersTimeout: 30_000,
  connectionsCheckingInterval: 5_000,
  keepAliveTimeout: 3_000,
  shouldUpgradeCallback: ({ headers }: IncomingMessage) => headers.upgrade?.toLowerCase() === "websocket",
};

/** Most open connections, including sockets and streams; further ones are closed. Each needs at least 50 KiB. */
export const maxConnections = 10_000;

/** Most open connections of one client (`limitClientConnections`). */
export const maxClientConnections = 1_000;
