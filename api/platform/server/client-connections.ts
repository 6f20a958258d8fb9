import type { Server } from "node:http";
import type { Socket } from "node:net";
import { classifyAddress } from "../outbound/index.ts";
import { clientNetwork } from "../values/networks.ts";

export type ClientConnections = {
  perClient: number;
  /** Whose connections are counted, by the address that they come from. */
  counts?: (address: string) => boolean;
};

/** Clients on this machine are no strangers. */
const isElsewhere = (address: string): boolean => classifyAddress(address) !== "loopback";

/**
 * Close connections of one client beyond a limit as they come. Streams and sockets stay open for as long as their client likes, so
 * without it one client could take every connection that the server accepts. Not for a server behind a proxy, whose address they
 * would all have.
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
