import { db } from "ponder:api";
import schema from "ponder:schema";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { client } from "ponder";
import { settingsFrom } from "../../lib/settings.ts";
import { refuse } from "./errors.ts";
import { mostRows, whyExpensive, whyForbidden } from "./public-sql.ts";
import { withoutLastWords } from "./statement-limit.ts";

/** Live queries run again at every block; so many at a time for strangers. */
const mostLiveQueries = 20;
const mostBytes = 10_000_000;
/** There a statement that slips through the filter can write: strangers stay outside. */
const isPostgres = settingsFrom(process.env).databaseUrl !== undefined;

type Statement = { text: string; params: unknown[] };

function statementOf(wrapped: string | undefined): Statement | undefined {
  try {
    const { json } = JSON.parse(wrapped ?? "") as { json?: { sql?: unknown; params?: unknown } };
    if (typeof json?.sql !== "string") return undefined;
    return { text: json.sql, params: Array.isArray(json.params) ? json.params : [] };
  } catch {
    return undefined;
  }
}

async function whyRefused({ text, params }: Statement, isLive: boolean): Promise<string | undefined> {
  try {
    return whyForbidden(text) ?? (await whyExpensive(text, params, isLive));
  } catch (error) {
    return (error as Error).message;
  }
}

const refuseStatement = (c: Context, message: string) =>
  refuse(c, "INVALID_INPUT", message, { details: [{ path: "sql", rule: "read-only-and-cheap", message }] });

/** The planner only estimates: an answer that turns out larger than it said is not sent. */
async function boundAnswer(c: Context): Promise<void> {
  const body = await c.res.text();
  const { rows } = JSON.parse(body) as { rows?: unknown[] };
  const isTooLarge = body.length > mostBytes || (rows?.length ?? 0) > mostRows;
  const message = `The answer has more than ${mostRows} rows or ${mostBytes} bytes: give the statement a LIMIT.`;
  const { status, headers } = c.res;
  c.res = undefined;
  c.res = isTooLarge ? refuseStatement(c, message) : new Response(body, { status, headers });
}

/**
 * `/sql/db` and `/sql/live`: the protocol of @ponder/client (`?sql=` is superjson of `{sql, params}`).
 * `/sql`: the same for people, `?query=select …` or `POST {"query": "select …"}`; answers `{"rows": […]}`.
 */
export function sqlRoutes(trusts: (token: string | undefined) => boolean): Hono {
  const app = new Hono();
  let live = 0;

  app.use("/sql/:kind", async (c, next) => {
    const statement = statementOf(c.req.query("sql"));
    if (statement === undefined) return refuseStatement(c, "The query parameter sql is missing or not superjson.");
    const isPublic = !trusts(c.req.query("token"));
    if (isPublic && isPostgres) return refuse(c, "UNAVAILABLE", "SQL is closed on PostgreSQL for now; use /graphql.");
    if (isPublic) {
      const why = await whyRefused(statement, c.req.path === "/sql/live");
      if (why !== undefined) return refuseStatement(c, why);
      if (c.req.path === "/sql/live") {
        if (live >= mostLiveQueries) return refuse(c, "UNAVAILABLE", "Too many live queries are open.");
        live += 1;
        c.req.raw.signal.addEventListener("abort", () => {
          live -= 1;
        });
      }
    }
    await next();
    if (c.res.status >= 400) c.res = refuseStatement(c, withoutLastWords(await c.res.text()));
    else if (isPublic && c.req.path === "/sql/db") await boundAnswer(c);
  });
  app.use("/sql/:kind", client({ db, schema }));

  const ask = (c: Context, query: unknown) => {
    if (typeof query !== "string") return refuseStatement(c, "Give the statement as query.");
    const url = new URL("/sql/db", c.req.url);
    url.searchParams.set("sql", JSON.stringify({ json: { sql: query, params: [] } }));
    return app.fetch(new Request(url, { headers: c.req.raw.headers }), c.env);
  };
  app.get("/sql", (c) => ask(c, c.req.query("query")));
  app.post("/sql", bodyLimit({ maxSize: 16_384 }), async (c) => {
    const body = (await c.req.json().catch(() => undefined)) as { query?: unknown } | undefined;
    return ask(c, body?.query);
  });
  return app;
}
