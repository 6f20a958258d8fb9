import { createParser } from "eventsource-parser";

/** One event of a turn's stream. */
export type Frame = {
  /** Grows within a turn. */
  seq: number;
  event: string;
  /** The line as it came: what the digest is made of. */
  raw: string;
};

/**
 * Report that an event stream ended, or fell silent, before its turn did.
 * @example
 * ```ts
 * import { StreamCutError } from "@hearth/oracles-client-sdk/core";
 *
 * export const describe = (error: unknown): string =>
 *   error instanceof StreamCutError ? "The connection was lost. Reload the page." : String(error);
 * ```
 */
export class StreamCutError extends Error {
  override readonly name = "StreamCutError";
}

/** The oracle sends something at least every 15 seconds. */
export const silenceMs = 40_000;

/**
 * Hand over the frames of an event stream as they come. Resolves at the stream's end.
 * @throws StreamCutError when nothing came for `silenceMs`, or the connection broke
 */
export async function readFrames(response: Response, { signal, onFrame }: ReadFrames): Promise<void> {
  if (response.body === null) throw new StreamCutError("The answer has no body.");
  const parser = createParser({
    onEvent: ({ id, event = "message", data }) => onFrame({ seq: Number(id), event, raw: data }),
  });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const cancel = () => void reader.cancel().catch(() => {});
  signal.addEventListener("abort", cancel, { once: true });
  const watch = watchSilence(cancel);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      watch.heard();
      parser.feed(value);
    }
  } catch (cause) {
    throw new StreamCutError("The connection broke.", { cause });
  } finally {
    watch.stop();
    signal.removeEventListener("abort", cancel);
    cancel();
  }
  if (watch.wasSilent()) throw new StreamCutError("The oracle fell silent.");
}

export type ReadFrames = { signal: AbortSignal; onFrame: (frame: Frame) => void };

/** Compares times instead of counting on a timer: a tab that slept notices at once when it wakes. */
function watchSilence(onSilence: () => void) {
  let last = Date.now();
  let silent = false;
  const timer = setInterval(() => {
    if (Date.now() - last < silenceMs) return;
    silent = true;
    onSilence();
  }, 5_000);
  return {
    heard: () => {
      last = Date.now();
    },
    wasSilent: () => silent,
    stop: () => clearInterval(timer),
  };
}

/** `sha256-` and the base64 of the hash of lines joined by newlines; undefined where the page may not hash. */
export async function digestOf(lines: readonly string[]): Promise<string | undefined> {
  if (globalThis.crypto?.subtle === undefined) return undefined;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lines.join("\n")));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}`;
}
