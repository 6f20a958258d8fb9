import pRetry, { AbortError } from "p-retry";
import { ApiError } from "./api-error.ts";
import { backoff } from "./backoff.ts";
import type { OracleClient } from "./client.ts";
import { digestOf, type Frame, readFrames, StreamCutError } from "./frames.ts";
import type { JsonObject } from "./types.ts";
import { onWake } from "./wake.ts";

export type RunEvent = { seq: number; event: string; data: JsonObject };

export type FollowRun = {
  client: OracleClient;
  runId: string;
  /** The stream, if it is open already. */
  response?: Response | undefined;
  /** Stops following; the run continues. */
  signal: AbortSignal;
  onEvent: (event: RunEvent) => void;
  /** Called for each connection, before its events. */
  onOpen?: (response: Response) => void;
  /** Called when a connection is lost, before the next attempt. */
  onLost?: () => void;
  /** Called when events were missing: discard what came before; all events are delivered again. */
  onRestart: () => void;
};

/**
 * Follow a turn to its end and reconnect when the stream breaks. Each event is delivered once, in order.
 * @returns the data of the `done` event
 * @throws ApiError when the run does not exist or has been removed, StreamCutError when it cannot be reached for about a minute
 * @example
 * ```ts
 * import { followRun, type OracleClient } from "@hearth/oracles-client-sdk/core";
 *
 * export async function printAnswer(client: OracleClient, runId: string): Promise<void> {
 *   let text = "";
 *   const done = await followRun({
 *     client,
 *     runId,
 *     signal: AbortSignal.timeout(60_000),
 *     onEvent: ({ event, data }) => {
 *       if (event === "message") text += data.content;
 *     },
 *     onRestart: () => {
 *       text = "";
 *     },
 *   });
 *   console.log(done.status, text);
 * }
 * ```
 */
export async function followRun(follow: FollowRun): Promise<JsonObject> {
  const reader = new RunReader(follow);
  const stopListening = onWake(() => reader.reconnect());
  try {
    let response = follow.response;
    for (;;) {
      const done = await reader.read(response);
      response = undefined;
      if (done === undefined) {
        follow.onLost?.();
        continue;
      }
      if (await reader.isWhole(done)) return done;
      reader.restart();
    }
  } finally {
    stopListening();
  }
}

class RunReader {
  readonly #follow: FollowRun;
  readonly #lines: string[] = [];
  #seq = 0;
  #done: JsonObject | undefined;
  #restarted = false;
  #wake = new AbortController();
  #lastHeard = Date.now();

  constructor(follow: FollowRun) {
    this.#follow = follow;
  }

  /** Drop the connection, or the pause before the next one: after a wake it may be dead. */
  reconnect(): void {
    // A connection that delivered something a moment ago is alive.
    if (Date.now() - this.#lastHeard > 1_000) this.#wake.abort(new StreamCutError("The page woke up."));
  }

  /** Read until `done`, or until a connection that delivered events ends. */
  async read(response: Response | undefined): Promise<JsonObject | undefined> {
    const { signal } = this.#follow;
    this.#wake = new AbortController();
    let given = response;
    const either = AbortSignal.any([signal, this.#wake.signal]);
    const attempt = async () => {
      const before = this.#seq;
      const stream = given ?? (await this.#open(either));
      given = undefined;
      this.#follow.onOpen?.(stream);
      await readFrames(stream, { signal: either, onFrame: (frame) => this.#take(frame) }).catch((error: unknown) => {
        if (this.#seq === before) throw error;
      });
      signal.throwIfAborted();
      if (this.#done === undefined && this.#seq === before) throw new StreamCutError("The stream ended early.");
    };
    try {
      await pRetry(attempt, { ...backoff, signal: either });
    } catch (error) {
      signal.throwIfAborted();
      if (!this.#wake.signal.aborted) throw error;
    }
    return this.#done;
  }

  async #open(signal: AbortSignal): Promise<Response> {
    const { client, runId } = this.#follow;
    const query = { after: this.#seq };
    try {
      return await client.open("GET", `/runs/${encodeURIComponent(runId)}`, { query, signal });
    } catch (error) {
      const isFinal = error instanceof ApiError && error.status < 500 && error.status !== 429;
      throw isFinal ? new AbortError(error) : error;
    }
  }

  #take({ seq, event, raw }: Frame): void {
    this.#lastHeard = Date.now();
    if (seq <= this.#seq) return;
    this.#seq = seq;
    const data = JSON.parse(raw) as JsonObject;
    if (event === "done") this.#done = data;
    else {
      this.#lines.push(raw);
      this.#follow.onEvent({ seq, event, data });
    }
  }

  /** Check that no event is missing, once: after a restart, reading the history repairs what is still missing. */
  async isWhole({ count, digest }: JsonObject): Promise<boolean> {
    if (this.#restarted || typeof count !== "number") return true;
    if (count !== this.#lines.length) return false;
    if (typeof digest !== "string") return true;
    const own = await digestOf(this.#lines);
    return own === undefined || own === digest;
  }

  restart(): void {
    this.#restarted = true;
    this.#lines.length = 0;
    this.#seq = 0;
    this.#done = undefined;
    this.#follow.onRestart();
  }
}
