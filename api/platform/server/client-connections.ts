import type { Server } from "node:http";
import type { Socket } from "node:net";
import { classifyAddress } from "../outbound/index.ts";
import { clientNetwork } from "../values/networks.ts";

export type ClientConnections = {
  perClient: number;
  /** Whether connections of an address are counted. */
  counts?: (address: string) => boolean;
};

/** By default, clients on this machine are not limited. */
const isElsewhere = (address: string): boolean => classifyAddress(address) !== "loopback";

/**
 * Close new connections of a client that are over its limit. Streams and sockets stay open as long as their client wants, so
 * without this one client could use up all connections of the server. Do not use it behind a proxy, where all connections have the
 * proxy's address.
 */
export function limitClientConnections(server: Server, options: ClientConnections): void {
  const { perClient, counts = isElsewhere } = options;
  const open = new Map<string, number>();
  server.on("connection", (socket: Socket) => {
    const { remoteAddress } = socket;
    if (remoteAddress === undefined || !counts(remoteAddress)) return;
    const client = clientNetwork(remoteAddress);
    const own = open.get(client) ?? 0;
    if (own >= perClient) {
      socket.destroy();
      return;
    }
    open.set(client, own + 1);
    socket.once("close", () => {
      const left = (open.get(client) ?? 1) - 1;
      if (left > 0) open.set(client, left);
      else open.delete(client);
    });
  });
}
