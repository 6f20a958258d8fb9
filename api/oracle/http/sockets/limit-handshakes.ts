import type { Server as HttpServer, IncomingMessage } from "node:http";
import type { Server, Socket } from "socket.io";
import { addressOf, clientNetwork } from "../../../platform/values/networks.ts";

type Connection = Socket["conn"];

/** Most connections without an authenticated user, of one network and of all together. Each needs about 10 KiB. */
const usual = { perNetwork: 200, total: 4_000 };

export type Handshakes = {
  /** Accept a server's connections. */
  attach: (server: HttpServer) => void;
  /** Stop counting a connection, because its user is authenticated and counted. */
  admit: (connection: Connection) => void;
};

/**
 * Limit the connections of clients that have not authenticated. A handshake by polling keeps no TCP connection open, so without
 * this limit anyone could open any number of them until the memory is full.
 */
export function limitHandshakes(io: Server, { trustProxy }: { trustProxy: boolean }): Handshakes {
  const waiting = new Map<Connection, string>();
  const counts = new Map<string, number>();
  const networkOf = ({ socket, headers }: IncomingMessage) =>
    clientNetwork(addressOf(socket.remoteAddress, trustProxy ? headers["x-forwarded-for"]?.toString() : undefined));
  const leave = (connection: Connection) => {
    const network = waiting.get(connection);
    if (network === undefined) return;
    waiting.delete(connection);
    const left = (counts.get(network) ?? 1) - 1;
    if (left > 0) counts.set(network, left);
    else counts.delete(network);
  };
  const enter = (connection: Connection) => {
    const network = networkOf(connection.request);
    waiting.set(connection, network);
    counts.set(network, (counts.get(network) ?? 0) + 1);
    connection.once("close", () => leave(connection));
  };
  const allowRequest = (request: IncomingMessage, answer: (error: string | null, allowed: boolean) => void) => {
    const isFull = (counts.get(networkOf(request)) ?? 0) >= usual.perNetwork || waiting.size >= usual.total;
    answer(isFull ? "Too many connections wait for their authentication. Try again in a minute." : null, !isFull);
  };
  const attach = (server: HttpServer) => {
    io.attach(server, { allowRequest });
    io.engine.on("connection", enter);
  };
  return { attach, admit: leave };
}
