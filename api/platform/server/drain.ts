import type { Server, ServerResponse } from "node:http";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate as nextIteration, setTimeout as sleep } from "node:timers/promises";

export type Drain = {
  /**
   * Accept no further connections, and answer on open ones with `Connection: close`. Resolves when the port is closed: the connections
   * that the kernel has completed are accepted first.
   */
  begin: () => Promise<void>;
  /** Resolves when every connection has ended, or after `ms`. */
  wait: (ms: number) => Promise<void>;
  /** Resolves when connections that were idle at the beginning have ended, within the announced keep-alive time. */
  idleEnded: () => Promise<void>;
};

/** Longest time in milliseconds for which connections are still accepted, if there are always more. */
const acceptingMs = 1_000;

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
  let accepted = 0;
  server.on("connection", (socket) => {
    accepted++;
    sockets.add(socket);
    socket.once("close", () => sockets.delete(socket));
  });
  // Node accepts one connection in each iteration of its loop. The kernel resets those that wait when the port is closed, although
  // their clients may have sent a request already.
  const acceptWaiting = async () => {
    for (const end = Date.now() + acceptingMs; Date.now() < end; ) {
      const before = accepted;
      // The first of the two may come before this iteration has looked for connections.
      await nextIteration();
      await nextIteration();
      if (accepted === before) return;
    }
  };
  const wait = async (ms: number) => {
    await Promise.race([ended, sleep(ms, undefined, { ref: false })]);
  };
  return {
    async begin() {
      // Before `Connection: close` makes clients open more of them.
      await acceptWaiting();
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
