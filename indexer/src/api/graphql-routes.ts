import { db } from "ponder:api";
import schema from "ponder:schema";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { graphql } from "ponder";
import { refuse } from "./errors.ts";
import { graphqlPage } from "./graphql-page.ts";
import { questionOf, whyTooLarge } from "./public-graphql.ts";

/** Introspection is 13 deep. */
const bounds = { maxOperationTokens: 1_000, maxOperationDepth: 20, maxOperationAliases: 15 };
const longestQuestion = 32_768;

/** `/graphql`: a page for people by GET, the questions by POST as JSON, weighed before they are answered. */
export function graphqlRoutes(isTrusted: (c: Context) => boolean): Hono {
  const app = new Hono();
  const answer = graphql({ db, schema }, bounds);
  const tooLong = (c: Context) => refuse(c, "INVALID_INPUT", `A question is at most ${longestQuestion} bytes long.`);
  app.route("/", graphqlPage());
  app.post("/graphql", bodyLimit({ maxSize: longestQuestion, onError: tooLong }), async (c, next) => {
    const question = questionOf(await c.req.text());
    const invalid = (message: string, rule: string) =>
      refuse(c, "INVALID_INPUT", message, { details: [{ path: "query", rule, message }] });
    if (question === undefined) return invalid('Post the question as JSON: {"query": "…"}.', "json");
    const why = isTrusted(c) ? undefined : whyTooLarge(question);
    if (why !== undefined) return invalid(why, "cheap");
    // What was weighed is what is answered, whatever form the body had.
    const headers = { "content-type": "application/json", accept: "application/json" };
    const body = JSON.stringify(question);
    c.req.raw = new Request(c.req.url, { method: "POST", headers, body });
    return answer(c, next);
  });
  return app;
}
