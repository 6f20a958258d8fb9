import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Database } from "../../platform/db/client.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import { newId } from "../../platform/new-id.ts";
import type { Admission } from "../payments/admission.ts";
import { sessionNotFound } from "../sessions/sessions.ts";
import type { RunRow } from "../tables.ts";
import type { Bus } from "../wire/bus.ts";
import { framesAfter } from "../wire/frames.ts";
import { storable, storableText, titleOf } from "../wire/storable.ts";
import type { Attachment, ClientTool, TurnContext, TurnResult } from "../wire/turn.ts";
import { MessageTakenError } from "./duplicate-message.ts";
import { endRun } from "./finish-run.ts";
import { FrameClock } from "./frame-scheduler.ts";
import { FrameWriter } from "./frame-writer.ts";
import { LiveRun, type RunListener, RunTooLongError } from "./live-run.ts";
import { startUpkeep } from "./recover-run.ts";
import { createRunStore, type RunOutcome, type RunStore } from "./run-store.ts";
import { type Begun, beginRun } from "./start-run.ts";

/** How long the stream outlives an abort, in milliseconds: clients want the answer to it at least 250 ms before. */
const abortHoldMs = 400;
/** How long a turn may take to end once it was asked to, in milliseconds. */
const endingMs = 2_000;
/** How long a new message waits for the session's earlier turn to end, in milliseconds. */
const supersedeMs = 20_000;
const pollMs = 100;

export type AbortReason = "aborted" | "superseded" | "interrupted";

export type StartRun = {
  user: string;
  sessionId: string;
  requestId: string;
  message: string;
  attachments: Attachment[];
  clientTools: ClientTool[];
  /** The id that the user gave the message itself; a second message with it begins no turn. */
  retryId?: string | null;
  /** Keeps what is owed for the turn together with its beginning; undefined when nothing is. */
  admission?: Admission | undefined;
  /** Run the turn; what it needs of the run is handed in. */
  turn: (parts: Pick<TurnContext, "runId" | "signal" | "emit"> & { run: LiveRun; begun: Begun }) => Promise<TurnResult>;
};

/** Frames after a number, and whether nothing will follow them. */
export type CaughtUp = { frames: string; lastSeq: number; ended: boolean };

export type RunsDeps = { db: Database; exclusive: boolean; clock: { now: () => Date }; log: Log; bus: Bus };

/** What a client needs to come back to a run. */
export type RunKey = { id: string; requestId: string; messageId: string };

type Open = { run: LiveRun; ended: Promise<RunOutcome>; holdUntil: number };

/** How many earlier turns a turn is given; the agent has a budget of its own. */
const turnsRemembered = 50;

/** Turns of all sessions: begins them, keeps what they say, ends them, and lets clients come back to them. */
export class Runs {
  readonly processId = randomUUID();
  readonly db: Database;
  readonly store: RunStore;
  readonly writer: FrameWriter;
  readonly #deps: RunsDeps;
  readonly #clock = new FrameClock();
  readonly #open = new Map<string, Open>();
  readonly #bySession = new Map<string, Open>();
  readonly #upkeep: ReturnType<typeof startUpkeep>;
  /** Set by who owns the sockets. */
  tellSockets: (sessionId: string, eventName: string, payload: object) => void = () => {};
  /** Likewise: tells the session's other tabs of a turn that they may join. */
  announce: (run: { sessionId: string; requestId: string; runId: string }) => void = () => {};

