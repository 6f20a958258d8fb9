import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { SQL } from "drizzle-orm";
import pRetry from "p-retry";
import type { Database } from "../../platform/db/index.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import { newId } from "../../platform/new-id.ts";
import type { Workers } from "../../platform/workers/index.ts";
import { sessionNotFound } from "../sessions/sessions.ts";
import { titleOf } from "../sessions/title.ts";
import type { AbortReason, Bus } from "../wire/bus.ts";
import type { FramePage, FrameSink } from "../wire/event-stream.ts";
import { framesAfter } from "../wire/frames.ts";
import { storable, storableText } from "../wire/storable.ts";
import type { Attachment, ClientTool, TurnContext, TurnResult } from "../wire/turn.ts";
import type { Admission } from "./admission.ts";
import { DuplicateMessageError } from "./duplicate-message.ts";
import { finishRun } from "./finish-run.ts";
import { FrameScheduler } from "./frame-scheduler.ts";
import { FrameWriter } from "./frame-writer.ts";
import { LiveRun, type RunListener, RunTooLongError } from "./live-run.ts";
import { startRunMaintenance } from "./maintenance.ts";
import { createRunStore, type RunOutcome, type RunStore } from "./run-store.ts";
import { runTurn, type TurnEnd } from "./run-turn.ts";
import { insertRun, type StartedRun } from "./start-run.ts";
import type { RunRow } from "./tables.ts";

/** How long the stream stays open after an abort, in milliseconds: clients want the abort's response 250 ms before its end. */
const abortHoldMs = 400;
/** How long a new message waits for the session's earlier turn to end, in milliseconds. */
const supersedeMs = 20_000;
const pollMs = 100;
/** How many earlier turns are read for the agent, which has its own limit. */
const turnsRemembered = 50;

export type StartRun = {
  user: string;
  sessionId: string;
  requestId: string;
  message: string;
  attachments: Attachment[];
  clientTools: ClientTool[];
  /** The id that the client gave the message. A second message with the same id starts no turn. */
  retryId?: string | null;
  /** Undefined if the turn costs nothing. */
  admission?: Admission | undefined;
  /** Runs the turn with what was read when it was stored. */
  turn: (parts: TurnParts) => Promise<TurnResult>;
};

/** What the runs give to a turn. */
export type TurnParts = Pick<TurnContext, "runId" | "signal" | "emit"> & { run: LiveRun; started: StartedRun };

export type RunsDeps = {
  db: Database;
  /** True when this is the only process on the database. */
  exclusive: boolean;
  clock: { now: () => Date };
  log: Log;
  workers: Workers;
  bus: Bus;
  /** Sends an event to the session's sockets. */
  emitToSession: (sessionId: string, eventName: string, payload: object) => void;
  /** Tells the session's other tabs of a turn that they may join. */
  announce: (run: { sessionId: string; requestId: string; runId: string }) => void;
  /** SQL that takes back the charge of a turn that ended with this status; see `releaseCharge` in payments. */
  releaseCharge: (status: RunOutcome) => SQL;
};

/** What a client needs to rejoin a run. */
export type RunKey = { id: string; requestId: string; messageId: string };

type OpenRun = { run: LiveRun; ended: Promise<RunOutcome>; holdUntil: number };

/** The turns of all sessions: starts them, stores what they produce, ends them, and lets clients rejoin them. */
export class Runs {
  readonly processId = randomUUID();
  readonly store: RunStore;
  readonly #deps: RunsDeps;
  readonly #writer: FrameWriter;
  readonly #scheduler = new FrameScheduler();
  readonly #open = new Map<string, OpenRun>();
  readonly #bySession = new Map<string, OpenRun>();
  readonly #maintenance: ReturnType<typeof startRunMaintenance>;

