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

/** What stands in an answer, in order: text, and the ids of calls and components between. */
export type Part = { text: string } | { id: string };

export type ShownCall = IToolCall & { kind: "tool" | "action" | "component" | "error"; payload?: JsonObject };

/** Says which calls are drawn in the message; those of no interest to the app are not. */
export type IsShown = (call: ShownCall) => boolean;

/** What the first frames say before the agent has said anything. */
const thinking = "Thinking…";

/** An answer while it streams: takes the events of its turn and can say, at any time, what the message is so far. */
export class Turn {
  readonly startedAt = new Date().toISOString();
  runId: string | undefined;
  requestId: string | undefined;
  /** What the oracle said of a failure. */
  failure: string | undefined;
  /** Whether anything of the answer is there. */
  hasBegun = false;
  parts: Part[] = [];
  calls = new Map<string, ShownCall>();
  /** Components that the socket was first to bring: what stands before them may still be on its way in the stream. */
  #ahead = new Set<string>();
  #reasoning = "";
  #isReasoning = false;

  /** Forget what came: it comes again. Components that came over the socket do not, and stay. */
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

  /** A component that came over the socket; the same one may come as a call too. */
  addComponent({ componentName, args, status = "done", eventId }: RenderComponentEventPayload, id: string): void {
    const own = eventId ?? id;
    if (this.calls.has(own)) return;
    this.addCall({ ...{ id: own, name: componentName, args, status }, kind: "component" });
    this.#ahead.add(own);
  }

  addCall(call: ShownCall): void {
    this.hasBegun = true;
    const isAhead = this.#ahead.delete(call.id);
    // The stream says where it stands.
    if (isAhead) this.parts = this.parts.filter((part) => !("id" in part) || part.id !== call.id);
    if (isAhead || !this.calls.has(call.id)) this.parts.push({ id: call.id });
    this.calls.set(call.id, call);
  }

  /** For an app that has a component to draw failures with; no sentence of it gets into the text. */
  #fail(payload: JsonObject): void {
    this.failure = String(payload.error ?? "The turn failed.");
    const id = `error-${this.requestId ?? ""}`;
    if (!this.calls.has(id)) this.parts.push({ id });
    this.calls.set(id, {
      ...{ id, name: "Error", kind: "error", args: {}, payload },
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

  /** After a crash of the oracle this much of the text is kept. */
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
      ...{ id, type: "ai", content: contentOf(this.parts, this.calls, isShown) },
      ...(toolCalls.length === 0 ? {} : { toolCalls }),
      ...(this.#reasoning === "" ? {} : { reasoning: this.#reasoning }),
      ...(this.#isReasoning ? { isReasoning: true } : {}),
      ...{ isComplete: false, createdAt: this.startedAt },
    };
  }
}

function plainCall({ kind: _, payload: __, ...call }: ShownCall): IToolCall {
  return call;
}

function toolCallOf(data: JsonObject, kind: "tool" | "action"): ShownCall {
  const { toolName, toolCallId, eventId, args, status, output } = data as JsonObject & Omit<IToolCall, "name">;
  const call = { name: String(toolName), id: String(eventId ?? toolCallId), args: args ?? {}, kind, payload: data };
  return withError({
    ...call,
    ...(status ? { status } : {}),
    ...(output === undefined ? {} : { output: String(output) }),
  });
}

/** A call that failed says why under both names. */
function withError<Call extends IToolCall>(call: Call): Call {
  return call.status === "error" && call.output !== undefined ? { ...call, error: call.output } : call;
}

/** A tool call that asks for a component is that component. */
function asComponent(call: ShownCall): ShownCall {
  const { componentName, args } = call.args as { componentName?: unknown; args?: JsonObject };
  if (call.name !== "render_component" || typeof componentName !== "string") return call;
  const { payload: _, ...rest } = call;
  return { ...rest, kind: "component", name: componentName, args: args ?? {} };
}

/** Text alone is a string; with components between it is a list. */
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
      ...{ id, args },
      ...(status === undefined ? {} : { status }),
      ...(output === undefined ? {} : { output }),
      ...(error === undefined ? {} : { error }),
      ...(kind === "tool" ? { isToolCall: true, toolName: name } : {}),
      ...(kind === "action" ? { isAgAction: true, toolName: name } : {}),
      ...(payload === undefined ? {} : { payload }),
      ...(kind === "error" ? { event: { eventName: "error" as const, payload: payload ?? {} } } : {}),
    },
  };
}

/** How a finished answer was laid out, so that the history's copy of it looks the same. */
export type Layout = Pick<Turn, "parts" | "calls">;

/**
 * A message of the history with its components in place: in the order that the oracle has kept, else in that in which this page
 * saw it come. Where neither is known, calls stand first.
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
    calls.set(id, { ...{ id, name, args, kind: "component" }, status: status as CallStatus });
  }
  const known = orderOf(message, layout) ?? [
    ...toolCalls.map(({ id }) => ({ id })),
    ...(text === "" ? [] : [{ text }]),
  ];
  const said = known.map((part) => ("text" in part ? part.text : "")).join("");
  // The history has the last word about what was said.
  const parts = said === text ? known : [...known.filter((part) => "id" in part), { text }];
  return { ...message, content: contentOf(parts, calls, isShown) };
}

/** The parts in the oracle's order; a failure, which it does not keep, is the last. */
function orderOf({ parts }: IMessage, layout: Layout | undefined): Part[] | undefined {
  if (parts === undefined) return layout?.parts;
  const kept = parts.flatMap((part): Part[] => {
    if (part.type === "text") return [{ text: part.text }];
    return part.type === "reasoning" ? [] : [{ id: part.id }];
  });
  const failures = layout?.parts.filter((part) => "id" in part && layout.calls.get(part.id)?.kind === "error") ?? [];
  return [...kept, ...failures];
}

/** The words of an answer without its components. */
export const textOf = ({ parts }: Layout): string => parts.map((part) => ("text" in part ? part.text : "")).join("");

const ends = { finished: "done", aborted: "aborted", interrupted: "interrupted" } as const;

/** How a turn has ended, in the words of a chat's state. */
export const endOf = (status: unknown) => ends[status as keyof typeof ends] ?? "failed";

/** What a `run` event says to a chat's state. */
export const runOf = ({ requestId, resumed }: JsonObject, before: ChatRunState): Partial<ChatRunState> => ({
  requestId: String(requestId),
  resumed: before.resumed + (resumed === true ? 1 : 0),
});
