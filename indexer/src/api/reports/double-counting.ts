import { Hono } from "hono";
import type { DoubleCountingReport } from "../../../../wire/src/reports.ts";
import { checkDoubleCounting } from "../../../lib/checks/double-counting.ts";
import { ask } from "./ask.ts";
import { chainAt } from "./chain.ts";
import { readQuery, refuseQuery } from "./parameters.ts";

export const doubleCountingRoutes = new Hono();

type Report = Awaited<ReturnType<typeof checkDoubleCounting>>;

/** An answer is given again for so many times as long as it took to find: strangers cannot keep the database busy. */
const restShare = 5;
let latest: { report: Promise<Report>; until: number } | undefined;

/** One look at a time: whoever asks meanwhile, or soon after, gets the same answer. It tells its block. */
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