  constructor(deps: RunsDeps) {
    this.#deps = deps;
    this.db = deps.db;
    this.store = createRunStore(deps.db);
    this.writer = new FrameWriter(deps.db, deps.log);
    deps.bus.on("abort", ({ runId, reason }) => this.#abortLocal(runId, reason));
    this.#upkeep = startUpkeep({ ...deps, runs: this });
  }

  /**
   * Begin a turn. An earlier one of the session is ended first and its messages are kept before this one's.
   * @throws AppError NOT_FOUND for a session that is not the user's, CONFLICT when the earlier turn would not end
   */
  async start(options: StartRun): Promise<{ run: LiveRun; ended: Promise<RunOutcome> }> {
    const { sessionId, user, requestId } = options;
    const now = this.#deps.clock.now();
    const frontend = options.clientTools.filter(({ kind }) => kind === "frontend").map(({ name }) => name);
    const ids = { id: newId(now), messageId: newId(now) };
    const facts = { ...ids, sessionId, user, requestId, frontendTools: new Set(frontend) };
    const listener: RunListener = (eventName, payload) => this.tellSockets(sessionId, eventName, payload);
    const run = new LiveRun(facts, { clock: this.#clock, writer: this.writer, listener });
    const before = this.#bySession.get(sessionId)?.run.facts;
    if (before?.user === user) {
      // Whoever sends a message anew has looked for its turn; what began since is this one, or is found taken below.
      if (before.requestId === options.retryId) throw new MessageTakenError(before.id);
      await this.#supersede(sessionId);
    }
    const begun = await this.#begin(run, options, now);
    run.open();
    run.release();
    const open: Open = { run, holdUntil: 0, ended: Promise.resolve("failed") };
    open.ended = this.#runTurn(run, options, begun).then((end) => this.#end(open, options, end));
    this.#open.set(facts.id, open);
    this.#bySession.set(sessionId, open);
    // After the first frames: who asked comes first.
    setImmediate(() => this.announce({ sessionId, requestId, runId: facts.id }));
    return { run, ended: open.ended };
  }

  /** The turn that the user's earlier message with this request id began: a client that lost the answer sends it again. */
  async begunBy(request: Pick<StartRun, "user" | "sessionId" | "requestId">): Promise<RunKey | undefined> {
    const { user, sessionId, requestId } = request;
    const local = this.#bySession.get(sessionId)?.run.facts;
    if (local?.user === user && local.requestId === requestId) return local;
    return await this.store.byRequest(user, sessionId, requestId);
  }

  /** Resolves when the run has ended, wherever it runs. */
  async whenEnded(runId: string): Promise<void> {
    await this.#open.get(runId)?.ended;
    while (((await this.store.find(runId))?.endedAt ?? null) === null) await sleep(pollMs);
  }

  /** A copy of a message that has its turn must neither end that nor begin another. */
  async #refuseCopy({ user, sessionId, retryId }: StartRun): Promise<void> {
    if (!retryId) return;
    const earlier = await this.begunBy({ user, sessionId, requestId: retryId });
    if (earlier !== undefined) throw new MessageTakenError(earlier.id);
  }

  async #begin({ facts }: LiveRun, options: StartRun, at: Date): Promise<Begun> {
    const { message, attachments, admission, retryId = null } = options;
    const { processId } = this;
    const row = { ...facts, retryId, processId, humanId: newId(at), message, attachments, at, turns: turnsRemembered };
    const begin = async () =>
      admission === undefined
        ? await beginRun(this.db, row)
        : await admission.begin(facts.id, (tx) => beginRun(tx, row));
    const first = await begin();
    if (first === "taken") {
      await this.#refuseCopy(options);
      await this.#supersede(facts.sessionId, true);
    }
    const begun = first === "taken" ? await begin() : first;
    if (begun === undefined) throw sessionNotFound();
    if (begun === "taken") throw new AppError("CONFLICT", "The session's earlier turn is still ending. Try again.");
    return begun;
  }

  async #supersede(sessionId: string, askDatabase = false): Promise<void> {
    const local = this.#bySession.get(sessionId);
    if (local !== undefined) {
      local.run.abort.abort("superseded" satisfies AbortReason);
      await local.ended;
    }
    if (!askDatabase) return;
    const deadline = Date.now() + supersedeMs;
    for (;;) {
      const row = await this.store.requestAbort(sessionId, "superseded");
      if (row === undefined) return;
      this.#deps.bus.publish("abort", { runId: row.id, reason: "superseded" });
      if (Date.now() > deadline) return;
      await sleep(pollMs);
    }
  }

