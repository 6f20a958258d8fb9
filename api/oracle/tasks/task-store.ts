import { and, asc, count, eq, isNotNull, lte } from "drizzle-orm";
import { ulid } from "ulid";
import type { Database } from "../../platform/db/index.ts";
import { AppError } from "../../platform/errors.ts";
import { checkSchedule, nextTime } from "./schedule.ts";
import { oracleTasks, type TaskRow } from "./tables.ts";

export type NewTask = { user: string; sessionId: string; message: string; schedule: string; timezone: string };

/** Most open tasks of one user. */
const maxTasks = 50;

export type TaskStoreDeps = { db: Database; clock: { now: () => Date } };

/** The scheduled tasks of all users. */
export class TaskStore {
  readonly #db: Database;
  readonly #clock: { now: () => Date };

  constructor({ db, clock }: TaskStoreDeps) {
    this.#db = db;
    this.#clock = clock;
  }

  /** Add a task. @throws AppError INVALID_INPUT for the schedule; TOO_LARGE when the user has too many */
  async add({ user, sessionId, message, schedule, timezone }: NewTask): Promise<TaskRow> {
    const now = this.#clock.now();
    const nextAt = checkSchedule({ schedule, timezone }, now);
    const own = and(eq(oracleTasks.userDid, user), isNotNull(oracleTasks.nextAt));
    const [open] = await this.#db.select({ tasks: count() }).from(oracleTasks).where(own);
    if ((open?.tasks ?? 0) >= maxTasks)
      throw new AppError("TOO_LARGE", `There are ${maxTasks} open tasks; cancel one first.`);
    const row = { id: `TASK-${ulid()}`, userDid: user, sessionId, message, schedule, timezone, nextAt, createdAt: now };
    const [created] = await this.#db.insert(oracleTasks).values(row).returning();
    if (created === undefined) throw new Error("The task was not stored");
    return created;
  }

  /** The user's first hundred tasks, oldest first. */
  async list(user: string): Promise<TaskRow[]> {
    return await this.#db
      .select()
      .from(oracleTasks)
      .where(eq(oracleTasks.userDid, user))
      .orderBy(asc(oracleTasks.id))
      .limit(100);
  }

  /** Cancel a task. @throws AppError NOT_FOUND, also for another user's task */
  async cancel(user: string, id: string): Promise<void> {
    const own = and(eq(oracleTasks.id, id), eq(oracleTasks.userDid, user));
    const cancelled = await this.#db
      .update(oracleTasks)
      .set({ nextAt: null })
      .where(own)
      .returning({ id: oracleTasks.id });
    if (cancelled.length === 0) throw new AppError("NOT_FOUND", `There is no task "${id}".`);
  }

  /** Tasks that are due, the longest overdue first. */
  async due(now: Date, limit: number): Promise<TaskRow[]> {
    const isDue = lte(oracleTasks.nextAt, now);
    return await this.#db.select().from(oracleTasks).where(isDue).orderBy(asc(oracleTasks.nextAt)).limit(limit);
  }

  /** Move a due task to its next time. True for the one process that did so. */
  async claim(task: TaskRow, now: Date): Promise<boolean> {
    if (task.nextAt === null) return false;
    const same = and(eq(oracleTasks.id, task.id), eq(oracleTasks.nextAt, task.nextAt));
    const claimed = await this.#db
      .update(oracleTasks)
      .set({ nextAt: nextTime(task, now) })
      .where(same)
      .returning({ id: oracleTasks.id });
    return claimed.length === 1;
  }

  /** Record the outcome of a task's turn. */
  async record(id: string, change: Partial<Pick<TaskRow, "lastRunId" | "problem" | "nextAt">>): Promise<void> {
    await this.#db.update(oracleTasks).set(change).where(eq(oracleTasks.id, id));
  }
}
