import { randomUUID } from "node:crypto";
import type { StoredCall } from "../tables.ts";
import { encodeFrame, type FrameBlock, FrameTally } from "../wire/frames.ts";
import { PartLog } from "../wire/message-parts.ts";
import type { JsonObject, TurnEvent } from "../wire/turn.ts";
import type { FrameClock } from "./frame-scheduler.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { thinking } from "./recover-run.ts";
import type { RunOutcome } from "./run-store.ts";

/** Where frames go while they are made. Told of each once, in order. */
export type FrameSink = {
  push: (frames: string, lastSeq: number) => void;
  /** The run has ended: nothing follows. */
  end: () => void;
};

/** Told of what clients hear over the socket too. */
export type RunListener = (eventName: "tool_call" | "render_component", payload: JsonObject) => void;

export type RunFacts = {
  id: string;
  sessionId: string;
  user: string;
  requestId: string;
  /** Of the answer. */
  messageId: string;
  /** Names of tools whose calls keep the model's id: a front end answers them with its next message. */
  frontendTools: ReadonlySet<string>;
};

/** Most characters of one run's frames: what is beyond ends the run. */
const longestLog = 16 * 1024 * 1024;
/** Most characters of text in one frame; a longer delta is not cut. */
const largestGathered = 32 * 1024;
/** Frames of the last moments that are kept at hand for those who come back. */
const keptAtHand = 500;

export class RunTooLongError extends Error {}

/**
 * A turn as it happens: turns what the agent says into numbered frames, once, for everyone who listens, and keeps what the answer
 * will be. Text is gathered into frames by the clock; all else is told at once, after the text before it.
 */
export class LiveRun {
  readonly facts: RunFacts;
  readonly abort = new AbortController();
  readonly sinks = new Set<FrameSink>();
  readonly #tally = new FrameTally();
  readonly #clock: FrameClock;
  readonly #writer: FrameWriter;
  readonly #listener: RunListener;
  readonly #calls = new Map<string, StoredCall & { event: "tool_call" | "action_call" }>();
  readonly #publicIds = new Map<string, string>();
  readonly #text: string[] = [];
  readonly #reasoning: string[] = [];
  /** In which order all of it was said. */
  readonly parts = new PartLog();
  #gathered = "";
  #error: string | undefined;
  #seq = 0;
  #size = 0;
  #recent: string[] = [];
  #unsaved: string[] = [];
  #reasoningOpen = false;
  #closed = false;
  #released = false;
  /** Frames that are made and not told yet. */
  #fresh: string[] = [];

  constructor(facts: RunFacts, parts: { clock: FrameClock; writer: FrameWriter; listener: RunListener }) {
    this.facts = facts;
    this.#clock = parts.clock;
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

  /** What was told of a failure last. */
  get error(): string | undefined {
    return this.#error;
  }

  get toolCalls(): StoredCall[] {
    return [...this.#calls.values()].map(({ event: _, ...call }) => call);
  }

  /** The first frames: who this is, and that it thinks. */
  open(): void {
    const { id: runId, requestId, sessionId } = this.facts;
    this.#frame("run", JSON.stringify({ runId, requestId, sessionId }));
    this.#sayReasoning(thinking, undefined);
  }

  /** From here on frames may be seen and kept: the run itself is. */
  release(): void {
    this.#released = true;
    this.#publish();
  }

  /** What the agent says. After an abort only the ends of calls are heard: the text stays as it was. */
  emit(event: TurnEvent): void | Promise<void> {
    if (this.#closed) return;
    if (event.type === "text") {
      if (event.delta === "" || this.abort.signal.aborted) return;
      // The first words wait for nothing, however busy the process is.
      const isFirst = this.#text.length === 0;
      this.#gathered += event.delta;
      if (isFirst || this.#gathered.length > largestGathered) this.flush(Date.now());
      else this.#clock.schedule(this);
    } else {
      this.flush(Date.now());
      this.#tell(event);
      this.#publish();
    }
    if (this.#writer.isBehind) return this.#writer.write();
  }

  #tell(event: Exclude<TurnEvent, { type: "text" }>): void {
    const ids = { sessionId: this.facts.sessionId, requestId: this.facts.requestId };
    if (event.type === "reasoning") {
      if (event.text === "" || this.abort.signal.aborted) return;
      this.#reasoning.push(event.text);
      this.parts.think(event.text);
      this.#sayReasoning(event.text, event.details);
    } else if (event.type === "error") {
      const { message: error, kind, retryable } = event;
      this.#error = error;
      this.#frame("error", JSON.stringify({ error, timestamp: new Date().toISOString(), kind, retryable }));
    } else if (event.type === "component") {
      const { componentName, args, status, eventId = randomUUID() } = event;
      // A component that a call asked for is known by that call's id.
      const shown = { ...ids, componentName, args, status, eventId: this.#publicIds.get(eventId) ?? eventId };
      this.parts.show({ ...{ id: shown.eventId, componentName, args }, ...(status === undefined ? {} : { status }) });
      this.#listener("render_component", shown);
    } else this.#tellCall(event);
  }

  #tellCall({
    type,
    toolCallId,
    toolName,
    args,
    status,
    output,
  }: Extract<TurnEvent, { type: "tool" | "action" }>): void {
    const id = this.facts.frontendTools.has(toolName) ? toolCallId : this.publicId(toolCallId);
    const event = type === "tool" ? "tool_call" : "action_call";
    this.parts.call(id);
    this.#calls.set(id, { name: toolName, id, args, status, ...(output === undefined ? {} : { output }), event });
    this.#sayCall(id);
  }

  #sayCall(id: string): void {
    const call = this.#calls.get(id);
    if (call === undefined) return;
    const { sessionId, requestId } = this.facts;
    const { name: toolName, args, status, output, event } = call;
    const said = { sessionId, requestId, toolCallId: id, toolName, args, status, eventId: id, output };
    this.#frame(event, JSON.stringify(said));
    if (event === "tool_call") this.#listener("tool_call", said);
  }

  /** The id by which clients know a call: models give theirs in order, and one could guess them. */
  publicId(toolCallId: string): string {
    let id = this.#publicIds.get(toolCallId);
    if (id === undefined) {
      id = randomUUID();
      this.#publicIds.set(toolCallId, id);
      // Known by both names from here on.
      this.#publicIds.set(id, id);
    }
    return id;
  }

  #sayReasoning(reasoning: string, reasoningDetails: unknown): void {
    const isComplete = reasoning === "";
    this.#reasoningOpen = !isComplete;
    const { sessionId, requestId } = this.facts;
    const timestamp = new Date().toISOString();
    this.#frame(
      "reasoning",
      JSON.stringify({ sessionId, requestId, reasoning, reasoningDetails, isComplete, timestamp }),
    );
  }

