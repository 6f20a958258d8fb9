import { Hono } from "hono";
import { stringify } from "lossless-json";
import { readStanding } from "../../../reports/ask.ts";
import { accountForNdc } from "../../../reports/ndc-accounting.ts";
import { ask } from "./ask.ts";
import { chainAt } from "./chain.ts";
import { party, readQuery, refuseQuery, yearUpTo } from "./parameters.ts";

export const ndcAccountingRoutes = new Hono();

/** A Party's corresponding adjustments over the years of its NDC period, by its recorded method. */
ndcAccountingRoutes.get("/reports/ndc-accounting", async (c) => {
  const standing = await readStanding(ask);
  const read = readQuery(c, { party, year: yearUpTo(standing.timestamp) });
  if (!read.ok) return refuseQuery(c, read.details);
  const report = await accountForNdc(ask, chainAt(standing.block), standing, read.query);
  return c.body(stringify(report) ?? "{}", 200, { "content-type": "application/json" });
});
