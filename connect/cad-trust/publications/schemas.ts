import { z } from "@hono/zod-openapi";
import { brokenRule, listQuery, page } from "../../../api/platform/http/index.ts";
import { timestamp } from "../../../api/platform/values/text.ts";
import { tableNames } from "../model/table-names.ts";
import { recordStates, runStatuses } from "../states.ts";

const fieldValue = z.union([z.string(), z.array(z.string())]).nullable();
const table = z.enum(tableNames);

export const plannedChange = z
  .object({
    key: z.string(),
    table,
    action: z.enum(["create", "edit", "remove", "wait"]).openapi({
      description: "wait: the record is edited after the server has committed it.",
    }),
    changes: z.array(z.object({ field: z.string(), from: fieldValue, to: fieldValue })),
  })
  .openapi("CadTrustChange");

export const plan = z
  .object({
    server: z.string(),
    dryRun: z.boolean(),
    records: z.int().openapi({ description: "How many records should be on the server." }),
    changes: z.array(plannedChange),
    notes: z.array(z.string()).openapi({ description: "What is left out, and why." }),
    leftOut: z
      .array(z.object({ activityId: z.string(), certificates: z.int() }))
      .openapi({ description: "The same as figures: certificates of activities that no project of the settings has." }),
    problems: z
      .array(brokenRule)
      .openapi({ description: "What the server would refuse. Nothing is sent while there is any." }),
  })
  .openapi("CadTrustPlan");
export type Plan = z.output<typeof plan>;

export const publication = z
  .object({
    id: z.string(),
    server: z.string(),
    status: z.enum(runStatuses),
    message: z.string().nullable().openapi({ description: "What it waits for, or why it failed." }),
    problems: z.array(brokenRule),
    created: z.int(),
    edited: z.int(),
    removed: z.int(),
    startedBy: z.string(),
    createdAt: timestamp,
    endedAt: timestamp.nullable(),
  })
  .openapi("CadTrustPublication");
export type Publication = z.output<typeof publication>;
export const publicationPage = page(publication).openapi("CadTrustPublicationPage");
export const publicationParams = z.object({ id: z.string().openapi({ param: { name: "id", in: "path" } }) });

export const record = z
  .object({
    key: z.string(),
    table,
    state: z.enum(recordStates),
    remoteId: z.string().nullable().openapi({ description: "The server's id; null while it is not known." }),
    problems: z.array(z.string()),
    changedAt: timestamp,
    publishedAt: timestamp.nullable(),
  })
  .openapi("CadTrustRecord");
export type RecordAnswer = z.output<typeof record>;
export const recordPage = page(record).openapi("CadTrustRecordPage");
export const recordQuery = listQuery.extend({ table: table.optional(), state: z.enum(recordStates).optional() });
export type RecordQuery = z.output<typeof recordQuery>;
