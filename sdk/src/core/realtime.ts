import pRetry from "p-retry";
import type { Socket } from "socket.io-client";
import { errorOf } from "./api-error.ts";
import { backoff } from "./backoff.ts";
import type { Handshake } from "./credentials.ts";
import { onWake } from "./wake.ts";

export type RealtimeOptions = {
  /** URL of the oracle's socket: http(s) or ws(s). */
  url: string;
  sessionId: string;
  /** Called before each connection, so that it uses valid tokens. */
  auth: () => Promise<Handshake>;
  /** Called when the oracle refuses the tokens that `auth` returned. */
  onRefused?: (shown: Handshake) => void;
};

// biome-ignore lint/suspicious/noExplicitAny: the listener knows its event's payload
export type RealtimeListener = (payload: any) => void;
export type StatusListener = (isConnected: boolean, error?: Error) => void;

/** Events of one session, in both directions. */
export type RealtimeChannel = {
  readonly isConnected: boolean;
  /** Send an event, as soon as there is a connection. */
  emit: (event: string, payload: unknown) => void;
  /** Send an event and wait for its acknowledgement, 10 000 ms by default. @throws Error when none arrives in time */
  request: <T = unknown>(event: string, payload: unknown, timeoutMs?: number) => Promise<T>;
  /** Listen to a named event; `event` carries `{eventName, payload}`. Returns a function that stops. */
  on: (event: string, listener: RealtimeListener) => () => void;
  onStatus: (listener: StatusListener) => () => void;
  close: () => void;
};

/**
 * Open a session's socket. It reconnects with fresh tokens until it is closed.
 * @example
 * ```ts
 * import { connectRealtime, type Credentials } from "@hearth/oracles-client-sdk/core";
 *
 * export function logEvents(credentials: Credentials, oracleDid: string, sessionId: string): () => void {
 *   const auth = () => credentials.handshake(oracleDid);
 *   const channel = connectRealtime({ url: "http://localhost:3000", sessionId, auth });
 *   channel.on("event", ({ eventName, payload }) => console.log(eventName, payload));
 *   return channel.close;
 * }
 * ```
 */
export function connectRealtime(options: RealtimeOptions): RealtimeChannel {
  return new SocketChannel(options);
}

class SocketChannel implements RealtimeChannel {
  readonly #options: RealtimeOptions;
  readonly #listeners = new Map<string, Set<RealtimeListener>>();
  readonly #statusListeners = new Set<StatusListener>();
  readonly #closed = new AbortController();
  readonly #opening: Promise<Socket>;
  readonly #stopListening: () => void;
  #socket: Socket | undefined;
  #shown: Handshake = {};
  #isConnecting = false;

  constructor(options: RealtimeOptions) {
    this.#options = options;
    this.#opening = this.#open();
    this.#opening.then(
      () => this.#connect(),
      (error: unknown) => this.#tell(false, errorOf(error)),
    );
    this.#stopListening = onWake(() => void this.#socket?.active === false && this.#connect());
  }

  get isConnected(): boolean {
    return this.#socket?.connected === true;
  }

  emit(event: string, payload: unknown): void {
    void this.#opening.then((socket) => socket.emit(event, payload));
  }

  async request<T>(event: string, payload: unknown, timeoutMs = 10_000): Promise<T> {
    const socket = await this.#opening;
    return (await socket.timeout(timeoutMs).emitWithAck(event, payload)) as T;
  }

  on(event: string, listener: RealtimeListener): () => void {
    const listeners = this.#listeners.get(event) ?? new Set();
    this.#listeners.set(event, listeners.add(listener));
    return () => listeners.delete(listener);
  }

  onStatus(listener: StatusListener): () => void {
    this.#statusListeners.add(listener);
    return () => this.#statusListeners.delete(listener);
  }

  close(): void {
    this.#closed.abort();
    this.#stopListening();
    this.#socket?.disconnect();
    this.#listeners.clear();
    this.#statusListeners.clear();
  }

  async #open(): Promise<Socket> {
    const { url, sessionId, auth } = this.#options;
    // Loaded on demand: not every app uses sockets.
    const { io } = await import("socket.io-client");
    const socket = io(url.replace(/^ws/, "http"), {
      query: { sessionId },
      transports: ["websocket", "polling"],
      tryAllTransports: true,
      forceNew: true,
      autoConnect: false,
      reconnectionDelay: 300,
      reconnectionDelayMax: 8_000,
      auth: (give) => {
        // Without tokens the oracle refuses the connection with a reason.
        const shown = auth().catch(() => ({}));
        void shown.then((handshake) => {
          this.#shown = handshake;
          give(handshake);
        });
      },
    });
    socket.onAny((event: string, payload: unknown) => {
      for (const listener of this.#listeners.get(event) ?? []) listener(payload);
    });
    socket.on("connect", () => this.#tell(true));
    socket.on("connect_error", (error) => this.#refused(error));
    socket.on("disconnect", (reason) => {
      this.#tell(false);
      // Socket.io does not reconnect when the server closed the connection.
      if (reason === "io server disconnect") void this.#connect();
    });
    this.#socket = socket;
    return socket;
  }

  /** Connect, and retry refusals with fresh tokens. Socket.io itself repairs broken connections. */
  async #connect(): Promise<void> {
    const { signal } = this.#closed;
    if (this.#isConnecting || signal.aborted) return;
    this.#isConnecting = true;
    try {
      await pRetry(() => this.#connectOnce(), { ...backoff, retries: 5, signal });
    } catch (error) {
      if (!signal.aborted) this.#tell(false, errorOf(error));
    } finally {
      this.#isConnecting = false;
    }
  }

  #connectOnce(): Promise<void> {
    const socket = this.#socket;
    if (socket === undefined || socket.connected) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const stop = () => socket.off("connect", connected).off("connect_error", failed);
      const connected = () => {
        stop();
        resolve();
      };
      const failed = (error: Error) => {
        // Not refused but unreachable: socket.io keeps trying.
        if (socket.active) return;
        stop();
        reject(error);
      };
      socket.on("connect", connected).on("connect_error", failed);
      socket.connect();
    });
  }

  #refused(error: Error): void {
    this.#tell(false, error);
    if (this.#socket?.active === true) return;
    if (error.message.startsWith("Unauthorized")) this.#options.onRefused?.(this.#shown);
    void this.#connect();
  }

  #tell(isConnected: boolean, error?: Error): void {
    for (const listener of this.#statusListeners) listener(isConnected, error);
  }
}

/** Wait until the channel is connected, `ms` milliseconds at most. */
export function whenConnected(channel: Pick<RealtimeChannel, "isConnected" | "onStatus">, ms: number): Promise<void> {
  if (channel.isConnected) return Promise.resolve();
  return new Promise((resolve) => {
    const settle = () => {
      clearTimeout(timer);
      stop();
      resolve();
    };
    const timer = setTimeout(settle, ms);
    const stop = channel.onStatus((isConnected) => isConnected && settle());
  });
}
