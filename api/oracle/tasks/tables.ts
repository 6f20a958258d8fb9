import { index, pgTable, text, timestamp } from "drizzle-orm/pg-core";

const moment = (name: string) => timestamp(name, { withTimezone: true });

/** What users have asked the oracle to do later, or again and again. */
export const oracleTasks = pgTable(
  "oracle_tasks",
  {
    /** `TASK-…`. */
    id: text("id").primaryKey(),
    userDid: text("user_did").notNull(),
    /** Where its turns are said; a session that is gone ends the task. */
    sessionId: text("session_id").notNull(),
    /** The user's words of each turn. */
    message: text("message").notNull(),
    /** A cron expression, or one moment as ISO 8601. */
    schedule: text("schedule").notNull(),
    timezone: text("timezone").notNull(),
    /** Null: nothing more is due. */
    nextAt: moment("next_at"),
    lastRunId: text("last_run_id"),
    /** Why the last turn could not begin. */
    problem: text("problem"),
    createdAt: moment("created_at").notNull(),
  },
  (table) => [index("oracle_tasks_user").on(table.userDid, table.id), index("oracle_tasks_due").on(table.nextAt)],
);

export type TaskRow = typeof oracleTasks.$inferSelect;
