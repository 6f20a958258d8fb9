import { randomUUID } from "node:crypto";
import type { FrameSink } from "../wire/event-stream.ts";
import { encodeFrame, type FrameBlock, FrameTally, thinking } from "../wire/frames.ts";
import { MessagePartLog } from "../wire/message-parts.ts";
import type { JsonObject, StoredCall, TurnEvent } from "../wire/turn.ts";
import type { FrameScheduler } from "./frame-scheduler.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { RunOutcome } from "./run-store.ts";

/** Called for the events that clients also receive over the socket. */
export type RunListener = (eventName: "tool_call" | "render_component", payload: JsonObject) => void;

export type RunFacts = {
  id: string;
  sessionId: string;
  user: string;
  requestId: string;
  /** Of the answer. */
  messageId: string;
  /** Names of the tools that an AG-UI front end runs. Their calls keep the model's ids: the next message has their results. */
  frontendTools: ReadonlySet<string>;
};

/** Most characters of one run's frames. A longer run is ended as failed. */
const longestLog = 16 * 1024 * 1024;
/** Most characters of text that are collected into one frame. A longer delta is not cut. */
const longestPendingText = 32 * 1024;
/** How many of the last frames stay in memory for clients that reconnect. */
const recentFrames = 500;

export class RunTooLongError extends Error {}

/**
 * A running turn. Encodes the agent's events into numbered frames, once for all listeners, and collects the answer to store. Text
 * is collected into frames by the scheduler; every other event is sent immediately, after the text before it.
 */
export class LiveRun {
  readonly facts: RunFacts;
  readonly abort = new AbortController();
  readonly sinks = new Set<FrameSink>();
  readonly #tally = new FrameTally();
  readonly #scheduler: FrameScheduler;
  readonly #writer: FrameWriter;
  readonly #listener: RunListener;
  readonly #calls = new Map<string, StoredCall & { event: "tool_call" | "action_call" }>();
  readonly #publicIds = new Map<string, string>();
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  /** The order of text, reasoning, calls and components. */
  readonly parts = new MessagePartLog();
  #pendingText = "";
  #error: string | undefined;
  #seq = 0;
  #size = 0;
  #recent: string[] = [];
  #unsaved: string[] = [];
  #reasoningOpen = false;
  #closed = false;
  #released = false;
  /** Frames that no listener has received yet. */
  #unsent: string[] = [];

  constructor(facts: RunFacts, parts: { scheduler: FrameScheduler; writer: FrameWriter; listener: RunListener }) {
    this.facts = facts;
    this.#scheduler = parts.scheduler;
    this.#writer = parts.writer;
    this.#listener = parts.listener;
  }

  get lastSeq(): number {
    return this.#seq;
  }

  get text(): string {
    return this.#text.join("");
  }

  get reasoning(): string | null {
    return this.#reasoning.length === 0 ? null : this.#reasoning.join("");
  }

  /** Message of the last `error` event. */
  get error(): string | undefined {
    return this.#error;
  }

