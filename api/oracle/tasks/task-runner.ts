import { AppError } from "../../platform/errors.ts";
import type { Worker, Workers } from "../../platform/workers/index.ts";
import type { TaskRow } from "./tables.ts";
import type { TaskStore } from "./task-store.ts";

/** Starts a turn in a session with the user's message. @throws AppError when it is refused */
export type StartTaskTurn = (turn: {
  user: string;
  sessionId: string;
  message: string;
  timezone: string;
}) => Promise<{ runId: string }>;

const pollMs = 5_000;
/** How many due tasks are started per poll. */
const batchSize = 20;

export type TaskRunnerDeps = { tasks: TaskStore; startTurn: StartTaskTurn; workers: Workers };

/** Starts the turns of due tasks. Of several processes, the first one claims a task. */
export class TaskRunner {
  readonly #deps: TaskRunnerDeps;
  readonly #starting: Worker;

  constructor(deps: TaskRunnerDeps) {
    this.#deps = deps;
    const run = ({ now }: { now: Date }) => this.#startDue(now);
    this.#starting = deps.workers.add({ name: "oracle-tasks", everyMs: pollMs, firstAfterMs: pollMs, run });
  }

  /** Poll for due tasks from now on. */
  start(): void {
    this.#starting.start();
  }

  async close(): Promise<void> {
    await this.#starting.close();
  }

  /** Start what is due. A task moves to its next time before its turn starts: after a crash a turn is missed, never repeated. */
  async runDue(): Promise<void> {
    await this.#starting.runNow();
  }

  async #startDue(now: Date): Promise<void> {
    const { tasks } = this.#deps;
    for (const task of await tasks.due(now, batchSize)) {
      if (await tasks.claim(task, now)) await this.#run(task);
    }
  }

  async #run({ id, userDid: user, sessionId, message, timezone }: TaskRow): Promise<void> {
    const { tasks, startTurn } = this.#deps;
    try {
      const { runId } = await startTurn({ user, sessionId, message, timezone });
      await tasks.record(id, { lastRunId: runId, problem: null });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // A task whose session was deleted cannot run again.
      const ended = error.code === "NOT_FOUND" ? { nextAt: null } : {};
      await tasks.record(id, { problem: error.message, ...ended });
    }
  }
}
