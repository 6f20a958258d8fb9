import type { SQL } from "drizzle-orm";
import type { Database } from "../../platform/db/index.ts";
import { encodeFrame, FrameTally, type ReadFrame, readFrames, thinking } from "../wire/frames.ts";
import { MessagePartLog } from "../wire/message-parts.ts";
import { storable, storableText } from "../wire/storable.ts";
import type { JsonObject, StoredCall } from "../wire/turn.ts";
import { finishRun } from "./finish-run.ts";
import type { RunOutcome, RunStore } from "./run-store.ts";
import type { RunRow } from "./tables.ts";

/** A client may have seen frames that the log never received. Numbers after the gap are higher than all of them. */
const seqGap = 1_000_000;

export type RecoverRunDeps = {
  db: Database;
  store: RunStore;
  processId: string;
  releaseCharge: (status: RunOutcome) => SQL;
};

/** End a run whose process died. The text that the log has becomes the answer. */
export async function recoverRun(deps: RecoverRunDeps, row: RunRow, now: Date): Promise<void> {
  const { db, store, processId, releaseCharge } = deps;
  if (!(await store.adopt(row, processId))) return;
  const sent = await readLog(store, row.id);
  const { sessionId, requestId, id: runId, messageId } = row;
  let seq = (sent.at(-1)?.seq ?? 0) + seqGap;
  const frames: string[] = [];
  const addFrame = (event: string, data: JsonObject) => {
    const frame = { seq: seq++, event, data: JSON.stringify(data) };
    sent.push(frame);
    frames.push(encodeFrame(frame.seq, event, frame.data));
  };
  const firstSeq = seq;
  const { text, reasoning, calls, reasoningOpen, parts } = rebuild(sent);
  addFrame("run", { runId, requestId, sessionId, resumed: true, attempt: 1, partialLength: text.length });
  for (const call of calls.filter(({ status }) => status === "isRunning")) {
    Object.assign(call, { status: "error", output: "The server stopped before the call ended." });
    const { id, name: toolName, args, status, output } = call;
    addFrame("tool_call", { sessionId, requestId, toolCallId: id, toolName, args, status, eventId: id, output });
  }
  const timestamp = now.toISOString();
  if (reasoningOpen) addFrame("reasoning", { sessionId, requestId, reasoning: "", isComplete: true, timestamp });
  const tally = new FrameTally();
  for (const { data } of sent) tally.add(data);
  const done = { runId, messageId, status: "interrupted", count: tally.count, digest: tally.digest() };
  const doneFrame = encodeFrame(seq, "done", JSON.stringify(done));
  const block = { firstSeq, lastSeq: seq, frames: frames.join("") + doneFrame };
  const end = {
    run: row,
    status: "interrupted" as const,
    block,
    doneFrame,
    content: storableText(text),
    toolCalls: storable(calls),
    reasoning: reasoning === "" ? null : storableText(reasoning),
    parts: parts.stored,
    history: null,
    usage: {},
    title: null,
    at: now,
  };
  await finishRun(db, end, releaseCharge("interrupted"));
}

async function readLog(store: RunStore, runId: string): Promise<ReadFrame[]> {
  const all: ReadFrame[] = [];
  for (let after = 0; ; ) {
    const blocks = await store.framesAfter(runId, after);
    const last = blocks.at(-1);
    if (last === undefined) return all;
    for (const { frames } of blocks) all.push(...readFrames(frames));
    after = last.lastSeq;
  }
}

function rebuild(frames: ReadFrame[]) {
  const calls = new Map<string, StoredCall>();
  // Components without a call were sent over the socket alone: the log does not have them.
  const parts = new MessagePartLog();
  let [text, reasoning, reasoningOpen] = ["", "", false];
  for (const { event, data } of frames) {
    if (event === "message") {
      const { content } = JSON.parse(data) as { content: string };
      parts.addText(content);
      text += content;
    } else if (event === "reasoning") {
      const sent = JSON.parse(data) as { reasoning: string; isComplete: boolean };
      if (sent.reasoning !== thinking) {
        parts.addReasoning(sent.reasoning);
        reasoning += sent.reasoning;
      }
      reasoningOpen = !sent.isComplete;
    } else if (event === "tool_call" || event === "action_call") {
      const sent = JSON.parse(data) as Omit<StoredCall, "name" | "id"> & { toolName: string; toolCallId: string };
      const { toolName: name, toolCallId: id, args, status, output } = sent;
      parts.addCall(id);
      calls.set(id, { name, id, args, status, ...(output === undefined ? {} : { output }) });
    }
  }
  return { text, reasoning, reasoningOpen, parts, calls: [...calls.values()] };
}
