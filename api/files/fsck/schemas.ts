import { z } from "@hono/zod-openapi";

const count = z.number().int();

export const fsckRequest = z
  .strictObject({
    repair: z.boolean().default(false).openapi({ description: "Repair orphans, unfinished purges and counts." }),
    scrub: z.boolean().default(false).openapi({ description: "Also decrypt and hash every byte." }),
  })
  .openapi("FsckRequest");

export const auditReport = z
  .object({
    namespaces: count,
    events: count,
    roots: z.object({
      days: count,
      anchored: count
        .optional()
        .openapi({ description: "Number of roots that equal those on chain; absent when the chain was not read." }),
      overdue: count.min(1).optional().openapi({
        description: "Number of roots that the chain should have by now and has not: they prove nothing yet.",
      }),
      unreachable: z.string().optional(),
    }),
    faults: z.array(
      z.object({
        namespace: z.string().optional(),
        sequence: count.optional(),
        eventId: z.string().optional(),
        problem: z.string(),
      }),
    ),
  })
  .openapi("AuditReport");

export const fsckReport = z
  .object({
    clean: z.boolean().openapi({ description: "True when nothing is wrong, or everything is repaired." }),
    checked: z.object({ files: count, versions: count, groups: count, blobs: count }),
    young: z.object({ blobs: count, secrets: count }),
    scrubbedBytes: count,
    audit: auditReport,
    findings: z.array(
      z.object({
        kind: z.string(),
        message: z.string(),
        namespace: z.string().optional(),
        fileId: z.string().optional(),
        version: count.optional(),
        blob: z.string().optional(),
        repaired: z.boolean(),
      }),
    ),
    seconds: z.number(),
  })
  .openapi("FsckReport");

export const auditRoots = z
  .object({
    items: z.array(
      z.object({
        day: z.string().openapi({ example: "2026-11-21" }),
        root: z.string(),
        namespaces: count,
        events: count,
        transactionHash: z.string().nullable(),
      }),
    ),
  })
  .openapi("AuditRoots");
