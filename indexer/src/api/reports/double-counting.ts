import { Hono } from "hono";
import type { DoubleCountingReport } from "../../../../wire/src/reports.ts";
import { checkDoubleCounting } from "../../../reports/checks/double-counting.ts";
import { ask } from "./ask.ts";
import { chainAt } from "./chain.ts";
import { readQuery, refuseQuery } from "./parameters.ts";
import { sharedReport } from "./shared-report.ts";

export const doubleCountingRoutes = new Hono();

const look = sharedReport(() => checkDoubleCounting(ask, chainAt));

/** Every check of double counting with its result. */
doubleCountingRoutes.get("/reports/double-counting", async (c) => {
  const read = readQuery(c, {});
  if (!read.ok) return refuseQuery(c, read.details);
  const { block, checks } = await look();
  return c.json({ block: Number(block), checks } satisfies DoubleCountingReport);
});
