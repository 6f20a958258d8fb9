import { subscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";

/** Questions are short, and so are those who wait for their answers. */
const limits = { headersTimeout: 30_000, requestTimeout: 60_000, maxConnections: 2_000 };

/**
 * Give every server of this process time-outs and a cap on connections, as it begins to listen. Ponder opens its own and takes no options;
 * Node tells of it on this channel. When Ponder ends, it answers what has begun for a second, with `Connection: close`.
 */
export function limitListeners(): void {
  subscribe("tracing:net.server.listen:asyncStart", (message) => {
    Object.assign((message as { server: Server }).server, limits);
  });
}
