import { and, asc, count, eq, isNotNull, lte } from "drizzle-orm";
import { ulid } from "ulid";
import type { Database } from "../../platform/db/client.ts";
import { AppError } from "../../platform/errors.ts";
import type { Log } from "../../platform/log.ts";
import { checkSchedule, nextTime } from "./schedule.ts";
import { oracleTasks, type TaskRow } from "./tables.ts";

/** Begins a turn in a session with the user's words. @throws AppError where it cannot */
export type BeginTurn = (turn: {
  user: string;
  sessionId: string;
  message: string;
  timezone: string;
}) => Promise<{ runId: string }>;

export type NewTask = { user: string; sessionId: string; message: string; schedule: string; timezone: string };

const pollMs = 5_000;
const maxTasks = 50;
/** So many due tasks are begun at a time. */
const atOnce = 20;

/** Tasks of all users: keeps them, and begins their turns when they are due, in whichever process is first. */
export class Tasks {
  readonly #db: Database;
  readonly #clock: { now: () => Date };
  readonly #log: Log;
  #begin: BeginTurn | undefined;
  #timer: NodeJS.Timeout | undefined;
  #looking: Promise<void> = Promise.resolve();

  constructor({ db, clock, log }: { db: Database; clock: { now: () => Date }; log: Log }) {
    this.#db = db;
    this.#clock = clock;
    this.#log = log;
  }

  /** From now on what is due is begun. The wire is made of what plugins are part of: so it comes later. */
  start(begin: BeginTurn): void {
    this.#begin = begin;
    this.#timer = setInterval(() => {
      this.#looking = this.#looking
        .then(() => this.runDue())
        .catch((error: unknown) => {
          this.#log.error({ err: error }, "due tasks could not be looked for");
        });
    }, pollMs);
    this.#timer.unref();
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#looking;
  }

  /** @throws AppError INVALID_INPUT for the schedule; TOO_LARGE when the user has too many */
  async add({ user, sessionId, message, schedule, timezone }: NewTask): Promise<TaskRow> {
    const now = this.#clock.now();
    const nextAt = checkSchedule({ schedule, timezone }, now);
    const own = and(eq(oracleTasks.userDid, user), isNotNull(oracleTasks.nextAt));
    const [open] = await this.#db.select({ tasks: count() }).from(oracleTasks).where(own);
    if ((open?.tasks ?? 0) >= maxTasks)
      throw new AppError("TOO_LARGE", `There are ${maxTasks} open tasks; cancel one first.`);
    const row = { id: `TASK-${ulid()}`, userDid: user, sessionId, message, schedule, timezone, nextAt, createdAt: now };
    const [made] = await this.#db.insert(oracleTasks).values(row).returning();
    if (made === undefined) throw new Error("The task was not kept");
    return made;
  }

  /** The newest hundred, oldest first. */
  async list(user: string): Promise<TaskRow[]> {
    return await this.#db
      .select()
      .from(oracleTasks)
      .where(eq(oracleTasks.userDid, user))
      .orderBy(asc(oracleTasks.id))
      .limit(100);
  }

  /** @throws AppError NOT_FOUND, also for another user's */
  async cancel(user: string, id: string): Promise<void> {
    const own = and(eq(oracleTasks.id, id), eq(oracleTasks.userDid, user));
    const cancelled = await this.#db
      .update(oracleTasks)
      .set({ nextAt: null })
      .where(own)
      .returning({ id: oracleTasks.id });
    if (cancelled.length === 0) throw new AppError("NOT_FOUND", `There is no task "${id}".`);
  }

  /** Begin what is due. A task is moved on before its turn begins: after a crash it is missed once rather than done twice. */
  async runDue(): Promise<void> {
    const now = this.#clock.now();
    const due = await this.#db
      .select()
      .from(oracleTasks)
      .where(lte(oracleTasks.nextAt, now))
      .orderBy(asc(oracleTasks.nextAt))
      .limit(atOnce);
    for (const task of due) {
      if (task.nextAt === null || !(await this.#claim(task, task.nextAt, now))) continue;
      await this.#run(task);
    }
  }

  /** True for the one process that moved it on. */
  async #claim(task: TaskRow, dueAt: Date, now: Date): Promise<boolean> {
    const same = and(eq(oracleTasks.id, task.id), eq(oracleTasks.nextAt, dueAt));
    const claimed = await this.#db
      .update(oracleTasks)
      .set({ nextAt: nextTime(task, now) })
      .where(same)
      .returning({ id: oracleTasks.id });
    return claimed.length === 1;
  }

  async #run({ id, userDid: user, sessionId, message, timezone }: TaskRow): Promise<void> {
    if (this.#begin === undefined) throw new Error("Nothing begins turns yet");
    try {
      const { runId } = await this.#begin({ user, sessionId, message, timezone });
      await this.#note(id, { lastRunId: runId, problem: null });
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      // A session that is gone does not come back.
      const over = error.code === "NOT_FOUND" ? { nextAt: null } : {};
      await this.#note(id, { problem: error.message, ...over });
    }
  }

  async #note(id: string, change: Partial<TaskRow>): Promise<void> {
    await this.#db.update(oracleTasks).set(change).where(eq(oracleTasks.id, id));
  }
}
