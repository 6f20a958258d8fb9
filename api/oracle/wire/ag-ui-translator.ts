import { type AGUIEvent, EventType } from "@ag-ui/core";
import { type ReadFrame, readFrames, thinking } from "./frames.ts";

type Ids = { threadId: string; runId: string; messageId: string };
type CallFrame = { toolCallId: string; toolName: string; args: object; status: string; output?: string };
type RunFrame = { resumed?: boolean };
type ReasoningFrame = { reasoning: string; isComplete: boolean };
type ErrorFrame = { error: string; kind?: string };
type Call = { args: object; isEnded: boolean };

/** Translates the frames of one run, in order, into events of the AG-UI protocol. */
export class AgUiTranslator {
  readonly #ids: Ids;
  readonly #calls = new Map<string, Call>();
  #text: string | undefined;
  #reasoning: string | undefined;
  #messages = 0;
  #error: { message: string; code?: string } | undefined;

  constructor(ids: Ids) {
    this.#ids = ids;
  }

  /** Encode frames as AG-UI server-sent events. */
  encode(frames: string): string {
    const events = readFrames(frames).flatMap((frame) => this.translate(frame));
    return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");
  }

  translate({ event, data }: ReadFrame): AGUIEvent[] {
    const told: unknown = JSON.parse(data);
    if (event === "run") return this.#started(told as RunFrame);
    if (event === "message") return this.#said((told as { content: string }).content);
    if (event === "reasoning") return this.#reasoned(told as ReasoningFrame);
    if (event === "tool_call" || event === "action_call") return this.#called(told as CallFrame, event === "tool_call");
    if (event === "error") {
      const { error: message, kind } = told as ErrorFrame;
      this.#error = { message, ...(kind === undefined ? {} : { code: kind }) };
      return [];
    }
    return event === "done" ? this.#done((told as { status: string }).status) : [];
  }

  #started({ resumed }: RunFrame): AGUIEvent[] {
    const { threadId, runId } = this.#ids;
    return resumed === true ? [] : [{ type: EventType.RUN_STARTED, threadId, runId }];
  }

  #said(delta: string): AGUIEvent[] {
    const begin: AGUIEvent[] = [];
    if (this.#text === undefined) {
      this.#text = this.#newMessageId();
      begin.push({ type: EventType.TEXT_MESSAGE_START, messageId: this.#text, role: "assistant" });
    }
    return [...begin, { type: EventType.TEXT_MESSAGE_CONTENT, messageId: this.#text, delta }];
  }

  /** The run's first message has the id of the stored answer. */
  #newMessageId(): string {
    const { messageId } = this.#ids;
    return this.#messages++ === 0 ? messageId : `${messageId}-${this.#messages}`;
  }

  #reasoned({ reasoning: delta, isComplete }: ReasoningFrame): AGUIEvent[] {
    if (isComplete) return this.#endReasoning();
    if (delta === thinking || delta === "") return [];
    const begin: AGUIEvent[] = [];
    if (this.#reasoning === undefined) {
      this.#reasoning = `${this.#ids.messageId}-reasoning-${++this.#messages}`;
      const messageId = this.#reasoning;
      begin.push(...this.#endText(), { type: EventType.REASONING_START, messageId });
      begin.push({ type: EventType.REASONING_MESSAGE_START, messageId, role: "reasoning" });
    }
    return [...begin, { type: EventType.REASONING_MESSAGE_CONTENT, messageId: this.#reasoning, delta }];
  }

  /** A tool's arguments are complete when its call starts. An action's arrive in parts and are complete at its end. */
  #called({ toolCallId, toolName, args, status, output }: CallFrame, isWhole: boolean): AGUIEvent[] {
    const events: AGUIEvent[] = [];
    let call = this.#calls.get(toolCallId);
    if (call === undefined) {
      call = { args, isEnded: false };
      this.#calls.set(toolCallId, call);
      events.push(...this.#endText(), ...this.#endReasoning());
      events.push({ type: EventType.TOOL_CALL_START, toolCallId, toolCallName: toolName });
    }
    call.args = args;
    if (isWhole || status !== "isRunning") events.push(...this.#endCall(toolCallId, call));
    if (status === "isRunning") return events;
    const messageId = `${toolCallId}-result`;
    return [
      ...events,
      { type: EventType.TOOL_CALL_RESULT, messageId, toolCallId, content: output ?? "", role: "tool" },
    ];
  }

  #endCall(toolCallId: string, call: Call): AGUIEvent[] {
    if (call.isEnded) return [];
    call.isEnded = true;
    return [
      { type: EventType.TOOL_CALL_ARGS, toolCallId, delta: JSON.stringify(call.args) },
      { type: EventType.TOOL_CALL_END, toolCallId },
    ];
  }

  #endText(): AGUIEvent[] {
    const messageId = this.#text;
    this.#text = undefined;
    return messageId === undefined ? [] : [{ type: EventType.TEXT_MESSAGE_END, messageId }];
  }

  #endReasoning(): AGUIEvent[] {
    const messageId = this.#reasoning;
    this.#reasoning = undefined;
    if (messageId === undefined) return [];
    return [
      { type: EventType.REASONING_MESSAGE_END, messageId },
      { type: EventType.REASONING_END, messageId },
    ];
  }

  #done(status: string): AGUIEvent[] {
    const ends = [...this.#calls].flatMap(([id, call]) => this.#endCall(id, call));
    const { threadId, runId } = this.#ids;
    const last: AGUIEvent =
      status === "failed"
        ? { type: EventType.RUN_ERROR, message: "The turn failed.", ...this.#error }
        : { type: EventType.RUN_FINISHED, threadId, runId, result: { status } };
    return [...this.#endText(), ...this.#endReasoning(), ...ends, last];
  }
}
