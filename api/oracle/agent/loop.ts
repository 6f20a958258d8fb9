import { randomUUID } from "node:crypto";
import type { JSONSchema7, LanguageModelV4 } from "@ai-sdk/provider";
import {
  asSchema,
  generateText,
  isStepCount,
  jsonSchema,
  type ModelMessage,
  parsePartialJson,
  type Schema,
  type ToolSet,
  tool,
} from "ai";
import { z } from "zod";
import { AppError } from "../../platform/errors.ts";
import type { OracleTool } from "../plugins/host/tool.ts";
import type { JsonObject, TurnContext, Usage } from "../wire/turn.ts";
import type { ModelLatency } from "./model-latency.ts";
import { runTool, type ToolRun } from "./run-tool.ts";
import { streamedModel } from "./streamed-model.ts";
import type { TextTap } from "./tapped-fetch.ts";

/** Opens a model for one turn. It may report its text through `tap`, before the library receives it. */
export type OpenModel = (tap: TextTap) => { model: LanguageModelV4; tells: boolean };

export type LoopInput = {
  open: OpenModel;
  instructions: string;
  messages: ModelMessage[];
  run: ToolRun;
  turn: Pick<TurnContext, "emit" | "clientTools" | "signal">;
  latency?: ModelLatency | undefined;
};

export type LoopResult = { text: string; messages: ModelMessage[]; usage: Usage };

/**
 * Run the model and its tools until it is done: the library drives the loop, `runTool` checks every call, and output goes to
 * `emit` as it arrives. @throws the error of the model's server, or of the abort
 */
export async function runLoop(input: LoopInput): Promise<LoopResult> {
  const { run, turn } = input;
  const calls = new CallTeller(input);
  let isHeard = false;
  const tap: TextTap = (kind, delta) => {
    isHeard = true;
    void turn.emit(kind === "text" ? { type: "text", delta } : { type: "reasoning", text: delta });
  };
  const { model, tells } = input.open(tap);
  const streamed = streamedModel(model, {
    ...(tells ? {} : { words: tap }),
    latency: input.latency,
    toolInput: (call) => {
      if (calls.streaming(call)) isHeard = true;
    },
    heard: {
      of: () => isHeard,
      reset: () => {
        isHeard = false;
      },
    },
  });
  const result = await generateText({
    model: streamed,
    instructions: input.instructions,
    messages: input.messages,
    tools: toolSet(input, calls),
    prepareStep: () => ({ activeTools: run.tools.usable() }),
    stopWhen: isStepCount(run.limits.steps),
    abortSignal: turn.signal,
    maxRetries: 2,
    onStepEnd: ({ content }) => {
      for (const part of content) {
        if (part.type === "tool-call") calls.handedOver(part.toolCallId, part.toolName, part.input);
        if (part.type === "tool-error") calls.failed(part.toolCallId, part.toolName, part.input, reasonOf(part.error));
      }
    },
  });
  const { inputTokens, outputTokens } = result.totalUsage;
  const usage = { inputTokens, outputTokens };
  const { text, responseMessages: messages } = result;
  if (!isCutOff(result.steps, run.limits.steps)) return { text, messages, usage };
  const closing = stoppedAfter(run.limits.steps);
  void turn.emit({ type: "text", delta: text === "" ? closing : `\n\n${closing}` });
  return {
    text: `${text}\n\n${closing}`.trim(),
    messages: [...messages, { role: "assistant", content: closing }],
    usage,
  };
}

type Step = { content: readonly { type: string; toolCallId?: string }[] };

/** Check whether the model was stopped early: all of its calls have results that it has not seen. */
function isCutOff(steps: readonly Step[], most: number): boolean {
  if (steps.length < most) return false;
  const { content } = steps.at(-1) as Step;
  const answered = new Set(
    content.flatMap(({ type, toolCallId }) => (type.match(/^tool-(result|error)$/) ? toolCallId : [])),
  );
  const calls = content.filter(({ type }) => type === "tool-call");
  return calls.length > 0 && calls.every(({ toolCallId }) => answered.has(toolCallId));
}

const stoppedAfter = (steps: number) =>
  `I have stopped here, because one message may take at most ${steps} steps. Write to me if you want me to continue.`;

function toolSet({ run, turn }: LoopInput, calls: CallTeller): ToolSet {
  const frontend = new Set(turn.clientTools.filter(({ kind }) => kind === "frontend").map(({ name }) => name));
  const tools = [...run.tools.byName.values()].map((each) => each.tool);
  return Object.fromEntries(
    tools.map((each) => {
      const about = { description: each.description, inputSchema: schemaOf(each) };
      // Without `execute` the turn ends with the call; its result comes with the next message.
      if (frontend.has(each.name)) return [each.name, tool(about)];
      const execute = async (input: unknown, options: { toolCallId: string }) => {
        const id = calls.began(options.toolCallId, each.name, input);
        const output = await runTool(run, each.name, input, id).catch((error: unknown) => {
          throw error instanceof AppError ? new RefusedError(error.message) : error;
        });
        calls.done(options.toolCallId, each.name, input, output);
        return output;
      };
      return [each.name, tool({ ...about, execute })];
    }),
  );
}

/** Cached by the tool's schema, because conversion to JSON schema costs more than the rest of starting a turn. */
const schemas = new WeakMap<object, Schema>();

