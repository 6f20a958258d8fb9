import { createAdapter } from "@socket.io/postgres-adapter";
import type pg from "pg";
import { Server } from "socket.io";
import type { Log } from "../../platform/log.ts";
import type { CallEvent } from "../calls/live-calls.ts";
import type { AbortReason } from "../runs/runs.ts";

/** What the processes of one database tell each other. Nothing rests on it alone: a word may be lost. */
export type BusMessages = {
  abort: { runId: string; reason: AbortReason };
  result: { user: string; sessionId: string; callId: string; answer: ClientAnswer };
  /** For a participant of a live call that has no socket. */
  call: { to: string; event: CallEvent; payload: Record<string, unknown> };
};
export type ClientAnswer = { result?: unknown; error?: string };

export type Bus = {
  publish<K extends keyof BusMessages>(kind: K, message: BusMessages[K]): void;
  on<K extends keyof BusMessages>(kind: K, hear: (message: BusMessages[K]) => void): void;
};

/** Most bytes of one message of a client. */
export const largestMessage = 1024 * 1024;

/** The socket server of this process; with a pool it is one with those of all processes on that database. */
export function createSocketServer(pool: pg.Pool | undefined, log: Log): Server {
  const io = new Server({ cors: { origin: "*" }, maxHttpBufferSize: largestMessage, serveClient: false });
  if (pool === undefined) return io;
  const errorHandler = (err: Error) => log.error({ err }, "the sockets' connection to the database failed");
  return io.adapter(createAdapter(pool, { errorHandler }));
}

/** Say things to the other processes by way of the sockets' adapter; alone there is nobody to tell. */
export function createBus(io: Server, alone: boolean): Bus {
  return {
    publish(kind, message) {
      if (!alone) io.serverSideEmit(kind, message);
    },
    on(kind, hear) {
      // Only this server's own processes can send these.
      (io as { on: (event: string, hear: (message: never) => void) => unknown }).on(kind, hear);
    },
  };
}
