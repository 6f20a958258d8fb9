import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { refuse } from "./errors.ts";
import { FairQueue } from "./fair-queue.ts";
import type { AddressOf, NodeEnv } from "./rate-limit.ts";

export type TurnSettings = {
  /** Questions that are answered at a time; the others wait for their turn. */
  atATime: number;
  /** Of them, questions of one address. */
  perAddressAtATime: number;
  /** Questions that may wait. */
  waiting: number;
  /** Questions of one address, waiting ones included. */
  perAddress: number;
  /** Of a database that does one thing at a time: let others go first, and rest as long as a question took. */
  gives: boolean;
};

/** A question waits so long for the others at most, and rests so long at most, milliseconds. */
const longestWaitMs = 2_000;

/**
 * Anonymous queries take turns, so that the database always has capacity for the rest: traces, reports and the indexing itself.
 * Who has too many is refused, and so is everybody once too many wait.
 */
export function createTurns(settings: TurnSettings, addressOf: AddressOf, isFree: (c: Context) => boolean) {
  const queue = new FairQueue({ atATime: settings.atATime, perAsker: settings.perAddressAtATime });
  const open = new Map<string, number>();
  const ahead = createQuiet();

  /**
   * Run one question in its address's turn; resolves when it is answered, before its rest. One whose client has left by then is not run.
   * @throws what the answer throws; the signal's reason when its client has left
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

  /** For questions of any size. */
  const takeTurn = createMiddleware<NodeEnv>(async (c, next) => {
    if (isFree(c)) return next();
    const address = addressOf(c);
    const own = open.get(address) ?? 0;
    const headers = { "Retry-After": "1" };
    if (own >= settings.perAddress) {
      return refuse(c, "RATE_LIMITED", `More than ${settings.perAddress} questions at a time.`, { headers });
    }
    if (queue.size >= settings.waiting) {
      return refuse(c, "UNAVAILABLE", "Too many questions are waiting; try again in a moment.", { headers });
    }
    open.set(address, own + 1);
    const { signal } = c.req.raw;
    try {
      await inTurn(address, next, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      // Nobody reads it.
      return refuse(c, "UNAVAILABLE", "The client has left.", { headers });
    } finally {
      const left = (open.get(address) ?? 1) - 1;
      if (left > 0) open.set(address, left);
      else open.delete(address);
    }
  });

  /** For small ones, which go ahead of the others. */
  const goAhead = createMiddleware<NodeEnv>(async (_c, next) => ahead.during(next));
  return { takeTurn, goAhead, inTurn };
}

export type InTurn = ReturnType<typeof createTurns>["inTurn"];

/** Counts what is under way, and tells when nothing is. */
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
    /** Resolves when nothing is under way, or after a while all the same. */
    async isQuiet(): Promise<void> {
      if (underWay === 0) return;
      const patience = new AbortController();
      const quiet = new Promise<void>((resolve) => waiting.push(resolve));
      await Promise.race([quiet, sleep(longestWaitMs, undefined, { signal: patience.signal }).catch(() => undefined)]);
      patience.abort();
    },
  };
}