function schemaOf({ inputSchema }: OracleTool): Schema {
  const known = schemas.get(inputSchema);
  if (known !== undefined) return known;
  const made = inputSchema instanceof z.ZodObject ? asSchema(inputSchema) : fromJsonSchema(inputSchema.jsonSchema);
  schemas.set(inputSchema, made);
  return made;
}

/** The tool checks its arguments itself; an empty schema allows any object. */
function fromJsonSchema(schema: JsonObject): Schema {
  const isEmpty = Object.keys(schema).length === 0;
  return jsonSchema((isEmpty ? { type: "object", additionalProperties: true } : schema) as JSONSchema7);
}

/** A refusal as the model reads it: the library puts the error's name before its message. */
class RefusedError extends Error {
  override name = "Refused";
}

/** Clients get an action's arguments at most this often, in milliseconds. */
const tellEveryMs = 50;

/** A call whose arguments still arrive: what has arrived, and when clients last got it. */
type ArrivingCall = { toolName: string; text: string; toldAt: number; timer?: NodeJS.Timeout | undefined };

/** Reports each call to the client when it begins and when it ends, with an unguessable id. */
class CallTeller {
  readonly #input: LoopInput;
  /** Public ids of open calls, by the model's id, which a model may reuse in its next step. */
  readonly #ids = new Map<string, string>();
  readonly #actions: Set<string>;
  /** Calls whose arguments still arrive, by the model's id. */
  readonly #arriving = new Map<string, ArrivingCall>();

  constructor(input: LoopInput) {
    this.#input = input;
    this.#actions = new Set(input.turn.clientTools.filter(({ kind }) => kind === "action").map(({ name }) => name));
  }

  /**
   * Report the arguments of an action while they arrive, for clients that render them. @returns whether the call is reported to
   * clients
   */
  streaming({ toolCallId, toolName, text }: { toolCallId: string; toolName: string; text: string }): boolean {
    if (!this.#actions.has(toolName) || !this.#input.run.tools.usable().includes(toolName)) return false;
    const call: ArrivingCall = this.#arriving.get(toolCallId) ?? { toolName, text, toldAt: Number.NEGATIVE_INFINITY };
    call.text = text;
    this.#arriving.set(toolCallId, call);
    // The model may pause after any piece, so clients also get the last one, if later.
    const waitMs = call.toldAt + tellEveryMs - performance.now();
    if (waitMs <= 0) this.#tellArriving(toolCallId, call);
    else call.timer ??= setTimeout(() => this.#tellArriving(toolCallId, call), waitMs);
    return true;
  }

  #tellArriving(toolCallId: string, call: ArrivingCall): void {
    clearTimeout(call.timer);
    call.timer = undefined;
    call.toldAt = performance.now();
    void parsePartialJson(call.text).then(({ value }) => {
      if (this.#arriving.get(toolCallId) !== call || this.#input.turn.signal.aborted) return;
      this.#tell(this.#idOf(toolCallId), call.toolName, value, { status: "isRunning" });
    });
  }

  #arrived(toolCallId: string): void {
    clearTimeout(this.#arriving.get(toolCallId)?.timer);
    this.#arriving.delete(toolCallId);
  }

  began(toolCallId: string, toolName: string, input: unknown): string {
    this.#arrived(toolCallId);
    const id = this.#idOf(toolCallId);
    this.#tell(id, toolName, input, { status: "isRunning" });
    return id;
  }

  /** A call of a front end's tool keeps the model's id, because its result arrives with that id. */
  handedOver(toolCallId: string, toolName: string, input: unknown): void {
    const isFrontend = this.#input.turn.clientTools.some(({ kind, name }) => kind === "frontend" && name === toolName);
    if (isFrontend) this.#tell(toolCallId, toolName, input, { status: "isRunning" });
  }

  done(toolCallId: string, toolName: string, input: unknown, output: string): void {
    this.#tell(this.#idOf(toolCallId), toolName, input, { status: "done", output });
    this.#ids.delete(toolCallId);
  }

  failed(toolCallId: string, toolName: string, input: unknown, output: string): void {
    this.#arrived(toolCallId);
    this.#tell(this.#idOf(toolCallId), toolName, input, { status: "error", output });
    this.#ids.delete(toolCallId);
  }

  #idOf(toolCallId: string): string {
    const known = this.#ids.get(toolCallId);
    if (known !== undefined) return known;
    const made = `call_${randomUUID()}`;
    this.#ids.set(toolCallId, made);
    return made;
  }

  #tell(
    toolCallId: string,
    toolName: string,
    input: unknown,
    rest: { status: "isRunning" | "done" | "error"; output?: string },
  ): void {
    const isObject = typeof input === "object" && input !== null && !Array.isArray(input);
    const args = isObject ? (input as JsonObject) : {};
    const type = this.#actions.has(toolName) ? ("action" as const) : ("tool" as const);
    void this.#input.turn.emit({ type, toolCallId, toolName, args, ...rest });
  }
}

/** The part of a failure that the user and the model may read. */
function reasonOf(error: unknown): string {
  // The library's message about invalid arguments.
  if (typeof error === "string") return error;
  return error instanceof RefusedError ? error.message : "The tool failed.";
}
