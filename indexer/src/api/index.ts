import { type Context, Hono } from "hono";
import { except } from "hono/combine";
import { limitListeners } from "../../lib/listener.ts";
import { settingsFrom } from "../../lib/settings.ts";
import { refuse } from "./errors.ts";
import { graphqlRoutes } from "./graphql-routes.ts";
import { createRateLimit } from "./rate-limit.ts";
import { reportRoutes } from "./report-routes.ts";
import { regulatorRoutes } from "./reports/routes.ts";
import { searchRoutes } from "./search.ts";
import { sqlRoutes } from "./sql-routes.ts";
import { boundStatements } from "./statement-limit.ts";
import { createTurns } from "./turns.ts";
import { closeUnread } from "./unread-body.ts";

const { token, requestsPerMinute, databaseUrl, statementMs } = settingsFrom(process.env);
const limit = createRateLimit(requestsPerMinute, token);
limitListeners();

const reportPaths = [
  "/reports/trace/:id",
  "/reports/search?q",
  "/reports/summary",
  "/reports/double-counting",
  "/reports/aef?party&year&format",
  "/reports/emissions-balance?party&year",
  "/reports/ndc-accounting?party&year",
  "/reports/corsia?party",
  "/reports/exceptions?certificateId",
  "/reports/reconciliation?date&supplierDid",
];

const app = new Hono();
app.use("*", closeUnread, limit.middleware);
app.get("/", (c) => c.json({ graphql: "/graphql", sql: "/sql?query=select …", reports: reportPaths, ready: "/ready" }));
const isTrusted = (c: Context) => limit.trusts(c.req.query("token"));
// The embedded database runs one query after the other, and a running query cannot be stopped.
const settings =
  databaseUrl === undefined
    ? { atATime: 1, perAddressAtATime: 1, waiting: 256, perAddress: 8, gives: true }
    : { atATime: 4, perAddressAtATime: 2, waiting: 256, perAddress: 8, gives: false };
const turns = createTurns(settings, limit.addressOf, isTrusted);
for (const path of ["/graphql", "/sql", "/sql/db"]) app.use(path, turns.takeTurn);
// A search reads whole lists, so it waits for its turn. Other reports go first.
app.use("/reports/search", turns.takeTurn);
app.use("/reports/*", except("/reports/search", turns.goAhead));
if (databaseUrl !== undefined && statementMs) boundStatements(statementMs);
app.route("/", graphqlRoutes(isTrusted));
app.route("/", sqlRoutes(limit.trusts, limit.addressOf, turns.inTurn));
app.route("/", reportRoutes);
app.route("/", searchRoutes);
app.route("/", regulatorRoutes);
app.all("*", (c) => refuse(c, "NOT_FOUND", `There is nothing at ${c.req.path}.`));
app.onError((error, c) => {
  globalThis.console.error(error);
  return refuse(c, "INTERNAL", "Something went wrong on our side.");
});

export default app;
