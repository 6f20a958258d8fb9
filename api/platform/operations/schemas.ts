import { z } from "@hono/zod-openapi";
import { brokenRule, listQuery, page } from "../http/index.ts";
import { identifier, timestamp } from "../values/text.ts";

/** The 202 response of a request that starts an operation. */
export const startedOperation = z
  .object({ operationId: z.string(), url: z.string().openapi({ description: "Where to read its progress." }) })
  .openapi("StartedOperation");
export type StartedOperation = z.output<typeof startedOperation>;

export const operation = z
  .object({
    id: z.string(),
    type: z.string(),
    status: z.enum(["queued", "running", "succeeded", "partial", "failed", "cancelled"]),
    progress: z.object({ done: z.number().int(), total: z.number().int(), failed: z.number().int() }),
    waitsUntil: timestamp.optional().openapi({
      description: "Present while the operation waits: the chain time at which it continues.",
    }),
    waitsFor: z.object({ rule: z.string(), message: z.string() }).optional().openapi({
      description:
        "Why a running operation cannot continue now, such as `base-fee`: gas costs more than this service pays. Absent otherwise.",
    }),
    result: z.unknown().optional(),
    error: z.object({ code: z.string(), message: z.string(), details: z.array(brokenRule).optional() }).optional(),
    createdAt: z.string(),
    updatedAt: z.string(),
  })
  .openapi("Operation");
export type Operation = z.output<typeof operation>;

const rowStatus = z.enum(["queued", "succeeded", "failed"]);

export const operationRowPage = page(
  z.object({
    index: z.number().int().openapi({ description: "From 0, in the order given." }),
    status: rowStatus,
    input: z.unknown(),
    answer: z.unknown(),
  }),
);

export const operationParams = z.strictObject({ id: identifier(64) });
export const operationRowsQuery = listQuery.extend({ status: rowStatus.optional() });
export type OperationRowsQuery = z.output<typeof operationRowsQuery>;
