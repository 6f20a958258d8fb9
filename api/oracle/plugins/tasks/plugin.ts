import { z } from "zod";
import type { TaskRow } from "../../tasks/tables.ts";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";
import { defineOracleTool } from "../host/tool.ts";

export const tasks = defineOraclePlugin<Services>({
  name: "tasks",
  version: "1.0.0",
  manifest: {
    title: "Scheduled tasks",
    summary: "Says something to you in the user's name later, or again and again, in this conversation.",
    whenToUse: ["when the user wants something done at a time, or every so often"],
    examples: ["Every Monday at eight, tell me what the pool paid last week."],
    tags: ["tasks", "schedule", "remind", "every"],
    category: "automation",
  },
  getTools: ({ services }) => [
    defineOracleTool({
      name: "schedule_task",
      description:
        "Schedules a message in the user's words. `schedule` is a cron expression of five parts, every 15 minutes at most, or one moment without a zone.",
      inputSchema: z.strictObject({
        message: z.string().trim().min(1).max(4_000),
        schedule: z.string().trim().min(1).max(100),
        timezone: z.string().max(64).optional(),
      }),
      destructive: false,
      run: async ({ ctx, input }) => {
        const { user, sessionId } = ctx;
        const timezone = input.timezone ?? ctx.timezone ?? "UTC";
        return show(await services.tasks.add({ ...input, user, sessionId, timezone }));
      },
    }),
    defineOracleTool({
      name: "list_tasks",
      description: "The user's tasks, with when each is due next.",
      inputSchema: z.strictObject({}),
      destructive: false,
      readOnly: true,
      run: async ({ ctx }) => (await services.tasks.list(ctx.user)).map(show),
    }),
    defineOracleTool({
      name: "cancel_task",
      description: "Ends a task: nothing more of it comes due.",
      inputSchema: z.strictObject({ id: z.string().min(1) }),
      destructive: false,
      run: async ({ ctx, input }) => {
        await services.tasks.cancel(ctx.user, input.id);
        return { cancelled: input.id };
      },
    }),
  ],
});

function show({ id, message, schedule, timezone, nextAt, lastRunId, problem }: TaskRow) {
  return { id, message, schedule, timezone, nextAt: nextAt?.toISOString() ?? null, lastRunId, problem };
}
