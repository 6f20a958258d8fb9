import type { ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../../platform/errors.ts";

const heartbeatMs = 15_000;
/** How long the headers wait for the first frames, in milliseconds. */
const quietMs = 20;
/** How much may be buffered for a slow client before it is sent the rest from the log, in bytes. */
const highWater = 256 * 1024;

/** Receives frames while they are made, each once and in order. */
export type FrameSink = {
  push: (frames: string, lastSeq: number) => void;
  /** The run has ended: nothing follows. */
  end: () => void;
};

/** Frames after a number, and whether they are the last ones. */
export type FramePage = { frames: string; lastSeq: number; ended: boolean };

/** Reads frames after a number. When the page is empty and not the last, the rest will be pushed. */
export type CatchUp = (after: number) => Promise<FramePage>;

export type StreamOptions = {
  /** Number of the last frame that the client has. */
  after: number;
  catchUp: CatchUp;
  /** Encodes the frames in another format. Called once for each frame, in order. */
  encode?: ((frames: string) => string) | undefined;
};

/**
 * One client's event stream: sends a run's frames as they come. It writes to Node's response directly, because web streams cost
 * more than the frames. A slow client misses nothing: it reads the rest through `catchUp`.
 */
export class EventStream implements FrameSink {
  readonly #response: ServerResponse;
  readonly #catchUp: CatchUp;
  readonly #encode: (frames: string) => string;
  readonly #heartbeat: NodeJS.Timeout;
  #sent: number;
  #latest = 0;
  #blocked = false;
  #missed = false;
  /** Continues when the client has read what was buffered. */
  #resume: (() => void) | undefined;
  #ending = false;
  readonly closed: Promise<void>;

  constructor(response: ServerResponse, { after, catchUp, encode }: StreamOptions) {
    this.#response = response;
    this.#sent = after;
    this.#catchUp = catchUp;
    this.#encode = encode ?? ((frames) => frames);
    this.#heartbeat = setInterval(() => this.#response.write(": heartbeat\n\n"), heartbeatMs).unref();
    this.closed = new Promise((resolve) => response.once("close", resolve));
    void this.closed.then(() => clearInterval(this.#heartbeat));
    // One listener for the whole stream: a slow client makes it wait thousands of times.
    for (const event of ["drain", "close"]) response.on(event, () => this.#continue());
  }

  get isOpen(): boolean {
    return !this.#response.destroyed && !this.#response.writableEnded;
  }

  push(frames: string, lastSeq: number): void {
    this.#latest = lastSeq;
    if (this.#blocked) this.#missed = true;
    if (this.#blocked || !this.isOpen) return;
    this.#sent = lastSeq;
    this.#write(frames);
    if (this.#response.writableLength > highWater) this.#block();
  }

  /** Write to the socket immediately. By itself, Node would first finish other work of this tick, such as the database's. */
  #write(frames: string): boolean {
    this.#response.cork();
    const hasRoom = this.#response.write(this.#encode(frames));
    this.#response.uncork();
    return hasRoom;
  }

  end(): void {
    this.#ending = true;
    if (!this.#blocked) this.#response.end();
  }

  #block(): void {
    this.#blocked = true;
    this.#resume = () => void this.replay();
  }

  /** Send the frames after the last one sent, as fast as the client reads; then continue with pushed frames. */
  async replay(): Promise<void> {
    this.#blocked = true;
    // The headers are sent together with the first frames, unless those take too long.
    const quiet = setTimeout(() => this.isOpen && this.#response.flushHeaders(), quietMs);
    try {
      while (this.isOpen && !(await this.#replayOnce()));
    } catch {
      // Without a `done` frame the client knows that it must reconnect.
      this.#response.destroy();
    } finally {
      clearTimeout(quiet);
    }
    if (this.isOpen) this.#response.flushHeaders();
  }

  /** True when nothing is left to replay. */
  async #replayOnce(): Promise<boolean> {
    if (this.#ending && this.#sent >= this.#latest) {
      this.#response.end();
      return true;
    }
    this.#missed = false;
    const { frames, lastSeq, ended } = await this.#catchUp(this.#sent);
    if (!this.isOpen) return true;
    if (frames !== "") {
      this.#sent = lastSeq;
      if (!this.#write(frames)) await this.#drained();
    }
    if (ended) this.#response.end();
    if (ended) return true;
    if (frames !== "" || this.#missed || this.#ending) return false;
    // No frame was pushed since the last read.
    this.#blocked = false;
    return true;
  }

  #continue(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve;
    });
  }
}

/**
 * Open an event stream as the response to this request.
 * @throws AppError UNAVAILABLE when the request did not come over Node's HTTP server
 */
export function openEventStream(c: Context, headers: Record<string, string>): ServerResponse {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  if (outgoing === undefined) throw new AppError("UNAVAILABLE", "Event streams need a network connection.");
  const response = outgoing as ServerResponse;
  response.writeHead(200, {
    ...Object.fromEntries(c.res.headers),
    "content-type": "text/event-stream; charset=utf-8",
    "cache-control": "no-cache, no-transform",
    "x-accel-buffering": "no",
    ...headers,
  });
  return response;
}

/** Middleware for routes that may respond through `openEventStream`. */
export function allowEventStream(): MiddlewareHandler {
  return async function allowEventStream(c, next) {
    await next();
    // Reading the body makes the server check whether the response was sent already; else it would send it again.
    if (c.res.headers.has(alreadySent)) void c.res.body;
  };
}

const alreadySent = "x-hono-already-sent";

export { RESPONSE_ALREADY_SENT };
