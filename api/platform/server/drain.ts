import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Drain = {
  /** Take no new connection, and answer on those that are there with `Connection: close`. */
  begin: () => void;
  /** Resolves when every connection has ended, or after `ms`. */
  wait: (ms: number) => Promise<void>;
  /** Resolves when a connection that was idle at the beginning has ended by the time that its client was told. */
  idleEnded: () => Promise<void>;
};

/**
 * Let a server end without losing a request. Closing idle connections at once, as Node's own `close` does, cuts whatever a client has
 * just sent on one. So each connection ends with the answer to its next request, or when it has been idle for `keepAliveTimeout`.
 */
export function prepareDrain(server: Server): Drain {
  const open = new Set<ServerResponse>();
  const sockets = new Set<Socket>();
  let draining = false;
  let ended: Promise<void> | undefined;
  server.prependListener("request", (_request, response) => {
    if (draining) response.shouldKeepAlive = false;
    open.add(response);
    response.once("close", () => open.delete(response));
  });
  server.on("connection", (socket) => {
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  const wait = async (ms: number) => {
    await Promise.race([ended, sleep(ms, undefined, { ref: false })]);
  };
  return {
    begin() {
      draining = true;
      for (const response of open) response.shouldKeepAlive = false;
      ended = new Promise((resolve) => NetServer.prototype.close.call(server, () => resolve()));
    },
    wait,
    async idleEnded() {
      // Node adds a second to the time that it tells its clients.
      await wait(server.keepAliveTimeout + 1_500);
      server.closeIdleConnections();
      // Node does not count those as idle that never sent anything.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
