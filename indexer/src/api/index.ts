import { db } from "ponder:api";
import schema from "ponder:schema";
import { Hono } from "hono";
import { graphql } from "ponder";
import { settingsFrom } from "../../lib/settings.ts";
import { refuse } from "./errors.ts";
import { createRateLimit } from "./rate-limit.ts";
import { reportRoutes } from "./report-routes.ts";
import { regulatorRoutes } from "./reports/routes.ts";
import { sqlRoutes } from "./sql-routes.ts";

const { token, requestsPerMinute } = settingsFrom(process.env);
const limit = createRateLimit(requestsPerMinute, token);

const reportPaths = [
  "/reports/trace/:id",
  "/reports/double-counting",
  "/reports/aef?party&year&format",
  "/reports/emissions-balance?party&year",
  "/reports/reconciliation?date&supplierDid",
];

const app = new Hono();
app.use("*", limit.middleware);
app.get("/", (c) => c.json({ graphql: "/graphql", sql: "/sql?query=select …", reports: reportPaths, ready: "/ready" }));
app.use("/graphql", graphql({ db, schema }));
app.route("/", sqlRoutes(limit.trusts));
app.route("/", reportRoutes);
app.route("/", regulatorRoutes);
app.all("*", (c) => refuse(c, "NOT_FOUND", `There is nothing at ${c.req.path}.`));
app.onError((error, c) => {
  globalThis.console.error(error);
  return refuse(c, "INTERNAL", "Something went wrong on our side.");
});

export default app;
