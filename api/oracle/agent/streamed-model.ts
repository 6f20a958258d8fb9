import type {
  LanguageModelV4,
  LanguageModelV4Content,
  LanguageModelV4GenerateResult,
  LanguageModelV4StreamPart,
  LanguageModelV4StreamResult,
} from "@ai-sdk/provider";
import { wrapLanguageModel } from "ai";
import { AppError } from "../../platform/errors.ts";
import type { ModelLatency, ModelRequest } from "./model-latency.ts";
import type { TextTap } from "./tapped-fetch.ts";

/** Callbacks for an answer while it arrives. */
export type ModelTaps = {
  /** Absent if `tappedFetch` already reports them. */
  words?: TextTap;
  /** Called with the arguments of a call while they stream: all of their text so far. */
  toolInput?: (call: { toolCallId: string; toolName: string; text: string }) => void;
  /** Whether a client has received part of the current answer; `reset` for each request, retries included. */
  heard?: { of: () => boolean; reset: () => void };
  /** Measures each request, retries included. */
  latency?: ModelLatency | undefined;
};

/**
 * Wrap a model so that `doGenerate` requests a stream and reports it to `taps`. The agent library then drives the loop without
 * its overhead per token.
 */
export function streamedModel(model: LanguageModelV4, taps: ModelTaps): LanguageModelV4 {
  return wrapLanguageModel({
    model,
    middleware: {
      wrapGenerate: async ({ doStream, params: { abortSignal } }) => {
        taps.heard?.reset();
        const request = taps.latency?.begin();
        try {
          const answer = await collect(await doStream(), taps, request);
          request?.ended("success");
          return answer;
        } catch (cause) {
          request?.ended(abortSignal?.aborted === true ? "aborted" : "error");
          // The library wraps the stream's error.
          if (cause instanceof Error && cause.cause instanceof AppError) throw cause.cause;
          // The library retries temporary failures, which would send the beginning twice to a client that has received it.
          if (taps.heard?.of() !== true) throw cause;
          const message = "The language model's answer broke off. What it said until then is kept.";
          throw new AppError("UPSTREAM", message, { cause });
        }
      },
    },
  }) as LanguageModelV4;
}

type Open = { content: LanguageModelV4Content & { text: string } };
type Tail = Pick<LanguageModelV4GenerateResult, "finishReason" | "usage">;

/** What a stream sends of an answer, besides facts about it. */
const parts: ReadonlySet<string> = new Set(["text-delta", "reasoning-delta", "tool-input-start", "tool-call"]);

/** @throws the error that the stream reports */
async function collect(
  { stream, request, response }: LanguageModelV4StreamResult,
  taps: ModelTaps,
  measured?: ModelRequest,
): Promise<LanguageModelV4GenerateResult> {
  const content: LanguageModelV4Content[] = [];
  const open = new Map<string, Open>();
  const inputs = new Map<string, { toolName: string; text: string }>();
  let tail: Tail | undefined;
  let warnings: LanguageModelV4GenerateResult["warnings"] = [];
  let metadata = {};
  for await (const part of stream as unknown as AsyncIterable<LanguageModelV4StreamPart>) {
    if (parts.has(part.type)) measured?.part();
    if (part.type === "text-start" || part.type === "reasoning-start") {
      const made = { type: part.type === "text-start" ? ("text" as const) : ("reasoning" as const), text: "" };
      content.push(made);
      open.set(part.id, { content: made });
    } else if (part.type === "text-delta" || part.type === "reasoning-delta") {
      const into = open.get(part.id)?.content;
      if (into !== undefined) into.text += part.delta;
      taps.words?.(part.type === "text-delta" ? "text" : "reasoning", part.delta);
    } else if (part.type === "tool-input-start") inputs.set(part.id, { toolName: part.toolName, text: "" });
    else if (part.type === "tool-input-delta") {
      const input = inputs.get(part.id);
      if (input !== undefined) {
        input.text += part.delta;
        taps.toolInput?.({ toolCallId: part.id, ...input });
      }
    } else if (part.type === "tool-call") content.push(part);
    else if (part.type === "stream-start") warnings = part.warnings;
    else if (part.type === "response-metadata") {
      const { type: _, ...rest } = part;
      metadata = rest;
    } else if (part.type === "finish") tail = { finishReason: part.finishReason, usage: part.usage };
    else if (part.type === "error") throw part.error;
  }
  if (tail === undefined) throw new Error("The model's answer ended without a finish");
  const about = request === undefined ? {} : { request };
  return { content, ...tail, warnings, ...about, response: { ...metadata, ...response } };
}
