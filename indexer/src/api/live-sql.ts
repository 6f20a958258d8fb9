import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "hono";
import { streamSSE } from "hono/streaming";
import type { Answer } from "../../reader/reader.ts";
import { publicReader } from "./public-reader.ts";
import type { Refusal } from "./public-sql.ts";

/** Interval at which a live query looks for a new block, in milliseconds. */
const lookMs = 500;

const digestOf = (answer: Answer): string => createHash("sha256").update(JSON.stringify(answer.rows)).digest("hex");

type Ask = () => Promise<Answer | Refusal>;

/** Send a statement's result each time that a block changed it, until the client disconnects. */
export function streamAnswers(c: Context, ask: Ask, first: Answer, release: () => void): Response {
  const gone = new AbortController();
  const end = () => {
    gone.abort();
    release();
  };
  const { signal } = c.req.raw;
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  return streamSSE(c, async (stream) => {
    stream.onAbort(end);
    try {
      for await (const answer of changesOf(ask, first, gone.signal)) {
        await Promise.race([stream.writeSSE({ data: JSON.stringify(answer) }), whenAborted(gone.signal)]);
      }
    } finally {
      end();
    }
  });
}

const whenAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });

let newest: { block: Promise<number>; until: number } | undefined;

/** The newest block, read once for all live queries. */
function newestBlock(): Promise<number> {
  const now = performance.now();
  if (newest === undefined || newest.until <= now) {
    newest = { block: publicReader().then((reader) => reader.block()), until: now + lookMs / 2 };
    newest.block.catch(() => {
      newest = undefined;
    });
  }
  return newest.block;
}

async function* changesOf(ask: Ask, first: Answer, signal: AbortSignal): AsyncGenerator<Answer> {
  let digest = digestOf(first);
  let block = -1;
  while (!signal.aborted) {
    const latest = await newestBlock();
    if (latest !== block) {
      block = latest;
      const answer = await ask().catch(unless(signal));
      if (answer === undefined) return;
      // A query that fails ends; the client opens it again and gets the reason.
      if ("violations" in answer) return;
      if (digestOf(answer) !== digest) {
        digest = digestOf(answer);
        yield answer;
      }
    }
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
  }
}

/** Thrown for a query whose client has disconnected. */
const unless = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error;
  return undefined;
};
