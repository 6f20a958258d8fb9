import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, onlyFor, requestContext } from "../../../platform/http/index.ts";
import type { RegistryDeps } from "../deps.ts";
import { jsonBody, jsonContent, tags } from "../routing.ts";
import { accountParams, newAccount, type Parties, partyAccount } from "./schemas.ts";
import { confirmAccount, dropAccount, finaliseAccount, finalisers, proposeAccount } from "./service.ts";

const answer = jsonContent(partyAccount, "The account in force and the one that waits");
const nouns = { implementers: "an implementer", suppliers: "a supplier", households: "a household" } as const;

const proposeRoute = (parties: Parties) =>
  createRoute({
    method: "post",
    path: `/${parties}/{did}/account`,
    callers: onlyFor(["regulator"]),
    summary: `Propose a new account of ${nouns[parties]}`,
    description:
      "By the regulator. It can be put in force a day later. Until then the old account, the regulator or the guardian can " +
      "drop it. A household's must be confirmed by an evaluator as well. A party proposes by its own transaction.",
    tags,
    request: { params: accountParams, body: jsonBody(newAccount) },
    responses: { 200: answer, ...errorResponses(400, 403, 404, 409) },
  });

const dropRoute = (parties: Parties) =>
  createRoute({
    method: "delete",
    path: `/${parties}/{did}/account`,
    callers: onlyFor(["regulator"]),
    summary: `Drop the new account of ${nouns[parties]} that waits`,
    tags,
    request: { params: accountParams },
    responses: { 200: answer, ...errorResponses(400, 403, 404, 409) },
  });

const finaliseRoute = (parties: Parties) =>
  createRoute({
    method: "post",
    path: `/${parties}/{did}/account/finalise`,
    callers: onlyFor(finalisers[parties]),
    summary: `Put the new account of ${nouns[parties]} in force once its delay is over`,
    tags,
    request: { params: accountParams },
    responses: { 200: answer, ...errorResponses(400, 403, 404, 409) },
  });

const confirmRoute = createRoute({
  method: "post",
  path: "/households/{did}/account/confirm",
  callers: onlyFor(["evaluator"]),
  summary: "Confirm that an account is the household's own",
  description: "By an evaluator. A first account is in force immediately, another when its delay is over.",
  tags,
  request: { params: accountParams, body: jsonBody(newAccount) },
  responses: { 200: answer, ...errorResponses(400, 403, 404, 409) },
});

export function accountRoutes(deps: RegistryDeps): OpenAPIHono<AppEnv> {
  const router = createRouter().openapi(confirmRoute, async (c) =>
    c.json(await confirmAccount(deps, requestContext(c), c.req.valid("param").did, c.req.valid("json")), 200),
  );
  for (const parties of Object.keys(nouns) as Parties[]) {
    router
      .openapi(proposeRoute(parties), async (c) => {
        const party = { parties, did: c.req.valid("param").did };
        return c.json(await proposeAccount(deps, requestContext(c), party, c.req.valid("json")), 200);
      })
      .openapi(dropRoute(parties), async (c) =>
        c.json(await dropAccount(deps, requestContext(c), { parties, did: c.req.valid("param").did }), 200),
      )
      .openapi(finaliseRoute(parties), async (c) =>
        c.json(await finaliseAccount(deps, requestContext(c), { parties, did: c.req.valid("param").did }), 200),
      );
  }
  return router;
}
