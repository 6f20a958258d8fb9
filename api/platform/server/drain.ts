import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

export type Drain = {
  /** Accept no new connections, and answer on open ones with `Connection: close`. */
  begin: () => void;
  /** Resolves when every connection has ended, or after `ms`. */
  wait: (ms: number) => Promise<void>;
  /** Resolves when connections that were idle at the beginning have ended, within the announced keep-alive time. */
  idleEnded: () => Promise<void>;
};

/**
 * Prepare a server to stop without losing a request. Node's `close` closes idle connections immediately and so loses a request that
 * was just sent on one. Here each connection ends with its next response, or when it was idle for `keepAliveTimeout`.
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
      // Node waits one second longer than the time that it announces to clients.
      await wait(server.keepAliveTimeout + 1_500);
      server.closeIdleConnections();
      // Node does not count connections as idle that never sent anything.
      for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
