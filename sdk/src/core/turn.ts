import type { RenderComponentEventPayload } from "./events.ts";
import type { RunEvent } from "./follow-run.ts";
import type {
  CallStatus,
  ChatRunState,
  IComponentMetadata,
  IMessage,
  IToolCall,
  JsonObject,
  MessageContent,
} from "./types.ts";

/** One part of an answer: text, or the id of a call or component. */
export type Part = { text: string } | { id: string };

export type ShownCall = IToolCall & { kind: "tool" | "action" | "component" | "error"; payload?: EventPayload };

type EventPayload = NonNullable<IComponentMetadata["props"]["payload"]>;

/** Decides which calls are shown in the message. */
export type IsShown = (call: ShownCall) => boolean;

/** Placeholder that the oracle sends before the agent's first words. */
const thinking = "Thinking…";

/** Collect the events of a turn, and build its message so far at any time. */
export class Turn {
  readonly startedAt = new Date().toISOString();
  runId: string | undefined;
  requestId: string | undefined;
  /** The oracle's error message. */
  failure: string | undefined;
  /** Whether the answer has started. */
  hasBegun = false;
  parts: Part[] = [];
  calls = new Map<string, ShownCall>();
  /** Components that the socket delivered before the stream did; text before them may still be missing. */
  #ahead = new Set<string>();
  #reasoning = "";
  #isReasoning = false;

  /** Discard the events, because the stream delivers them again. Keep components, because the socket does not. */
  restart(): void {
    this.parts = this.parts.filter((part) => "id" in part && this.calls.get(part.id)?.kind === "component");
    for (const [id, { kind }] of this.calls) if (kind !== "component") this.calls.delete(id);
    this.#reasoning = "";
    this.failure = undefined;
  }

  take({ event, data }: RunEvent): void {
    if (event === "run") this.#takeRun(data);
    else if (event === "message") this.#say(String(data.content ?? ""));
    else if (event === "reasoning") this.#think(data);
    else if (event === "tool_call") this.addCall(toolCallOf(data, "tool"));
    else if (event === "action_call") this.addCall(toolCallOf(data, "action"));
    else if (event === "error") this.#fail(data);
  }

  /** Add a component from the socket; the stream may deliver the same one as a call. */
  addComponent({ componentName, args, status = "done", eventId }: RenderComponentEventPayload, id: string): void {
    const own = eventId ?? id;
    if (this.calls.has(own)) return;
    this.addCall({ id: own, name: componentName, args, status, kind: "component" });
    this.#ahead.add(own);
  }

  addCall(call: ShownCall): void {
    this.hasBegun = true;
    const isAhead = this.#ahead.delete(call.id);
    // The stream decides its position.
    if (isAhead) this.parts = this.parts.filter((part) => !("id" in part) || part.id !== call.id);
    if (isAhead || !this.calls.has(call.id)) this.parts.push({ id: call.id });
    this.calls.set(call.id, call);
  }

