import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  requireRole,
} from "../../platform/http/index.ts";
import { dayText, toHex } from "../audit/daily-roots.ts";
import { auditReport, auditRoots, fsckReport, fsckRequest } from "./schemas.ts";
import type { Upkeep } from "./upkeep.ts";

const fsck = createRoute({
  method: "post",
  path: "/admin/fsck",
  callers: onlyFor([]),
  tags: ["Administration"],
  summary: "Check the file store: rows, blobs, keys, counts, audit",
  request: { body: { required: false, content: jsonContent(fsckRequest) } },
  responses: {
    200: { description: "The findings", content: jsonContent(fsckReport) },
    ...errorResponses(400, 403, 409),
  },
});
const verify = createRoute({
  method: "post",
  path: "/admin/audit/verify",
  callers: onlyFor([]),
  tags: ["Administration"],
  summary: "Verify the audit's hash chains, and compare its daily roots with the chain",
  responses: {
    200: { description: "The result of the verification", content: jsonContent(auditReport) },
    ...errorResponses(403),
  },
});
const anchor = createRoute({
  method: "post",
  path: "/admin/audit/anchor",
  callers: onlyFor([]),
  tags: ["Administration"],
  summary: "Anchor the audit on chain now, once a day",
  responses: {
    200: { description: "Roots that this call anchored", content: jsonContent(auditRoots) },
    ...errorResponses(403, 503),
  },
});

/** Routes by which admins check the file store. */
export function upkeepRoutes(upkeep: Upkeep): OpenAPIHono<AppEnv> {
  return createRouter({ idempotent: false })
    .openapi(fsck, async (c) => {
      requireRole(c.get("actor"));
      return c.json(await upkeep.fsck(c.req.valid("json")), 200);
    })
    .openapi(verify, async (c) => {
      requireRole(c.get("actor"));
      return c.json(await upkeep.verifyAudit(), 200);
    })
    .openapi(anchor, async (c) => {
      requireRole(c.get("actor"));
      const roots = await upkeep.anchorAudit();
      const items = roots.map(({ day, root, madeAt: _, ...rest }) => ({
        ...rest,
        day: dayText(day),
        root: toHex(root),
      }));
      return c.json({ items }, 200);
    });
}
