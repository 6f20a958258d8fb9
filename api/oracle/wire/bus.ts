import { createAdapter } from "@socket.io/postgres-adapter";
import type pg from "pg";
import { Server } from "socket.io";
import type { Log } from "../../platform/log.ts";

/** Why a turn is ended before it is done. */
export type AbortReason = "aborted" | "superseded" | "interrupted";

/** Events of a live call; the payload names the call. */
export type CallEvent =
  | "call_joined"
  | "call_resumed"
  | "call_left"
  | "call_signal"
  | "call_key"
  | "call_state"
  | "call_caption"
  | "call_payment_required"
  | "call_ended";

/** Messages between the processes that share a database. Delivery is not guaranteed: the database holds what must not be lost. */
export type BusMessages = {
  abort: { runId: string; reason: AbortReason };
  result: { user: string; sessionId: string; callId: string; answer: ClientAnswer };
  /** For a participant of a live call without a socket: the agent, at another process. */
  call: { to: string; event: CallEvent; payload: Record<string, unknown> };
};
export type ClientAnswer = { result?: unknown; error?: string };

export type Bus = {
  publish<K extends keyof BusMessages>(kind: K, message: BusMessages[K]): void;
  on<K extends keyof BusMessages>(kind: K, listener: (message: BusMessages[K]) => void): void;
};

/** Largest message of a client, in bytes. */
export const largestMessage = 1024 * 1024;

/** Create this process's socket server. With a pool, it reaches the sockets of every process on that database. */
export function createSocketServer(pool: pg.Pool | undefined, log: Log): Server {
  const io = new Server({ cors: { origin: "*" }, maxHttpBufferSize: largestMessage, serveClient: false });
  if (pool === undefined) return io;
  const errorHandler = (err: Error) => log.error({ err }, "the sockets' connection to the database failed");
  return io.adapter(createAdapter(pool, { errorHandler }));
}

/** Create the bus, which uses the sockets' adapter. @param isSingleProcess publishes nothing: there is no other process */
export function createBus(io: Server, isSingleProcess: boolean): Bus {
  return {
    publish(kind, message) {
      if (!isSingleProcess) io.serverSideEmit(kind, message);
    },
    on(kind, listener) {
      // Clients cannot send these: they come from the adapter alone.
      (io as { on: (event: string, listener: (message: never) => void) => unknown }).on(kind, listener);
    },
  };
}
