import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { AuditRow } from "../audit/index.ts";
import {
  type AppEnv,
  createRouter,
  decodeCursor,
  errorResponses,
  foreignCursor,
  jsonContent,
  listQuery,
  onlyFor,
  page,
  roles,
  toPage,
} from "../http/index.ts";
import { identifier, timestamp } from "../values/text.ts";
import type { CoreDeps } from "./core.ts";

const results = ["done", "refused", "failed"] as const;

const auditQuery = listQuery.extend({
  keyId: identifier(128).optional().openapi({ description: "API key, or the account of a session." }),
  role: z.enum(roles).optional(),
  result: z
    .enum(results)
    .optional()
    .openapi({ description: "done: below 400; refused: 400 to 499; failed: the rest." }),
  text: identifier(200).optional().openapi({ description: "Part of what was done, or of the ids that it changed." }),
  from: timestamp.optional(),
  until: timestamp.optional(),
});

const auditEntry = z
  .object({
    number: z.number().int(),
    at: z.iso.datetime(),
    keyId: z.string().openapi({ description: "The API key's id; for a session, the account." }),
    keyName: z.string().nullable().openapi({ description: "The key's name; null for a session and ADMIN_API_KEY." }),
    role: z.enum(roles),
    route: z.string().openapi({ example: "DELETE /v1/keys/{id}" }),
    summary: z.string().openapi({ example: "Revoke an API key" }),
    subject: z.string().openapi({ description: "Ids of what was changed, without households'." }),
    status: z.number().int(),
    result: z.enum(results),
    requestId: z.string(),
  })
  .openapi("Change");

const list = createRoute({
  method: "get",
  path: "/admin/changes",
  callers: onlyFor([]),
  tags: ["Administration"],
  summary: "List who changed what, when, and with what result",
  description: "Requests below /v1 that need a key, GET excepted, refused ones included. Bodies are not stored.",
  request: { query: auditQuery },
  responses: {
    200: { description: "One page, newest first", content: jsonContent(page(auditEntry).openapi("ChangePage")) },
    ...errorResponses(400, 403),
  },
});

/** Route of the audit of changes. */
export function auditRoutes({ audit, keys }: Pick<CoreDeps, "audit" | "keys">): OpenAPIHono<AppEnv> {
  return createRouter().openapi(list, async (c) => {
    const { limit, cursor, from, until, ...filter } = c.req.valid("query");
    const [before] = decodeCursor(cursor) ?? [];
    if (before !== undefined && typeof before !== "number") throw foreignCursor();
    const dates = { from: dateOf(from), until: dateOf(until) };
    const rows = await audit.store.list({ ...filter, ...dates }, limit, before);
    const { items, nextCursor } = toPage(rows, limit, ({ number }) => [number]);
    const names = await keys.store.namesOf([...new Set(items.map(({ keyId }) => keyId))]);
    return c.json({ items: items.map((row) => serialize(row, names)), nextCursor }, 200);
  });
}

function serialize(row: AuditRow, names: Map<string, string>) {
  const { number, at, keyId, role, route, summary, subject, status, requestId } = row;
  return {
    number,
    at: at.toISOString(),
    keyId,
    keyName: names.get(keyId) ?? null,
    role: role as z.infer<typeof auditEntry>["role"],
    route,
    summary,
    subject,
    status,
    result: status < 400 ? ("done" as const) : status < 500 ? ("refused" as const) : ("failed" as const),
    requestId,
  };
}

function dateOf(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text);
}