  /** Make a frame of the text that has gathered. */
  flush(now: number): void {
    const content = this.#gathered;
    if (content === "" || this.#closed) return;
    if (this.#reasoningOpen) this.#sayReasoning("", undefined);
    this.#gathered = "";
    this.#text.push(content);
    this.parts.say(content);
    this.#frame("message", `{"content":${JSON.stringify(content)},"timestamp":"${isoOf(now)}"}`);
    this.#publish();
  }

  #frame(event: string, data: string): void {
    const frame = encodeFrame(++this.#seq, event, data);
    this.#tally.add(data);
    this.#size += frame.length;
    this.#recent.push(frame);
    if (this.#recent.length >= 2 * keptAtHand) this.#recent = this.#recent.slice(-keptAtHand);
    this.#unsaved.push(frame);
    this.#fresh.push(frame);
    if (this.#size > longestLog && !this.abort.signal.aborted) this.abort.abort(new RunTooLongError());
  }

  /** Tell what is fresh, in one piece. */
  #publish(): void {
    if (!this.#released || this.#fresh.length === 0) return;
    const frames = this.#fresh.length === 1 ? (this.#fresh[0] ?? "") : this.#fresh.join("");
    this.#fresh = [];
    for (const sink of this.sinks) sink.push(frames, this.#seq);
    this.#writer.sources.add(this);
    this.#writer.wake();
  }

  /** Frames after the number from memory; undefined when they are only in the log. */
  recentAfter(after: number): string | undefined {
    const first = this.#seq - this.#recent.length + 1;
    if (after < first - 1) return undefined;
    return after >= this.#seq ? "" : this.#recent.slice(after - first + 1).join("");
  }

  /** Hand over what the log does not have yet. */
  takeUnsaved(): (FrameBlock & { runId: string }) | undefined {
    if (this.#unsaved.length === 0 || !this.#released) return undefined;
    const frames = this.#unsaved.join("");
    const block = { runId: this.facts.id, firstSeq: this.#seq - this.#unsaved.length + 1, lastSeq: this.#seq, frames };
    this.#unsaved = [];
    return block;
  }

  /** Say the last of it: no call and no reasoning stays open. Nothing is heard after this. */
  close(): void {
    if (this.#closed) return;
    this.flush(Date.now());
    for (const [id, call] of this.#calls) {
      if (call.status !== "isRunning" || this.facts.frontendTools.has(call.name)) continue;
      this.#calls.set(id, { ...call, status: "error", output: "The turn ended before the call did." });
      this.#sayCall(id);
    }
    if (this.#reasoningOpen) this.#sayReasoning("", undefined);
    this.#publish();
    this.#closed = true;
  }

  /** The last frame, and the block that it ends; it is not told to anyone before `finish`. */
  sealWith(status: RunOutcome): { block: FrameBlock; doneFrame: string } {
    const { id: runId, messageId } = this.facts;
    const { count } = this.#tally;
    const data = JSON.stringify({ runId, messageId, status, count, digest: this.#tally.digest() });
    const doneFrame = encodeFrame(this.#seq + 1, "done", data);
    const firstSeq = this.#seq - this.#unsaved.length + 1;
    return { block: { firstSeq, lastSeq: this.#seq + 1, frames: this.#unsaved.join("") + doneFrame }, doneFrame };
  }

  /** Tell everyone the last frame. */
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

/** The same text for all frames of a millisecond. */
function isoOf(now: number): string {
  if (now !== isoAt) {
    isoAt = now;
    iso = new Date(now).toISOString();
  }
  return iso;
}
