import type { Log } from "../../platform/log.ts";
import type { RunRow, StoredCall } from "../tables.ts";
import { encodeFrame, FrameTally, type ReadFrame, readFrames } from "../wire/frames.ts";
import { PartLog } from "../wire/message-parts.ts";
import { storable, storableText } from "../wire/storable.ts";
import type { JsonObject } from "../wire/turn.ts";
import { endRun } from "./finish-run.ts";
import type { Runs } from "./runs.ts";

/** How often a process says that it lives, in milliseconds. */
const beatMs = 2_000;
/** After how long without a word it is taken for dead, in milliseconds. */
const deadMs = 15_000;
/** How long the frames of an ended run are kept, in milliseconds. */
const keptMs = 24 * 3600_000;
const trimMs = 3600_000;
/** A client may have seen frames that the log never got: the next number is beyond all of them. */
const seqGap = 1_000_000;

type Upkeep = { runs: Runs; exclusive: boolean; clock: { now: () => Date }; log: Log };

/** Keep the word of this process, end what dead ones left, forget old frames. */
export function startUpkeep({ runs, exclusive, clock, log }: Upkeep): {
  ready: Promise<void>;
  stop: () => Promise<void>;
} {
  let working: Promise<void> = Promise.resolve();
  let trimAt = 0;
  const look = async () => {
    const now = clock.now().getTime();
    await runs.store.beat(runs.processId, clock.now());
    if (!exclusive) await runs.heedRequests();
    // The embedded database has one process: whoever else left a run is dead.
    const seenBefore = new Date(now - (exclusive ? 0 : deadMs));
    for (const row of await runs.store.orphans(seenBefore)) {
      if (row.processId !== runs.processId) await recover(runs, row, clock.now());
    }
    if (now < trimAt) return;
    trimAt = now + trimMs;
    await runs.store.trim(new Date(now - keptMs));
  };
  const lookAgain = () => {
    working = working.then(look).catch((error: unknown) => log.error({ err: error }, "upkeep of runs failed"));
  };
  const ready = look();
  const timer = setInterval(lookAgain, exclusive ? trimMs : beatMs).unref();
  const stop = async () => {
    clearInterval(timer);
    await working;
  };
  return { ready, stop };
}

/** End a run whose process died: what the log has of its text becomes the answer. */
export async function recover(runs: Runs, row: RunRow, now: Date): Promise<void> {
  if (!(await runs.store.adopt(row, runs.processId))) return;
  const told = await readLog(runs, row.id);
  const { sessionId, requestId, id: runId, messageId } = row;
  let seq = (told.at(-1)?.seq ?? 0) + seqGap;
  const frames: string[] = [];
  const say = (event: string, data: JsonObject) => {
    const frame = { seq: seq++, event, data: JSON.stringify(data) };
    told.push(frame);
    frames.push(encodeFrame(frame.seq, event, frame.data));
  };
  const firstSeq = seq;
  const { text, reasoning, calls, reasoningOpen, parts } = rebuild(told);
  say("run", { runId, requestId, sessionId, resumed: true, attempt: 1, partialLength: text.length });
  for (const call of calls.filter(({ status }) => status === "isRunning")) {
    Object.assign(call, { status: "error", output: "The server stopped before the call ended." });
    const { id, name: toolName, args, status, output } = call;
    say("tool_call", { sessionId, requestId, toolCallId: id, toolName, args, status, eventId: id, output });
  }
  const timestamp = now.toISOString();
  if (reasoningOpen) say("reasoning", { sessionId, requestId, reasoning: "", isComplete: true, timestamp });
  const tally = new FrameTally();
  for (const { data } of told) tally.add(data);
  const done = { runId, messageId, status: "interrupted", count: tally.count, digest: tally.digest() };
  const doneFrame = encodeFrame(seq, "done", JSON.stringify(done));
  const block = { firstSeq, lastSeq: seq, frames: frames.join("") + doneFrame };
  const kept = {
    content: storableText(text),
    toolCalls: storable(calls),
    parts: parts.kept,
    history: null,
    usage: {},
    title: null,
    at: now,
  };
  const words = reasoning === "" ? null : storableText(reasoning);
  await endRun(runs.db, { run: row, status: "interrupted", block, doneFrame, ...kept, reasoning: words });
}

async function readLog(runs: Runs, runId: string): Promise<ReadFrame[]> {
  const all: ReadFrame[] = [];
  for (let after = 0; ; ) {
    const blocks = await runs.store.framesAfter(runId, after);
    const last = blocks.at(-1);
    if (last === undefined) return all;
    for (const { frames } of blocks) all.push(...readFrames(frames));
    after = last.lastSeq;
  }
}

function rebuild(frames: ReadFrame[]) {
  const calls = new Map<string, StoredCall>();
  // Components that no call asked for went over the socket alone, and are not known any more.
  const parts = new PartLog();
  let [text, reasoning, reasoningOpen] = ["", "", false];
  for (const { event, data } of frames) {
    if (event === "message") {
      const { content } = JSON.parse(data) as { content: string };
      parts.say(content);
      text += content;
    } else if (event === "reasoning") {
      const told = JSON.parse(data) as { reasoning: string; isComplete: boolean };
      if (told.reasoning !== thinking) {
        parts.think(told.reasoning);
        reasoning += told.reasoning;
      }
      reasoningOpen = !told.isComplete;
    } else if (event === "tool_call" || event === "action_call") {
      const told = JSON.parse(data) as Omit<StoredCall, "name" | "id"> & { toolName: string; toolCallId: string };
      const { toolName: name, toolCallId: id, args, status, output } = told;
      parts.call(id);
      calls.set(id, { name, id, args, status, ...(output === undefined ? {} : { output }) });
    }
  }
  return { text, reasoning, reasoningOpen, parts, calls: [...calls.values()] };
}

/** What `reasoning` says first, before the model has reasoned. */
export const thinking = "Thinking…";
