import { AppError } from "../errors.ts";
import { type RequestContext, requireScope } from "../http/index.ts";
import type { EventDeps } from "./deps.ts";
import type { EventHub } from "./hub.ts";
import {
  type EventPosition,
  type EventType,
  formatPosition,
  isAfter,
  parsePosition,
  type SchemeEvent,
} from "./types.ts";
import { type EventMessage, messageFor } from "./visibility.ts";

export const EVENT_SCOPE = "events:read";
/** Most events that wait for a slow reader before its stream is closed; it can resume with Last-Event-ID. */
const MAX_WAITING = 10_000;
/** How many blocks a stream goes back when it resumes after a block that the chain no longer has. */
const REWIND_BLOCKS = 64n;

export type StreamedEvent = { position: string; message: EventMessage };
export type StreamOptions = { lastEventId?: string | undefined; types?: EventType[] | undefined; signal: AbortSignal };

/**
 * Follow the events that concern the key, from the one after `lastEventId` (or from now) until `signal` aborts.
 * The caller must run the generator to its end, or it continues to collect events.
 * @throws AppError FORBIDDEN; INVALID_INPUT for a malformed Last-Event-ID; RATE_LIMITED when the key has too many streams open
 */
export async function openEventStream(
  deps: EventDeps,
  ctx: RequestContext,
  options: StreamOptions,
): Promise<AsyncGenerator<StreamedEvent>> {
  requireScope(ctx.actor, EVENT_SCOPE);
  const { hub, streams } = deps.events;
  const leave = streams.take(ctx.actor.keyId);
  try {
    const last = await readLastEventId(hub, options.lastEventId);
    const queue = new EventQueue(options.signal);
    const { after, end } = await hub.subscribe((events) => queue.push(events));
    options.signal.addEventListener("abort", leave, { once: true });
    if (options.signal.aborted) leave();
    return follow(deps, ctx, { options, last, after, queue, end });
  } catch (error) {
    leave();
    throw error;
  }
}

type Following = {
  options: StreamOptions;
  last: EventPosition | undefined;
  after: bigint;
  queue: EventQueue;
  end: () => void;
};

async function* follow(
  deps: EventDeps,
  ctx: RequestContext,
  { options, last, after, queue, end }: Following,
): AsyncGenerator<StreamedEvent> {
  const news = (events: SchemeEvent[]) => (last ? events.filter(({ position }) => isAfter(position, last)) : events);
  try {
    if (last) {
      for await (const { events } of deps.events.hub.readRange(last.block, after)) {
        yield* shown(ctx, news(events), options);
        if (options.signal.aborted) return;
      }
    }
    for (let events = await queue.next(); events; events = await queue.next()) yield* shown(ctx, news(events), options);
  } finally {
    end();
  }
}

/** Events that are not read yet. It ends with its signal, or when its reader is too slow. */
class EventQueue {
  readonly #signal: AbortSignal;
  #waiting: SchemeEvent[] = [];
  #overflown = false;
  #wake = () => {};

  constructor(signal: AbortSignal) {
    this.#signal = signal;
    signal.addEventListener("abort", () => this.#wake(), { once: true });
  }

  push(events: SchemeEvent[]): void {
    this.#overflown ||= this.#waiting.length + events.length > MAX_WAITING;
    if (!this.#overflown) this.#waiting.push(...events);
    this.#wake();
  }

  /** Wait for the next events, at least one; undefined at the end. */
  async next(): Promise<SchemeEvent[] | undefined> {
    while (this.#waiting.length === 0 && !this.#overflown && !this.#signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    if (this.#signal.aborted || this.#waiting.length === 0) return undefined;
    return this.#waiting.splice(0);
  }
}

function* shown(ctx: RequestContext, events: SchemeEvent[], { types }: StreamOptions): Generator<StreamedEvent> {
  for (const event of events) {
    const message = types && !types.includes(event.type) ? undefined : messageFor(ctx.actor, event);
    if (message) yield { position: formatPosition(event.position), message };
  }
}

async function readLastEventId(hub: EventHub, text: string | undefined): Promise<EventPosition | undefined> {
  if (!text) return undefined;
  const position = parsePosition(text);
  if (!position) {
    const message = "The Last-Event-ID is not one that this stream gave.";
    throw new AppError("INVALID_INPUT", message, { details: [{ path: "Last-Event-ID", rule: "event-id", message }] });
  }
  if (await hub.stands(position)) return position;
  // Events that were mined again may be in an earlier block now; clients recognise them by their ids.
  const block = position.block > REWIND_BLOCKS ? position.block - REWIND_BLOCKS : 0n;
  return { ...position, block, log: -1, item: -1 };
}
