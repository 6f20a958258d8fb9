import { index, pgTable, text, timestamp } from "drizzle-orm/pg-core";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** Tasks that users scheduled, once or repeatedly. */
export const oracleTasks = pgTable(
  "oracle_tasks",
  {
    /** `TASK-…`. */
    id: text("id").primaryKey(),
    userDid: text("user_did").notNull(),
    /** Session of its turns; deleting the session ends the task. */
    sessionId: text("session_id").notNull(),
    /** The user's message of each turn. */
    message: text("message").notNull(),
    /** A cron expression, or one moment as ISO 8601. */
    schedule: text("schedule").notNull(),
    timezone: text("timezone").notNull(),
    /** Null: nothing more is due. */
    nextAt: moment("next_at"),
    lastRunId: text("last_run_id"),
    /** Why the last turn could not start. */
    problem: text("problem"),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [index("oracle_tasks_user").on(table.userDid, table.id), index("oracle_tasks_due").on(table.nextAt)],
);

export type TaskRow = typeof oracleTasks.$inferSelect;
