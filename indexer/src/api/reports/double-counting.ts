import { Hono } from "hono";
import { checkDoubleCounting } from "../../../lib/checks/double-counting.ts";
import { ask } from "./ask.ts";
import { chainAt } from "./chain.ts";
import { readQuery, refuseQuery } from "./parameters.ts";

export const doubleCountingRoutes = new Hono();

type Report = Awaited<ReturnType<typeof checkDoubleCounting>>;
let running: Promise<Report> | undefined;

/** One look at a time: whoever asks meanwhile gets the same answer, so that strangers cannot pile up heavy statements. */
async function lookOnce(): Promise<Report> {
  running ??= checkDoubleCounting(ask, async (block) => chainAt(block)).finally(() => {
    running = undefined;
  });
  return running;
}

/** Every check of double counting with its result. */
doubleCountingRoutes.get("/reports/double-counting", async (c) => {
  const read = readQuery(c, {});
  if (!read.ok) return refuseQuery(c, read.details);
  const { block, checks } = await lookOnce();
  return c.json({ block: Number(block), checks });
});
