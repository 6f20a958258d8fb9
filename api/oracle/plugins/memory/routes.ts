import { createRoute, z } from "@hono/zod-openapi";
import type { Context } from "hono";
import { errorResponses, jsonContent } from "../../../platform/http/index.ts";
import type { OracleEnv } from "../../http/env.ts";
import { oracleRouter } from "../../http/router.ts";
import { roomOf } from "../../sessions/sessions.ts";
import type { Services } from "../host/services.ts";
import { correctFact, findFacts, forgetFact, maxFactLength, maxFacts, readFacts, rememberFact } from "./facts.ts";

const fact = z
  .object({ id: z.string(), text: z.string(), createdAt: z.iso.datetime(), updatedAt: z.iso.datetime() })
  .openapi("Fact");
const factBody = z.strictObject({ text: z.string().trim().min(1).max(maxFactLength) });
const query = z.strictObject({
  question: z.string().max(500).default(""),
  limit: z.coerce.number().int().min(1).max(maxFacts).default(100),
});
const params = z.object({ id: z.string().min(1).max(64) });
const body = { required: true, content: jsonContent(factBody) };
const common = { tags: ["Oracle"], security: [{ ucan: [] }] };

const routes = {
  list: createRoute({
    ...common,
    method: "get",
    path: "/memory",
    summary: "List the facts that the oracle remembers about the caller",
    request: { query },
    responses: {
      200: { description: "Best first", content: jsonContent(z.object({ memories: z.array(fact) })) },
      ...errorResponses(400),
    },
  }),
  add: createRoute({
    ...common,
    method: "post",
    path: "/memory",
    summary: "Add a fact",
    request: { body },
    responses: { 201: { description: "The fact", content: jsonContent(fact) }, ...errorResponses(400, 413) },
  }),
  correct: createRoute({
    ...common,
    method: "put",
    path: "/memory/{id}",
    summary: "Correct a fact",
    request: { params, body },
    responses: { 200: { description: "The fact", content: jsonContent(fact) }, ...errorResponses(400, 404) },
  }),
  forget: createRoute({
    ...common,
    method: "delete",
    path: "/memory/{id}",
    summary: "Forget a fact",
    request: { params },
    responses: {
      200: { description: "The fact is deleted", content: jsonContent(z.object({ message: z.string() })) },
      ...errorResponses(404),
    },
  }),
};

/** Routes for the user's memory, without the agent. */
export function memoryRoutes(services: Services) {
  const roomIn = (c: Context<OracleEnv>) => roomOf(c.get("caller").did, services.did);
  return oracleRouter()
    .openapi(routes.list, async (c) => {
      const { question, limit } = c.req.valid("query");
      return c.json({ memories: findFacts(await readFacts(services, roomIn(c)), question, limit) }, 200);
    })
    .openapi(routes.add, async (c) => {
      return c.json(await rememberFact(services, roomIn(c), c.req.valid("json").text), 201);
    })
    .openapi(routes.correct, async (c) => {
      const { id } = c.req.valid("param");
      return c.json(await correctFact(services, roomIn(c), id, c.req.valid("json").text), 200);
    })
    .openapi(routes.forget, async (c) => {
      await forgetFact(services, roomIn(c), c.req.valid("param").id);
      return c.json({ message: "The fact is forgotten." }, 200);
    });
}
