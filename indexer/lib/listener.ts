import { subscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";

/** Requests are short, and so are the time-outs. */
const limits = { headersTimeout: 30_000, requestTimeout: 60_000, maxConnections: 2_000 };

/**
 * Give every server of this process time-outs and a cap on connections when it begins to listen. Ponder opens its server without
 * options; Node announces it on this channel. When Ponder ends, it finishes running requests for one second, with `Connection:
 * close`.
 */
export function limitListeners(): void {
  subscribe("tracing:net.server.listen:asyncStart", (message) => {
    Object.assign((message as { server: Server }).server, limits);
  });
}