  /** Record a failure as a call, for apps with an `Error` component; the text stays as it is. */
  #fail(payload: JsonObject): void {
    this.failure = String(payload.error ?? "The turn failed.");
    const id = `error-${this.requestId ?? ""}`;
    if (!this.calls.has(id)) this.parts.push({ id });
    this.calls.set(id, {
      id,
      name: "Error",
      kind: "error",
      args: {},
      payload: { ...payload, error: this.failure, timestamp: String(payload.timestamp ?? "") },
      status: "done",
      output: this.failure,
    });
  }

  #takeRun({ runId, requestId, resumed, partialLength }: JsonObject): void {
    this.runId = String(runId);
    this.requestId = String(requestId);
    if (resumed === true && typeof partialLength === "number") this.#cutTo(partialLength);
  }

  #say(text: string): void {
    this.hasBegun = true;
    const last = this.parts.at(-1);
    if (last !== undefined && "text" in last) last.text += text;
    else this.parts.push({ text });
  }

  #think({ reasoning, isComplete }: JsonObject): void {
    this.#isReasoning = isComplete !== true;
    if (reasoning === thinking || reasoning === "") return;
    this.hasBegun = true;
    this.#reasoning += String(reasoning);
  }

  /** Cut the text to what the oracle kept when it crashed. */
  #cutTo(length: number): void {
    let left = length;
    this.parts = this.parts.flatMap((part): Part[] => {
      if ("id" in part) return [part];
      const text = part.text.slice(0, left);
      left -= text.length;
      return text === "" ? [] : [{ text }];
    });
  }

  message(id: string, isShown: IsShown): IMessage {
    const toolCalls = [...this.calls.values()]
      .filter(({ kind }) => kind === "tool" || kind === "action")
      .map(plainCall);
    return {
      id,
      type: "ai",
      content: contentOf(this.parts, this.calls, isShown),
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(this.#reasoning === "" ? {} : { reasoning: this.#reasoning }),
      ...(this.#isReasoning ? { isReasoning: true } : {}),
      isComplete: false,
      createdAt: this.startedAt,
    };
  }
}

function plainCall({ kind: _, payload: __, ...call }: ShownCall): IToolCall {
  return call;
}

function toolCallOf(data: JsonObject, kind: "tool" | "action"): ShownCall {
  const { toolName, toolCallId, eventId, args, status, output } = data as JsonObject & Omit<IToolCall, "name">;
  const call = {
    name: String(toolName),
    id: String(eventId ?? toolCallId),
    args: args ?? {},
    kind,
    payload: data as EventPayload,
  };
  return withError({
    ...call,
    ...(status ? { status } : {}),
    ...(output === undefined ? {} : { output: String(output) }),
  });
}

/** Give the reason of a failed call under both names, `output` and `error`. */
function withError<Call extends IToolCall>(call: Call): Call {
  return call.status === "error" && call.output !== undefined ? { ...call, error: call.output } : call;
}

/** Treat a call of the tool `render_component` as the component it asks for. */
function asComponent(call: ShownCall): ShownCall {
  const { componentName, args } = call.args as { componentName?: unknown; args?: JsonObject };
  if (call.name !== "render_component" || typeof componentName !== "string") return call;
  const { payload: _, ...rest } = call;
  return { ...rest, kind: "component", name: componentName, args: args ?? {} };
}

/** Build a message's content: a string for text alone, a list when there are components. */
export function contentOf(
  parts: readonly Part[],
  calls: ReadonlyMap<string, ShownCall>,
  isShown: IsShown,
): MessageContent {
  const content: (string | IComponentMetadata)[] = [];
  for (const part of parts) {
    const last = content.length - 1;
    if ("id" in part) {
      const call = calls.get(part.id);
      const shown = call && asComponent(call);
      if (shown !== undefined && isShown(shown)) content.push(metadataOf(shown));
    } else if (typeof content[last] === "string") content[last] += part.text;
    else content.push(part.text);
  }
  if (content.length === 0) return "";
  return content.length === 1 && content[0] !== undefined ? content[0] : content;
}

function metadataOf({ name, id, args, status, output, error, kind, payload }: ShownCall): IComponentMetadata {
  return {
    name,
    props: {
      id,
      args,
      ...(status === undefined ? {} : { status }),
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error }),
      ...(kind === "tool" ? { isToolCall: true, toolName: name } : {}),
      ...(kind === "action" ? { isAgAction: true, toolName: name } : {}),
      ...(payload === undefined ? {} : { payload }),
      ...(kind === "error" && payload !== undefined ? { event: { eventName: "error" as const, payload } } : {}),
    },
  };
}

/** Layout of a finished answer, applied to its copy in the history. */
export type Layout = Pick<Turn, "parts" | "calls">;

/**
 * Put the components into a message of the history, in the oracle's order or, without one, in the order that this page saw. Without
 * either, calls come first.
 */
export function withComponents(
  message: IMessage,
  layout: Layout | undefined,
  isAction: (name: string) => boolean,
  isShown: IsShown,
): IMessage {
  if (message.type !== "ai" || typeof message.content !== "string") return message;
  const { toolCalls = [], content: text } = message;
  if (layout === undefined && toolCalls.length === 0 && message.parts === undefined) return message;
  const calls = new Map<string, ShownCall>(layout?.calls);
  for (const call of toolCalls) {
    const kind = calls.get(call.id)?.kind ?? (isAction(call.name) ? "action" : "tool");
    calls.set(call.id, { ...calls.get(call.id), ...withError(call), kind });
  }
  for (const part of message.parts ?? []) {
    if (part.type !== "component") continue;
    const { id, componentName: name, args, status = "done" } = part;
    calls.set(id, { id, name, args, kind: "component", status: status as CallStatus });
  }
  const known = orderOf(message, layout) ?? [
    ...toolCalls.map(({ id }) => ({ id })),
    ...(text === "" ? [] : [{ text }]),
  ];
  const said = known.map((part) => ("text" in part ? part.text : "")).join("");
  // The history's text is authoritative.
  const parts = said === text ? known : [...known.filter((part) => "id" in part), { text }];
  return { ...message, content: contentOf(parts, calls, isShown) };
}

/** Order the parts as the oracle does; failures, which it does not store, come last. */
function orderOf({ parts }: IMessage, layout: Layout | undefined): Part[] | undefined {
  if (parts === undefined) return layout?.parts;
  const kept = parts.flatMap((part): Part[] => {
    if (part.type === "text") return [{ text: part.text }];
    return part.type === "reasoning" ? [] : [{ id: part.id }];
  });
  const failures = layout?.parts.filter((part) => "id" in part && layout.calls.get(part.id)?.kind === "error") ?? [];
  return [...kept, ...failures];
}

/** Join the text of an answer without its components. */
export const textOf = ({ parts }: Layout): string => parts.map((part) => ("text" in part ? part.text : "")).join("");

const ends = { finished: "done", aborted: "aborted", interrupted: "interrupted" } as const;

/** Translate the status of an ended turn into `ChatRunState`'s values. */
export const endOf = (status: unknown) => ends[status as keyof typeof ends] ?? "failed";

/** Translate a `run` event into a change of `ChatRunState`. */
export const runOf = ({ requestId, resumed }: JsonObject, before: ChatRunState): Partial<ChatRunState> => ({
  requestId: String(requestId),
  resumed: before.resumed + (resumed === true ? 1 : 0),
});
