import { Hono } from "hono";
import { stringify } from "lossless-json";
import { readStanding } from "../../../reports/ask.ts";
import { ndcAccountingCsv } from "../../../reports/csv.ts";
import { accountForNdc } from "../../../reports/ndc-accounting.ts";
import { ask } from "./ask.ts";
import { chainAt } from "./chain.ts";
import { csvHeaders, jsonOrCsv, party, readQuery, refuseQuery, yearUpTo } from "./parameters.ts";

export const ndcAccountingRoutes = new Hono();

/** A Party's corresponding adjustments over the years of its NDC period, by its recorded method. */
ndcAccountingRoutes.get("/reports/ndc-accounting", async (c) => {
  const standing = await readStanding(ask);
  const read = readQuery(c, { party, year: yearUpTo(standing.timestamp), format: jsonOrCsv });
  if (!read.ok) return refuseQuery(c, read.details);
  const report = await accountForNdc(ask, chainAt(standing.block), standing, read.query);
  if (read.query.format === "csv") {
    return c.body(ndcAccountingCsv(report), 200, csvHeaders(`ndc-accounting-${report.party}-${report.year}`));
  }
  return c.body(stringify(report) ?? "{}", 200, { "content-type": "application/json" });
});
