import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createAdapter } from "@socket.io/postgres-adapter";
import type pg from "pg";
import { Server } from "socket.io";
import { PostgresPool } from "../../platform/db/index.ts";
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
  /** A token was revoked: connections that were admitted with it end. */
  revoked: Record<string, never>;
};
export type ClientAnswer = { result?: unknown; error?: string };

export type Bus = {
  publish<K extends keyof BusMessages>(kind: K, message: BusMessages[K]): void;
  on<K extends keyof BusMessages>(kind: K, listener: (message: BusMessages[K]) => void): void;
};

/** Largest message of a client, in bytes. */
export const largestMessage = 1024 * 1024;

/** Create a pool for the sockets alone, because one of its connections only listens. */
export function createSocketPool(connectionString: string | undefined, log: Log): pg.Pool {
  return new PostgresPool({ connectionString, max: 4, application_name: `hearth-sockets-${randomUUID()}` }, log);
}

/** Create this process's socket server. With a pool, it reaches the sockets of every process on that database. */
export function createSocketServer(pool: pg.Pool | undefined, log: Log): Server {
  const io = new Server({
    cors: { origin: "*" },
    maxHttpBufferSize: largestMessage,
    serveClient: false,
    // Time between opening a connection and sending the token, in milliseconds.
    connectTimeout: 15_000,
  });
  if (pool === undefined) return io;
  const errorHandler = (err: Error) => log.error({ err }, "the sockets' connection to the database failed");
  return io.adapter(createAdapter(pool, { errorHandler }));
}

/** How long a start waits for the adapter, in milliseconds. */
const mostWaitMs = 5_000;

/**
 * Wait until the adapter hears other processes: what they send earlier is lost. It opens its connection in the background and has no
 * event for it, so ask the database. The pool's `application_name` must be this process's alone.
 */
export async function whenListening(pool: pg.Pool | undefined, log: Log): Promise<void> {
  if (pool === undefined) return;
  const name = pool.options.application_name;
  for (const end = Date.now() + mostWaitMs; Date.now() < end; await sleep(10)) {
    const listening =
      "select 1 from pg_stat_activity where application_name = $1 and state = 'idle' and query like 'LISTEN %'";
    const { rowCount } = await pool.query(listening, [name]);
    if (rowCount !== 0) return;
  }
  log.warn("the sockets do not hear the other processes yet");
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
