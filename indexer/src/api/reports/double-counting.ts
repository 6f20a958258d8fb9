import { Hono } from "hono";
import type { DoubleCountingReport } from "../../../../wire/src/reports.ts";
import { checkDoubleCounting } from "../../../reports/checks/double-counting.ts";
import { ask } from "./ask.ts";
import { chainAt } from "./chain.ts";
import { readQuery, refuseQuery } from "./parameters.ts";

export const doubleCountingRoutes = new Hono();

type Report = Awaited<ReturnType<typeof checkDoubleCounting>>;

/** A result is cached for this many times its computing time, so that anonymous callers cannot keep the database busy. */
const restShare = 5;
let latest: { report: Promise<Report>; until: number } | undefined;

/** One computation at a time: callers that ask meanwhile, or soon after, get the same result, which contains its block. */
function look(): Promise<Report> {
  if (latest !== undefined && Date.now() < latest.until) return latest.report;
  const begin = Date.now();
  const report = checkDoubleCounting(ask, chainAt);
  const mine = { report, until: Number.POSITIVE_INFINITY };
  latest = mine;
  report.then(
    () => {
      mine.until = Date.now() + restShare * (Date.now() - begin);
    },
    () => {
      mine.until = 0;
    },
  );
  return report;
}

/** Every check of double counting with its result. */
doubleCountingRoutes.get("/reports/double-counting", async (c) => {
  const read = readQuery(c, {});
  if (!read.ok) return refuseQuery(c, read.details);
  const { block, checks } = await look();
  return c.json({ block: Number(block), checks } satisfies DoubleCountingReport);
});
