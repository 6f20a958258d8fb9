import { db } from "ponder:api";
import schema from "ponder:schema";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { client } from "ponder";
import type { Violation } from "../../reader/check-statement.ts";
import { refuse } from "./errors.ts";
import { streamAnswers } from "./live-sql.ts";
import { createPlaces } from "./places.ts";
import { knownTables, runStatement, type Statement, violationsOf } from "./public-sql.ts";
import type { AddressOf, NodeEnv } from "./rate-limit.ts";
import { withoutLastWords } from "./statement-limit.ts";
import type { InTurn } from "./turns.ts";

/** Most anonymous live queries at a time. They run again at every block, each when it is its address's turn. */
const places = createPlaces({ inAll: 100, perAddress: 5 });

const longestRequest = 16_384;

function statementOf(wrapped: string | undefined): Statement | undefined {
  try {
    const { json } = JSON.parse(wrapped ?? "") as { json?: { sql?: unknown; params?: unknown } };
    if (typeof json?.sql !== "string") return undefined;
    return { text: json.sql, parameters: Array.isArray(json.params) ? json.params : [] };
  } catch {
    return undefined;
  }
}

function refuseStatement(c: Context, violations: Violation[]): Response {
  const details = violations.map((each) => ({ path: "sql", ...each }));
  return refuse(c, "INVALID_INPUT", violations.map(({ message }) => message).join(" "), { details });
}

const refuseForm = (c: Context, message: string) => refuseStatement(c, [{ rule: "form", message }]);

async function respondToAnonymous(c: Context, statement: Statement): Promise<Response> {
  const violations = await violationsOf(statement, false);
  if (violations.length > 0) return refuseStatement(c, violations);
  const answer = await runStatement(statement);
  return "violations" in answer ? refuseStatement(c, answer.violations) : c.json(answer);
}

type Asking = { address: string; inTurn: InTurn };

async function openLive(c: Context, statement: Statement, { address, inTurn }: Asking): Promise<Response> {
  const release = places.take(address);
  if (release === undefined) return refuse(c, "UNAVAILABLE", "Too many live queries are open.");
  const { signal } = c.req.raw;
  // Only a signal that is kept from the start shows that the client disconnected meanwhile.
  signal.addEventListener("abort", release);
  const ask = () => inTurn(address, () => runStatement(statement), signal);
  let isOpen = false;
  try {
    const violations = await inTurn(address, () => violationsOf(statement, true), signal);
    if (violations.length > 0) return refuseStatement(c, violations);
    const first = await ask();
    if ("violations" in first) return refuseStatement(c, first.violations);
    isOpen = true;
    return streamAnswers(c, ask, first, release);
  } catch (error) {
    if (!signal.aborted) throw error;
    return refuse(c, "UNAVAILABLE", "The client has disconnected.");
  } finally {
    if (!isOpen) release();
  }
}

/**
 * `/sql/db` and `/sql/live`: the protocol of @ponder/client (`?sql=` is superjson of `{sql, params}`).
 * `/sql`: the same for people, `?query=select …` or `POST {"query": "select …"}`; returns `{"rows": […]}`.
 * `/sql/tables`: the tables and columns that can be queried.
 */
export function sqlRoutes(
  trusts: (token: string | undefined) => boolean,
  addressOf: AddressOf,
  inTurn: InTurn,
): Hono<NodeEnv> {
  const app = new Hono<NodeEnv>();
  app.get("/sql/tables", async (c) => c.json({ tables: await knownTables() }));

  app.use("/sql/:kind", async (c, next) => {
    const statement = statementOf(c.req.query("sql"));
    if (statement === undefined) return refuseForm(c, "The query parameter sql is missing or not superjson.");
    if (!trusts(c.req.query("token"))) {
      if (c.req.path === "/sql/db") return respondToAnonymous(c, statement);
      if (c.req.path === "/sql/live") return openLive(c, statement, { address: addressOf(c), inTurn });
      return refuse(c, "NOT_FOUND", `There is nothing at ${c.req.path}.`);
    }
    // Ponder runs the API's own statements, on separate connections.
    await next();
    if (c.res.status >= 400) c.res = refuseForm(c, withoutLastWords(await c.res.text()));
  });
  app.use("/sql/:kind", client({ db, schema }));

  const ask = (c: Context, query: unknown) => {
    if (typeof query !== "string")
      return refuseForm(c, 'Give the statement as ?query=…, or post {"query": "select …"}.');
    const url = new URL("/sql/db", c.req.url);
    url.searchParams.set("sql", JSON.stringify({ json: { sql: query, params: [] } }));
    return app.fetch(new Request(url, { headers: c.req.raw.headers }), c.env);
  };
  app.get("/sql", (c) => ask(c, c.req.query("query")));
  const tooLong = (c: Context) => refuseForm(c, `A request to /sql is at most ${longestRequest} bytes long.`);
  app.post("/sql", bodyLimit({ maxSize: longestRequest, onError: tooLong }), async (c) => {
    const body = (await c.req.json().catch(() => undefined)) as { query?: unknown } | undefined;
    return ask(c, body?.query);
  });
  return app;
}