  constructor(deps: RunsDeps) {
    this.#deps = deps;
    this.store = createRunStore(deps.db);
    this.#writer = new FrameWriter(deps.db, deps.log);
    deps.bus.on("abort", ({ runId, reason }) => this.#abortLocal(runId, reason));
    const { processId, store } = this;
    this.#maintenance = startRunMaintenance({
      ...deps,
      processId,
      store,
      applyAbortRequests: () => this.#applyAbortRequests(),
    });
  }

  /**
   * Start a turn. First ends the session's earlier turn, whose messages are stored before this one's.
   * @throws AppError NOT_FOUND for a session that is not the user's, CONFLICT when the earlier turn does not end
   */
  async start(options: StartRun): Promise<{ run: LiveRun; ended: Promise<RunOutcome> }> {
    const { sessionId, user, requestId, turn } = options;
    const { announce, emitToSession, log } = this.#deps;
    const now = this.#deps.clock.now();
    const frontend = options.clientTools.filter(({ kind }) => kind === "frontend").map(({ name }) => name);
    const ids = { id: newId(now), messageId: newId(now) };
    const facts = { ...ids, sessionId, user, requestId, frontendTools: new Set(frontend) };
    const listener: RunListener = (eventName, payload) => emitToSession(sessionId, eventName, payload);
    const run = new LiveRun(facts, { scheduler: this.#scheduler, writer: this.#writer, listener });
    const earlier = this.#bySession.get(sessionId)?.run.facts;
    if (earlier?.user === user) {
      // The caller has looked for this message's turn already, so one that runs now was started since. #insert checks again.
      if (earlier.requestId === options.retryId) throw new DuplicateMessageError(earlier.id);
      await this.#supersede(sessionId);
    }
    const started = await this.#insert(run, options, now);
    run.open();
    run.release();
    const open: OpenRun = { run, holdUntil: 0, ended: Promise.resolve("failed") };
    const { signal } = run.abort;
    const parts: TurnParts = { run, started, runId: facts.id, signal, emit: (event) => run.emit(event) };
    open.ended = runTurn(run, () => turn(parts), log).then((end) => this.#end(open, options, end));
    this.#open.set(facts.id, open);
    this.#bySession.set(sessionId, open);
    // After the first frames: the tab that sent the message comes first.
    setImmediate(() => announce({ sessionId, requestId, runId: facts.id }));
    return { run, ended: open.ended };
  }

  /** Find the turn that an earlier message with this request id started: a client that lost the response sends it again. */
  async findByRequest(request: Pick<StartRun, "user" | "sessionId" | "requestId">): Promise<RunKey | undefined> {
    const { user, sessionId, requestId } = request;
    const local = this.#bySession.get(sessionId)?.run.facts;
    if (local?.user === user && local.requestId === requestId) return local;
    return await this.store.byRequest(user, sessionId, requestId);
  }

  /** Wait until the run has ended, at whichever process. */
  async whenEnded(runId: string): Promise<void> {
    await this.#open.get(runId)?.ended;
    while (((await this.store.find(runId))?.endedAt ?? null) === null) await sleep(pollMs);
  }

  /** A second copy of a message must neither end the first one's turn nor start another. */
  async #refuseDuplicate({ user, sessionId, retryId }: StartRun): Promise<void> {
    if (!retryId) return;
    const earlier = await this.findByRequest({ user, sessionId, requestId: retryId });
    if (earlier !== undefined) throw new DuplicateMessageError(earlier.id);
  }

  async #insert({ facts }: LiveRun, options: StartRun, at: Date): Promise<StartedRun> {
    const { db } = this.#deps;
    const { message, attachments, admission, retryId = null } = options;
    const { processId } = this;
    const row = { ...facts, retryId, processId, humanId: newId(at), message, attachments, at, turns: turnsRemembered };
    const insert = async () =>
      admission === undefined ? await insertRun(db, row) : await admission.start(facts.id, (tx) => insertRun(tx, row));
    const first = await insert();
    if (first === "taken") {
      await this.#refuseDuplicate(options);
      await this.#supersede(facts.sessionId, true);
    }
    const started = first === "taken" ? await insert() : first;
    if (started === undefined) throw sessionNotFound();
    if (started === "taken") throw new AppError("CONFLICT", "The session's earlier turn is still ending. Try again.");
    return started;
  }

  async #supersede(sessionId: string, everywhere = false): Promise<void> {
    const local = this.#bySession.get(sessionId);
    if (local !== undefined) {
      local.run.abort.abort("superseded" satisfies AbortReason);
      await local.ended;
    }
    if (!everywhere) return;
    const deadline = Date.now() + supersedeMs;
    for (;;) {
      const row = await this.store.requestAbort(sessionId, "superseded");
      if (row === undefined) return;
      this.#deps.bus.publish("abort", { runId: row.id, reason: "superseded" });
      if (Date.now() > deadline) return;
      await sleep(pollMs);
    }
  }

  async #end(open: OpenRun, { message, admission }: StartRun, { status, result }: TurnEnd): Promise<RunOutcome> {
    const { run } = open;
    const { id, sessionId } = run.facts;
    const { db, log, clock, emitToSession, releaseCharge } = this.#deps;
    if (run.abort.signal.reason instanceof RunTooLongError) {
      run.emit({ type: "error", message: "The answer is longer than a turn may be.", kind: "TOO_LARGE" });
    }
    run.close();
    // Frames that are not in the log yet are stored with the run's end. Frames being written now must come before it.
    this.#writer.sources.delete(run);
    await this.#writer.settle();
    const { block, doneFrame } = run.seal(status);
    const { messages, usage = {} } = result;
    const end = {
      run: run.facts,
      status,
      block,
      doneFrame,
      usage,
      title: titleOf(message),
      at: clock.now(),
      content: storableText(run.text),
      toolCalls: storable(run.toolCalls),
      reasoning: run.reasoning === null ? null : storableText(run.reasoning),
      parts: run.parts.stored,
      history: messages === undefined ? null : storable(messages),
    };
    await pRetry(() => finishRun(db, end, releaseCharge(status)), { retries: 2, minTimeout: 200 }).catch(
      (error: unknown) => {
        // The run stays open in the database; the next start of a process ends it as interrupted.
        log.error({ err: error, runId: id }, "the end of a turn could not be stored");
      },
    );
    admission?.onEnd();
    while (Date.now() < open.holdUntil && run.sinks.size > 0) await sleep(25);
    run.finish(doneFrame);
    this.#open.delete(id);
    if (this.#bySession.get(sessionId) === open) this.#bySession.delete(sessionId);
    emitToSession(sessionId, "message_cache_invalidation", { sessionId: "", requestId: "" });
    return status;
  }

  /** Ask the session's turn to end, at whichever process. True when there is one; it ends after this resolves. */
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

  /** End the session's turn, at whichever process, and wait until its messages are stored. */
  async abortAndWait(sessionId: string): Promise<void> {
    await this.#supersede(sessionId, true);
  }

  #abortLocal(runId: string, reason: AbortReason): void {
    const open = this.#open.get(runId);
    if (open !== undefined) this.#abortOpen(open, reason);
  }

  #abortOpen(open: OpenRun, reason: AbortReason): void {
    if (open.run.abort.signal.aborted) return;
    // The request that asked for it is answered first.
    setImmediate(() => {
      if (reason === "aborted") open.holdUntil = Date.now() + abortHoldMs;
      open.run.abort.abort(reason);
    });
  }

  /** Apply abort requests that other processes stored, in case their message on the bus was lost. */
  async #applyAbortRequests(): Promise<void> {
    for (const { id, abortRequested } of await this.store.abortRequested(this.processId)) {
      this.#abortLocal(id, abortRequested === "superseded" ? "superseded" : "aborted");
    }
  }

  /** Resolves when the runs that earlier processes left open are ended. */
  get ready(): Promise<void> {
    return this.#maintenance.ready;
  }

  /** The run, if this process runs it. */
  live(runId: string): LiveRun | undefined {
    return this.#open.get(runId)?.run;
  }

  /** The session's turn that clients can join. */
  async current(sessionId: string): Promise<{ runId: string; status: string } | null> {
    const local = this.#bySession.get(sessionId);
    if (local !== undefined) return { runId: local.run.facts.id, status: "running" };
    const row = await this.store.openOf(sessionId);
    return row === undefined ? null : { runId: row.id, status: row.status };
  }

  /**
   * Read a run's frames after a number, from memory or the log. Waits while there are none and the run is at another process.
   * @param listener receives what follows if the run is at this process. A closed one stops the wait
   */
  async framesAfter(runId: string, after: number, listener: FrameSink & { isOpen: boolean }): Promise<FramePage> {
    while (listener.isOpen) {
      const live = this.live(runId);
      // Each time, because a run is in the database before it is here: a message that is sent twice may find it there.
      live?.sinks.add(listener);
      const recent = live?.recentAfter(after);
      if (recent !== undefined) return { frames: recent, lastSeq: live?.lastSeq ?? after, ended: false };
      // Read before the frames: if the run has ended by now, all of its frames are in the log.
      const row = this.live(runId) === undefined ? await this.store.find(runId) : undefined;
      if (this.live(runId) !== undefined) await this.#writer.write();
      const blocks = await this.store.framesAfter(runId, after);
      const last = blocks.at(-1);
      const frames = blocks.map((block) => framesAfter(block, after)).join("");
      if (last !== undefined && frames !== "") {
        // The run may have ended while its frames were read: they then hold its last frame, which is sent once.
        const now = row?.endedAt === null ? await this.store.find(runId) : row;
        return { frames, lastSeq: last.lastSeq, ended: now?.endedAt != null && last.lastSeq >= now.lastSeq };
      }
      if (this.live(runId) !== undefined) continue;
      if (row === undefined) return { frames: "", lastSeq: after, ended: true };
      // The client has more than the log, or the log was trimmed: send the last frame again.
      if (row.endedAt !== null) return { frames: row.doneFrame ?? "", lastSeq: row.lastSeq, ended: true };
      await sleep(pollMs);
    }
    return { frames: "", lastSeq: after, ended: true };
  }

  async findRow(runId: string): Promise<RunRow | undefined> {
    return await this.store.find(runId);
  }

  /** End all turns of this process as interrupted, and keep their text so far. */
  async stop(): Promise<void> {
    const open = [...this.#open.values()];
    for (const { run } of open) run.abort.abort("interrupted" satisfies AbortReason);
    await Promise.allSettled(open.map(({ ended }) => ended));
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#maintenance.close();
    await this.#writer.write();
    this.#scheduler.close();
  }
}
