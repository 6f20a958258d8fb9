import { createParser } from "eventsource-parser";

/** One event of a turn's stream. */
export type Frame = {
  /** Increases within a turn. */
  seq: number;
  event: string;
  /** The unparsed line, which the digest covers. */
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

/** Silence after which a stream counts as lost, in milliseconds; the oracle sends something at least every 15 seconds. */
export const silenceMs = 40_000;

/**
 * Read an event stream and pass on its frames. Resolves at the end of the stream.
 * @throws StreamCutError when nothing arrives for `silenceMs`, or the connection breaks
 */
export async function readFrames(response: Response, { signal, onFrame }: ReadFrames): Promise<void> {
  if (response.body === null) throw new StreamCutError("The response has no body.");
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

/** Detect silence by comparing times, so that a tab notices it immediately after sleep. */
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

/** Hash lines joined by newlines: `sha256-` and base64. Undefined where the page has no WebCrypto. */
export async function digestOf(lines: readonly string[]): Promise<string | undefined> {
  if (globalThis.crypto?.subtle === undefined) return undefined;
  const hash = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(lines.join("\n")));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(hash)))}`;
}
