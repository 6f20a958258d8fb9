import { createParser, type EventSourceMessage } from "eventsource-parser";
import { AppError } from "../../platform/errors.ts";

/** Called with text and reasoning as the model server sends them, before any library receives them. */
export type TextTap = (kind: TextKind, delta: string) => void;
export type TextKind = "text" | "reasoning";

type Chunk = {
  choices?: { index?: number; delta?: Record<string, unknown>; finish_reason?: unknown }[];
  usage?: unknown;
  error?: unknown;
};

/** How long a model may send nothing, in milliseconds. On a slow machine it takes long to read a long prompt. */
export const defaultSilenceMs = 120_000;

/**
 * Create a `fetch` for a model provider that passes every text delta of a streamed answer to `tap` immediately. The provider
 * receives the same stream with its text joined, which saves its work per token. If the server sends nothing for `silenceMs`, the
 * request is aborted with an AppError UPSTREAM.
 */
export function tappedFetch(tap: TextTap, silenceMs = defaultSilenceMs): typeof fetch {
  return async (input, init) => {
    const silence = new AbortController();
    const timer = setTimeout(() => silence.abort(silentModel(silenceMs)), silenceMs).unref();
    const signals = [silence.signal, ...(init?.signal ? [init.signal] : [])];
    const response = await fetch(input, { ...init, signal: AbortSignal.any(signals) });
    const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
    if (!response.ok || !isStream || response.body === null) return response;
    const { status, statusText, headers } = response;
    return new Response(ranTogether(response.body, tap, timer), { status, statusText, headers });
  };
}

function silentModel(ms: number): AppError {
  return new AppError("UPSTREAM", `The language model said nothing for ${ms / 1000} seconds.`);
}

type Held = { chunk: Chunk; field: Field; text: string[] };

/** @param silence a timer that is refreshed while the model sends */
function ranTogether(
  body: ReadableStream<Uint8Array>,
  tap: TextTap,
  silence: NodeJS.Timeout,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let held: Held | undefined;
  let out: string[] = [];

  const flush = () => {
    if (held !== undefined) out.push(`data: ${JSON.stringify(whole(held))}\n\n`);
    held = undefined;
  };
  const parser = createParser({
    onEvent: ({ data }: EventSourceMessage) => {
      const chunk = readChunk(data);
      const piece = chunk && textOf(chunk);
      if (piece !== undefined || (chunk !== undefined && says(chunk))) silence.refresh();
      if (chunk === undefined || piece === undefined) {
        flush();
        out.push(`data: ${data.replaceAll("\n", "\ndata: ")}\n\n`);
        return;
      }
      const { field, text } = piece;
      tap(kinds[field], text);
      if (held !== undefined && held.field !== field) flush();
      if (held === undefined) held = { chunk, field, text: [text] };
      else held.text.push(text);
    },
  });
  return new ReadableStream({
    async pull(controller) {
      while (out.length === 0) {
        const { done, value } = await reader.read();
        if (done) {
          clearTimeout(silence);
          parser.reset({ consume: true });
          flush();
          if (out.length > 0) controller.enqueue(encoder.encode(out.join("")));
          controller.close();
          return;
        }
        parser.feed(decoder.decode(value, { stream: true }));
      }
      controller.enqueue(encoder.encode(out.join("")));
      out = [];
    },
    cancel: (reason) => {
      clearTimeout(silence);
      return reader.cancel(reason);
    },
  });
}

function whole({ chunk, field, text }: Held): Chunk {
  const [choice] = chunk.choices ?? [];
  return { ...chunk, choices: [{ ...choice, delta: { ...choice?.delta, [field]: text.join("") } }] };
}

function readChunk(data: string): Chunk | undefined {
  // `[DONE]` ends every answer, and is not JSON.
  if (!data.startsWith("{")) return undefined;
  try {
    const value: unknown = JSON.parse(data);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Check whether a chunk contains part of an answer: waiting servers send comments, roles or empty chunks to keep the connection
 * open.
 */
function says({ choices = [], usage, error }: Chunk): boolean {
  const brings = ([key, value]: [string, unknown]) => key !== "role" && isSet(value) && value !== "";
  return (
    isSet(usage) ||
    isSet(error) ||
    choices.some(({ delta = {}, finish_reason: end }) => isSet(end) || Object.entries(delta).some(brings))
  );
}

/** The fields of a delta that contain text; servers use two names for reasoning. */
const kinds = { content: "text", reasoning_content: "reasoning", reasoning: "reasoning" } as const;
type Field = keyof typeof kinds;

/** The text of a chunk that contains only text of one kind, and nothing that a provider must receive in order. */
function textOf(chunk: Chunk): { field: Field; text: string } | undefined {
  const [choice, ...others] = chunk.choices ?? [];
  if (choice === undefined || others.length > 0 || (choice.index ?? 0) !== 0) return undefined;
  if (isSet(choice.finish_reason) || isSet(chunk.error) || isSet(chunk.usage)) return undefined;
  const [said, ...more] = Object.entries(choice.delta ?? {}).filter(([key, value]) => key !== "role" && isSet(value));
  if (said === undefined || more.length > 0) return undefined;
  const [field, text] = said;
  return field in kinds && typeof text === "string" && text !== "" ? { field: field as Field, text } : undefined;
}

const isSet = (value: unknown) => value !== null && value !== undefined;
