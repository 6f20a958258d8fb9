import { Hono } from "hono";
import { stringify } from "lossless-json";
import { readStanding } from "../../../reports/ask.ts";
import { listExceptions } from "../../../reports/exceptions.ts";
import { ask } from "./ask.ts";
import { chainAt } from "./chain.ts";
import { matching, optional, readQuery, refuseQuery } from "./parameters.ts";

export const exceptionsRoutes = new Hono();

const standard = 50;
const query = {
  certificateId: optional(matching(/^.{1,128}$/u, "length", "certificateId has 1 to 128 characters.")),
  limit: optional(matching(/^([1-9]\d?|100)$/, "range", "limit must be 1 to 100.")),
  cursor: optional(matching(/^\d{1,9}$/, "format", "cursor was not returned by this list.")),
};

/** Certificates that are suspended or revoked, and what happened to their CARBON. */
exceptionsRoutes.get("/reports/exceptions", async (c) => {
  const read = readQuery(c, query);
  if (!read.ok) return refuseQuery(c, read.details);
  const { certificateId, limit, cursor } = read.query;
  const standing = await readStanding(ask);
  const page = { certificateId, limit: Number(limit ?? standard), after: Number(cursor ?? 0) };
  const { last, ...report } = await listExceptions(ask, chainAt(standing.block), standing, page);
  const nextCursor = last === null ? null : `${last}`;
  return c.body(stringify({ ...report, nextCursor }) ?? "{}", 200, { "content-type": "application/json" });
});
