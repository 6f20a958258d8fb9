import type { ServerResponse } from "node:http";
import type { HttpBindings } from "@hono/node-server";
import { RESPONSE_ALREADY_SENT } from "@hono/node-server/utils/response";
import type { Context, MiddlewareHandler } from "hono";
import { AppError } from "../../platform/errors.ts";
import type { AppEnv } from "../../platform/http/context.ts";
import type { FrameSink } from "../runs/live-run.ts";
import type { CaughtUp } from "../runs/runs.ts";

const heartbeatMs = 15_000;
/** How long an answer may wait for its first frames before it begins without them, in milliseconds. */
const quietMs = 20;
/** How much may lie unsent for a slow client before it gets the rest from the log, in bytes. */
const highWater = 256 * 1024;

/** Reads frames after a number; empty and not ended: the rest will be pushed. */
export type CatchUp = (after: number) => Promise<CaughtUp>;

export type StreamOptions = {
  /** Number of the last frame that the client has. */
  after: number;
  catchUp: CatchUp;
  /** What the client reads in place of the frames; given each frame once, in order. */
  encode?: ((frames: string) => string) | undefined;
};

/**
 * An answer that goes on. It is written to Node's response itself: the web streams between would cost more than the frames.
 * A client that reads slowly misses nothing: what it was not sent it gets from `catchUp` once it has read.
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
  /** What goes on when the client has read. */
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
    // One listener for a stream's whole life: a slow client makes it wait thousands of times.
    for (const event of ["drain", "close"]) response.on(event, () => this.#goOn());
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

  /** Hand frames to the connection at once: Node alone would wait until the present work is done, which may be the database's. */
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

  /** Send what is kept after the last that was sent, as fast as the client reads; then go on with what is pushed. */
  async replay(): Promise<void> {
    this.#blocked = true;
    // The first frames bring the headers along, unless there are none for a while.
    const quiet = setTimeout(() => this.isOpen && this.#response.flushHeaders(), quietMs);
    try {
      while (this.isOpen && !(await this.#replayOnce()));
    } catch {
      // The client sees a stream without its `done`, and comes back.
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
    // Nothing was said between the last look and this line.
    this.#blocked = false;
    return true;
  }

  #goOn(): void {
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
 * Open an event stream as the answer of this request.
 * @throws AppError UNAVAILABLE when the request did not come over Node's HTTP server
 */
export function openEventStream(c: Context<AppEnv>, headers: Record<string, string>): ServerResponse {
  const { outgoing } = (c.env ?? {}) as Partial<HttpBindings>;
  if (outgoing === undefined) throw new AppError("UNAVAILABLE", "Event streams need a real connection.");
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

/** Around routes that may answer by `openEventStream`. */
export function answersByHand(): MiddlewareHandler<AppEnv> {
  return async function answersByHand(c, next) {
    await next();
    // The server takes its short way with an answer whose body nobody has looked at, and then does not see that it is sent.
    if (c.res.headers.has(alreadySent)) void c.res.body;
  };
}

const alreadySent = "x-hono-already-sent";

export { RESPONSE_ALREADY_SENT };
