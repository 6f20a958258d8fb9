import { Hono } from "hono";
import { stringify } from "lossless-json";
import { readStanding, type Standing } from "../../../reports/ask.ts";
import { exceptionsCsv } from "../../../reports/csv.ts";
import { listExceptions } from "../../../reports/exceptions.ts";
import { ask } from "./ask.ts";
import { chainAt } from "./chain.ts";
import { csvHeaders, jsonOrCsv, matching, optional, readQuery, refuseQuery } from "./parameters.ts";

export const exceptionsRoutes = new Hono();

const standard = 50;
const most = 100;
const query = {
  certificateId: optional(matching(/^.{1,128}$/u, "length", "certificateId has 1 to 128 characters.")),
  limit: optional(matching(/^([1-9]\d?|100)$/, "range", "limit must be 1 to 100.")),
  format: jsonOrCsv,
  cursor: optional(matching(/^\d{1,9}$/, "format", "cursor was not returned by this list.")),
};

/** Certificates that are suspended or revoked, and what happened to their CARBON. */
exceptionsRoutes.get("/reports/exceptions", async (c) => {
  const read = readQuery(c, query);
  if (!read.ok) return refuseQuery(c, read.details);
  const { certificateId, limit, cursor, format } = read.query;
  const standing = await readStanding(ask);
  if (format === "csv")
    return c.body(exceptionsCsv(await readAll(standing, certificateId)), 200, csvHeaders("exceptions"));
  const page = { certificateId, limit: Number(limit ?? standard), after: Number(cursor ?? 0) };
  const { last, ...report } = await listExceptions(ask, chainAt(standing.block), standing, page);
  const nextCursor = last === null ? null : `${last}`;
  return c.body(stringify({ ...report, nextCursor }) ?? "{}", 200, { "content-type": "application/json" });
});

/** All certificates of the report, page by page. */
async function readAll(standing: Standing, certificateId: string | undefined) {
  const chain = chainAt(standing.block);
  const found: Awaited<ReturnType<typeof listExceptions>>["certificates"] = [];
  for (let after: number | null = 0; after !== null; ) {
    const { certificates, last } = await listExceptions(ask, chain, standing, { certificateId, limit: most, after });
    found.push(...certificates);
    after = last;
  }
  return found;
}
