import { Hono } from "hono";
import { stringify } from "lossless-json";
import { readStanding } from "../../../reports/ask.ts";
import { balanceEmissions } from "../../../reports/emissions-balance.ts";
import { ask } from "./ask.ts";
import { chainAt } from "./chain.ts";
import { party, readQuery, refuseQuery, yearUpTo } from "./parameters.ts";

export const emissionsBalanceRoutes = new Hono();

/** What a Party adds to its emissions of a year: first transferred less used towards its NDC. */
emissionsBalanceRoutes.get("/reports/emissions-balance", async (c) => {
  const { block, timestamp } = await readStanding(ask);
  const read = readQuery(c, { party, year: yearUpTo(timestamp) });
  if (!read.ok) return refuseQuery(c, read.details);
  const report = await balanceEmissions(ask, chainAt(block), read.query);
  return c.body(stringify(report) ?? "{}", 200, { "content-type": "application/json" });
});
