import { Hono } from "hono";
import { stringify } from "lossless-json";
import { summarise } from "../../../reports/summary.ts";
import { ask } from "./ask.ts";
import { readQuery, refuseQuery } from "./parameters.ts";
import { sharedReport } from "./shared-report.ts";

export const summaryRoutes = new Hono();

const look = sharedReport(() => summarise(ask));

/** The scheme in figures. */
summaryRoutes.get("/reports/summary", async (c) => {
  const read = readQuery(c, {});
  if (!read.ok) return refuseQuery(c, read.details);
  return c.body(stringify(await look()) ?? "{}", 200, { "content-type": "application/json" });
});
