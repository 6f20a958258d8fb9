import { Hono } from "hono";
import { stringify } from "lossless-json";
import { refuse } from "./errors.ts";
import { pageOf } from "./page.ts";
import { findSubject, type NamedType, namedTypes } from "./subject.ts";
import { trace } from "./trace.ts";

export const reportRoutes = new Hono();

/** Trace: the whole chain around any id, in both directions, each link with its transaction. */
reportRoutes.get("/reports/trace/:id", async (c) => {
  const page = pageOf(c.req.query("limit"), c.req.query("cursor"));
  if (!page.ok) return refuse(c, "INVALID_INPUT", page.detail.message, { details: [page.detail] });
  const type = c.req.query("type");
  if (type !== undefined && !namedTypes.includes(type as NamedType)) {
    const message = `type must be one of ${namedTypes.join(", ")}.`;
    return refuse(c, "INVALID_INPUT", message, { details: [{ path: "type", rule: "one-of", message }] });
  }
  const found = await findSubject(c.req.param("id"), type as NamedType | undefined);
  if (!found.ok) return refuse(c, "NOT_FOUND", found.message);
  const report = await trace(found.subject, page);
  return c.body(stringify(report) ?? "{}", 200, { "content-type": "application/json" });
});
