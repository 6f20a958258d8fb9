import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { refuse } from "./errors.ts";
import { FairQueue } from "./fair-queue.ts";
import type { AddressOf, NodeEnv } from "./rate-limit.ts";

export type TurnSettings = {
  /** Queries that run at a time; the others wait for their turn. */
  atATime: number;
  /** Most of them from one address. */
  perAddressAtATime: number;
  /** Most waiting queries. */
  waiting: number;
  /** Most queries of one address, waiting ones included. */
  perAddress: number;
  /** For a database that runs one query at a time: let other work go first, and pause as long as a query took. */
  gives: boolean;
};

/** Longest wait for other work, and longest pause, in milliseconds. */
const longestWaitMs = 2_000;

/**
 * Anonymous queries take turns, so that the database always has capacity for the rest: traces, reports and the indexing itself.
 * A caller with too many queries is refused, and every caller once too many wait.
 */
export function createTurns(settings: TurnSettings, addressOf: AddressOf, isFree: (c: Context) => boolean) {
  const queue = new FairQueue({ atATime: settings.atATime, perAsker: settings.perAddressAtATime });
  const open = new Map<string, number>();
  const ahead = createQuiet();

  /**
   * Run one query when it is its address's turn; resolves with its end, before the pause. It does not run if its client has disconnected.
   * @throws the query's error; the signal's reason when its client has disconnected
   */
  const inTurn = <T>(address: string, answer: () => Promise<T>, signal?: AbortSignal): Promise<T> =>
    new Promise((resolve, reject) => {
      queue.add(address, async () => {
        if (signal?.aborted) return reject(signal.reason);
        if (settings.gives) await ahead.isQuiet();
        const begin = performance.now();
        await answer().then(resolve, reject);
        if (settings.gives) await sleep(Math.min(performance.now() - begin, longestWaitMs));
      });
    });

  /** For queries of any size. */
  const takeTurn = createMiddleware<NodeEnv>(async (c, next) => {
    if (isFree(c)) return next();
    const address = addressOf(c);
    const own = open.get(address) ?? 0;
    const headers = { "Retry-After": "1" };
    if (own >= settings.perAddress) {
      return refuse(c, "RATE_LIMITED", `More than ${settings.perAddress} queries at a time.`, { headers });
    }
    if (queue.size >= settings.waiting) {
      return refuse(c, "UNAVAILABLE", "Too many queries are waiting; try again in a moment.", { headers });
    }
    open.set(address, own + 1);
    const { signal } = c.req.raw;
    try {
      await inTurn(address, next, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      // No client reads this response.
      return refuse(c, "UNAVAILABLE", "The client has disconnected.", { headers });
    } finally {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    }
  });

  /** For small queries, which go first. */
  const goAhead = createMiddleware<NodeEnv>(async (_c, next) => ahead.during(next));
  return { takeTurn, goAhead, inTurn };
}

export type InTurn = ReturnType<typeof createTurns>["inTurn"];

/** Counts running requests and reports when none is left. */
function createQuiet() {
  let underWay = 0;
  let waiting: (() => void)[] = [];
  return {
    async during(work: () => Promise<void>): Promise<void> {
      underWay += 1;
      try {
        await work();
      } finally {
        underWay -= 1;
        if (underWay === 0) {
          for (const resolve of waiting) resolve();
          waiting = [];
        }
      }
    },
    /** Resolves when no request is running, or after a time limit. */
    async isQuiet(): Promise<void> {
      if (underWay === 0) return;
      const patience = new AbortController();
      const quiet = new Promise<void>((resolve) => waiting.push(resolve));
      await Promise.race([quiet, sleep(longestWaitMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
      patience.abort();
    },
  };
}
