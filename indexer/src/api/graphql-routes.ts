import { db } from "ponder:api";
import schema from "ponder:schema";
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from "graphql";
import { type Context, Hono, type Next } from "hono";
import { bodyLimit } from "hono/body-limit";
import { graphql } from "ponder";
import { StatementError } from "../../reader/reader.ts";
import { refuse } from "./errors.ts";
import { graphqlPage } from "./graphql-page.ts";
import { asStranger, offerPublicReader } from "./graphql-reader.ts";
import { type Question, questionOf, whyTooLarge } from "./public-graphql.ts";

/** Introspection is 13 deep. */
const bounds = { maxOperationTokens: 1_000, maxOperationDepth: 20, maxOperationAliases: 15 };
const longestQuestion = 32_768;

/** `/graphql`: a page for people by GET, queries by POST as JSON, whose cost is checked before they run. */
export function graphqlRoutes(isTrusted: (c: Context) => boolean): Hono {
  const app = new Hono();
  const answer = graphql({ db, schema }, bounds);
  offerPublicReader();
  let types: Promise<GraphQLSchema> | undefined;
  const tooLong = (c: Context) => refuse(c, "INVALID_INPUT", `A query has at most ${longestQuestion} bytes.`);
  app.route("/", graphqlPage());
  app.post("/graphql", bodyLimit({ maxSize: longestQuestion, onError: tooLong }), async (c, next) => {
    const question = questionOf(await c.req.text());
    const invalid = (message: string, rule: string) =>
      refuse(c, "INVALID_INPUT", message, { details: [{ path: "query", rule, message }] });
    if (question === undefined) return invalid('Post the query as JSON: {"query": "…"}.', "json");
    const { signal } = c.req.raw;
    const ask = () => put(c, next, answer, question);
    if (isTrusted(c)) return ask();
    // The query for the types is deeper than an anonymous query may be.
    types ??= put(c, next, graphql({ db, schema }), { query: getIntrospectionQuery() }).then(schemaOf);
    types.catch(() => {
      types = undefined;
    });
    const why = whyTooLarge(question, await types);
    if (why !== undefined) return invalid(why, "cheap");
    try {
      return await asStranger(signal, ask);
    } catch (error) {
      if (!(error instanceof StatementError)) throw error;
      return invalid(error.message, "statement");
    }
  });
  return app;
}

/** Run exactly the query whose cost was checked, whatever form the body had. */
async function put(c: Context, next: Next, answer: ReturnType<typeof graphql>, question: Question): Promise<Response> {
  const headers = { "content-type": "application/json", accept: "application/json" };
  c.req.raw = new Request(c.req.url, { method: "POST", headers, body: JSON.stringify(question) });
  return (await answer(c, next)) as Response;
}

async function schemaOf(response: Response): Promise<GraphQLSchema> {
  const { data } = (await response.json()) as { data: IntrospectionQuery };
  return buildClientSchema(data);
}