  get toolCalls(): StoredCall[] {
    return [...this.#calls.values()].map(({ event: _, ...call }) => call);
  }

  /** Add the first frames: `run`, and `reasoning` with a placeholder. */
  open(): void {
    const { id: runId, requestId, sessionId } = this.facts;
    this.#frame("run", JSON.stringify({ runId, requestId, sessionId }));
    this.#sendReasoning(thinking, undefined);
  }

  /** Let frames be sent and stored. Call this once the run itself is stored. */
  release(): void {
    this.#released = true;
    this.#publish();
  }

  /** Take an event of the agent. After an abort, text and reasoning are ignored. */
  emit(event: TurnEvent): void | Promise<void> {
    if (this.#closed) return;
    if (event.type === "text") {
      if (event.delta === "" || this.abort.signal.aborted) return;
      // The first text is sent immediately, even if the process is busy.
      const isFirst = this.#text.length === 0;
      this.#pendingText += event.delta;
      if (isFirst || this.#pendingText.length > longestPendingText) this.flush(Date.now());
      else this.#scheduler.schedule(this);
    } else {
      this.flush(Date.now());
      this.#add(event);
      this.#publish();
    }
    if (this.#writer.isBehind) return this.#writer.write();
  }

  #add(event: Exclude<TurnEvent, { type: "text" }>): void {
    const ids = { sessionId: this.facts.sessionId, requestId: this.facts.requestId };
    if (event.type === "reasoning") {
      if (event.text === "" || this.abort.signal.aborted) return;
      this.#reasoning.push(event.text);
      this.parts.addReasoning(event.text);
      this.#sendReasoning(event.text, event.details);
    } else if (event.type === "error") {
      const { message: error, kind, retryable } = event;
      this.#error = error;
      this.#frame("error", JSON.stringify({ error, timestamp: new Date().toISOString(), kind, retryable }));
    } else if (event.type === "component") {
      const { componentName, args, status, eventId = randomUUID() } = event;
      // A component that a call asked for has that call's public id.
      const component = { ...ids, componentName, args, status, eventId: this.#publicIds.get(eventId) ?? eventId };
      const ofStatus = status === undefined ? {} : { status };
      this.parts.addComponent({ id: component.eventId, componentName, args, ...ofStatus });
      this.#listener("render_component", component);
    } else this.#addCall(event);
  }

  #addCall({
    type,
    toolCallId,
    toolName,
    args,
    status,
    output,
  }: Extract<TurnEvent, { type: "tool" | "action" }>): void {
    const id = this.facts.frontendTools.has(toolName) ? toolCallId : this.publicId(toolCallId);
    const event = type === "tool" ? "tool_call" : "action_call";
    this.parts.addCall(id);
    this.#calls.set(id, { name: toolName, id, args, status, ...(output === undefined ? {} : { output }), event });
    this.#sendCall(id);
  }

  #sendCall(id: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    const { sessionId, requestId } = this.facts;
    const { name: toolName, args, status, output, event } = call;
    const payload = { sessionId, requestId, toolCallId: id, toolName, args, status, eventId: id, output };
    this.#frame(event, JSON.stringify(payload));
    if (event === "tool_call") this.#listener("tool_call", payload);
  }

  /** The id of a call for clients. The model's own ids are sequential, so a client could guess them. */
  publicId(toolCallId: string): string {
    let id = this.#publicIds.get(toolCallId);
    if (id === undefined) {
      id = randomUUID();
      this.#publicIds.set(toolCallId, id);
      // A public id maps to itself, so that either id can be given.
      this.#publicIds.set(id, id);
    }
    return id;
  }

  #sendReasoning(reasoning: string, reasoningDetails: unknown): void {
    const isComplete = reasoning === "";
    this.#reasoningOpen = !isComplete;
    const { sessionId, requestId } = this.facts;
    const timestamp = new Date().toISOString();
    this.#frame(
      "reasoning",
      JSON.stringify({ sessionId, requestId, reasoning, reasoningDetails, isComplete, timestamp }),
    );
  }

  /** Make a frame of the collected text. */
  flush(now: number): void {
    const content = this.#pendingText;
    if (content === "" || this.#closed) return;
    if (this.#reasoningOpen) this.#sendReasoning("", undefined);
    this.#pendingText = "";
    this.#text.push(content);
    this.parts.addText(content);
    this.#frame("message", `{"content":${JSON.stringify(content)},"timestamp":"${isoOf(now)}"}`);
    this.#publish();
  }

  #frame(event: string, data: string): void {
    const frame = encodeFrame(++this.#seq, event, data);
    this.#tally.add(data);
    this.#size += frame.length;
    this.#recent.push(frame);
    if (this.#recent.length >= 2 * recentFrames) this.#recent = this.#recent.slice(-recentFrames);
    this.#unsaved.push(frame);
    this.#unsent.push(frame);
    if (this.#size > longestLog && !this.abort.signal.aborted) this.abort.abort(new RunTooLongError());
  }

  /** Send the unsent frames to all listeners, in one piece. */
  #publish(): void {
    if (!this.#released || this.#unsent.length === 0) return;
    const frames = this.#unsent.length === 1 ? (this.#unsent[0] ?? "") : this.#unsent.join("");
    this.#unsent = [];
    for (const sink of this.sinks) sink.push(frames, this.#seq);
    this.#writer.sources.add(this);
    this.#writer.wake();
  }

  /** Frames after a number, from memory; undefined when only the log has them. */
  recentAfter(after: number): string | undefined {
    const first = this.#seq - this.#recent.length + 1;
    if (after < first - 1) return undefined;
    return after >= this.#seq ? "" : this.#recent.slice(after - first + 1).join("");
  }

  /** Take the frames that are not in the log yet. */
  takeUnsaved(): (FrameBlock & { runId: string }) | undefined {
    if (this.#unsaved.length === 0 || !this.#released) return undefined;
    const frames = this.#unsaved.join("");
    const block = { runId: this.facts.id, firstSeq: this.#seq - this.#unsaved.length + 1, lastSeq: this.#seq, frames };
    this.#unsaved = [];
    return block;
  }

  /** End open calls and reasoning. Later events are ignored. */
  close(): void {
    if (this.#closed) return;
    this.flush(Date.now());
    for (const [id, call] of this.#calls) {
      if (call.status !== "isRunning" || this.facts.frontendTools.has(call.name)) continue;
      this.#calls.set(id, { ...call, status: "error", output: "The turn ended before the call did." });
      this.#sendCall(id);
    }
    if (this.#reasoningOpen) this.#sendReasoning("", undefined);
    this.#publish();
    this.#closed = true;
  }

  /** Make the `done` frame and the last block to store. Listeners receive the frame from `finish`. */
  seal(status: RunOutcome): { block: FrameBlock; doneFrame: string } {
    const { id: runId, messageId } = this.facts;
    const { count } = this.#tally;
    const data = JSON.stringify({ runId, messageId, status, count, digest: this.#tally.digest() });
    const doneFrame = encodeFrame(this.#seq + 1, "done", data);
    const firstSeq = this.#seq - this.#unsaved.length + 1;
    return { block: { firstSeq, lastSeq: this.#seq + 1, frames: this.#unsaved.join("") + doneFrame }, doneFrame };
  }

  /** Send the `done` frame to all listeners and end their streams. */
  finish(doneFrame: string): void {
    this.#seq += 1;
    this.#recent.push(doneFrame);
    this.#unsaved = [];
    this.#writer.sources.delete(this);
    for (const sink of this.sinks) {
      sink.push(doneFrame, this.#seq);
      sink.end();
    }
    this.sinks.clear();
  }
}

let isoAt = 0;
let iso = "";

/** ISO 8601; cached, because many frames share one millisecond. */
function isoOf(now: number): string {
  if (now !== isoAt) {
    isoAt = now;
    iso = new Date(now).toISOString();
  }
  return iso;
}
