import { Hono } from "hono";
import { stringify } from "lossless-json";
import { readStanding } from "../../../reports/ask.ts";
import { labelForCorsia } from "../../../reports/corsia.ts";
import { corsiaCsv } from "../../../reports/csv.ts";
import { ask } from "./ask.ts";
import { csvHeaders, jsonOrCsv, party, readQuery, refuseQuery } from "./parameters.ts";

export const corsiaRoutes = new Hono();

/** A Party's ITMOs with the phases of CORSIA in which they are eligible. */
corsiaRoutes.get("/reports/corsia", async (c) => {
  const read = readQuery(c, { party, format: jsonOrCsv });
  if (!read.ok) return refuseQuery(c, read.details);
  const report = await labelForCorsia(ask, await readStanding(ask), read.query);
  if (read.query.format === "csv") return c.body(corsiaCsv(report), 200, csvHeaders(`corsia-${report.party}`));
  return c.body(stringify(report) ?? "{}", 200, { "content-type": "application/json" });
});