  async #runTurn(run: LiveRun, { turn }: StartRun, begun: Begun): Promise<{ status: RunOutcome; result: TurnResult }> {
    const { signal } = run.abort;
    const aborted = new Promise<"aborted">((resolve) => {
      signal.addEventListener("abort", () => setTimeout(resolve, endingMs, "aborted").unref(), { once: true });
    });
    try {
      const turning = turn({ run, begun, runId: run.facts.id, signal, emit: (event) => run.emit(event) });
      const result = await Promise.race([turning, aborted]);
      if (result === "aborted" || signal.aborted) return { status: outcomeOf(signal), result: {} };
      return { status: "finished", result };
    } catch (error) {
      if (signal.aborted) return { status: outcomeOf(signal), result: {} };
      const { requestId } = run.facts;
      this.#deps.log.error({ err: error, requestId, runId: run.facts.id }, "a turn failed");
      // What is wrong with others is said; what is wrong with us stays in the log.
      const told = error instanceof AppError && error.code !== "INTERNAL" ? error.message : failedSentence;
      run.emit({
        type: "error",
        message: told,
        kind: error instanceof AppError ? error.code : "INTERNAL",
        retryable: true,
      });
      return { status: "failed", result: {} };
    }
  }

  async #end(
    open: Open,
    { message, admission }: StartRun,
    end: { status: RunOutcome; result: TurnResult },
  ): Promise<RunOutcome> {
    const { run } = open;
    const { id, sessionId } = run.facts;
    const { log, clock } = this.#deps;
    if (run.abort.signal.reason instanceof RunTooLongError) {
      run.emit({ type: "error", message: "The answer is longer than a turn may be.", kind: "TOO_LARGE" });
    }
    run.close();
    // What the log does not have yet goes with the end; what is on its way there must not come after it.
    this.writer.sources.delete(run);
    await this.writer.settle();
    const { block, doneFrame } = run.sealWith(end.status);
    const { messages, usage = {} } = end.result;
    const kept = {
      ...{ run: run.facts, status: end.status, block, doneFrame, usage, title: titleOf(message), at: clock.now() },
      ...{ content: storableText(run.text), toolCalls: storable(run.toolCalls) },
      reasoning: run.reasoning === null ? null : storableText(run.reasoning),
      parts: run.parts.kept,
      history: messages === undefined ? null : storable(messages),
    };
    await this.#keepTrying(() => endRun(this.db, kept)).catch((error: unknown) => {
      // The run stays open in the database and is ended as interrupted by the next start.
      log.error({ err: error, runId: id }, "the end of a turn could not be kept");
    });
    admission?.ended();
    while (Date.now() < open.holdUntil && run.sinks.size > 0) await sleep(25);
    run.finish(doneFrame);
    this.#open.delete(id);
    if (this.#bySession.get(sessionId) === open) this.#bySession.delete(sessionId);
    this.tellSockets(sessionId, "message_cache_invalidation", { sessionId: "", requestId: "" });
    return end.status;
  }

  async #keepTrying(work: () => Promise<unknown>): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        await work();
        return;
      } catch (error) {
        if (attempt === 3) throw error;
        await sleep(attempt * 200);
      }
    }
  }

  /** End the session's turn, wherever it runs: true when there is one. The end itself comes later. */
  async abort(sessionId: string): Promise<boolean> {
    const local = this.#bySession.get(sessionId);
    if (local !== undefined) {
      this.#abortOpen(local, "aborted");
      return true;
    }
    if (this.#deps.exclusive) return false;
    const row = await this.store.requestAbort(sessionId, "aborted");
    if (row !== undefined) this.#deps.bus.publish("abort", { runId: row.id, reason: "aborted" });
    return row !== undefined;
  }

  /** End the session's turn, wherever it runs, and wait until its messages are kept. */
  async abortAndWait(sessionId: string): Promise<void> {
    await this.#supersede(sessionId, true);
  }

  #abortLocal(runId: string, reason: AbortReason): void {
    const open = this.#open.get(runId);
    if (open !== undefined) this.#abortOpen(open, reason);
  }

  #abortOpen(open: Open, reason: AbortReason): void {
    if (open.run.abort.signal.aborted) return;
    // After the answer to whoever asked.
    setImmediate(() => {
      if (reason === "aborted") open.holdUntil = Date.now() + abortHoldMs;
      open.run.abort.abort(reason);
    });
  }

  /** What other processes asked of this one's runs, where their word was lost. */
  async heedRequests(): Promise<void> {
    for (const { id, abortRequested } of await this.store.abortRequested(this.processId)) {
      this.#abortLocal(id, abortRequested === "superseded" ? "superseded" : "aborted");
    }
  }

  /** Resolves when what earlier processes left is ended. */
  get ready(): Promise<void> {
    return this.#upkeep.ready;
  }

  live(runId: string): LiveRun | undefined {
    return this.#open.get(runId)?.run;
  }

  /** The session's turn that can be joined. */
  async current(sessionId: string): Promise<{ runId: string; status: string } | null> {
    const local = this.#bySession.get(sessionId);
    if (local !== undefined) return { runId: local.run.facts.id, status: "running" };
    const row = await this.store.openOf(sessionId);
    return row === undefined ? null : { runId: row.id, status: row.status };
  }

  /** Frames of a run after a number, from memory or the log. Waits a moment for what another process will say. */
  async framesAfter(runId: string, after: number, isWanted: () => boolean): Promise<CaughtUp> {
    while (isWanted()) {
      const recent = this.live(runId)?.recentAfter(after);
      if (recent !== undefined) return { frames: recent, lastSeq: this.live(runId)?.lastSeq ?? after, ended: false };
      // Asked before the frames: a run that ended in between has all of them in the log.
      const row = this.live(runId) === undefined ? await this.store.find(runId) : undefined;
      if (this.live(runId) !== undefined) await this.writer.write();
      const blocks = await this.store.framesAfter(runId, after);
      const last = blocks.at(-1);
      const frames = blocks.map((block) => framesAfter(block, after)).join("");
      if (last !== undefined && frames !== "") {
        return { frames, lastSeq: last.lastSeq, ended: row?.endedAt != null && last.lastSeq >= row.lastSeq };
      }
      if (this.live(runId) !== undefined) continue;
      if (row === undefined) return { frames: "", lastSeq: after, ended: true };
      // Whoever asks has more than the log, or the log has been forgotten: the end is told again.
      if (row.endedAt !== null) return { frames: row.doneFrame ?? "", lastSeq: row.lastSeq, ended: true };
      await sleep(pollMs);
    }
    return { frames: "", lastSeq: after, ended: true };
  }

  async findRow(runId: string): Promise<RunRow | undefined> {
    return await this.store.find(runId);
  }

  /** End all turns of this process as interrupted, with what they said so far. */
  async stop(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { run } of open) run.abort.abort("interrupted" satisfies AbortReason);
    await Promise.allSettled(open.map(({ ended }) => ended));
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#upkeep.stop();
    await this.writer.write();
    this.#clock.close();
  }
}

const failedSentence = "Something went wrong on our side. It has been recorded.";

function outcomeOf(signal: AbortSignal): RunOutcome {
  if (signal.reason instanceof RunTooLongError) return "failed";
  return signal.reason === "interrupted" ? "interrupted" : "aborted";
}
