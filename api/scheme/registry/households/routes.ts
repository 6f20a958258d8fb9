import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, onlyFor, requestContext } from "../../../platform/http/index.ts";
import { XLSX_TYPE } from "../../../platform/values/import-rows.ts";
import type { RegistryDeps } from "../deps.ts";
import { accepted, jsonBody, jsonContent, respondAccepted, tags } from "../routing.ts";
import { importHouseholds } from "./import.ts";
import {
  household,
  householdChange,
  householdPage,
  householdParams,
  householdQuery,
  householdRegistration,
  locatedHouseholdPage,
  locatedHouseholdQuery,
} from "./schemas.ts";
import { changeHousehold, getHousehold, listHouseholds, listLocatedHouseholds, registerHousehold } from "./service.ts";
import { READ_SCOPE, WRITE_SCOPE } from "./visible.ts";

const MiB = 1024 * 1024;
const readers = onlyFor(["implementer", "evaluator", "regulator"], READ_SCOPE);

const register = createRoute({
  method: "post",
  path: "/households",
  callers: onlyFor(["implementer"], WRITE_SCOPE),
  summary: "Register a household",
  description: "The chain holds a keyed hash; the DID stays in the database.",
  tags,
  request: { body: jsonBody(householdRegistration) },
  responses: { 201: jsonContent(household, "The household"), ...errorResponses(400, 403, 409) },
});

const importMany = createRoute({
  method: "post",
  path: "/households/import",
  callers: onlyFor(["implementer"], WRITE_SCOPE),
  summary: "Register up to 100 000 households from CSV, XLSX or JSON lines",
  description:
    "CSV and the first sheet of an XLSX workbook have a header row of did, account, region, men, women, children, elderly, " +
    "latitude, longitude in any order; only did must be there. CSV is separated by commas, semicolons or tabs. " +
    "A JSON line is a body of POST /v1/households. Each row gets its own answer at /v1/operations/{id}/rows.",
  tags,
  bodyLimit: 64 * MiB,
  request: {
    body: {
      required: true,
      content: {
        "text/csv": { schema: z.string() },
        [XLSX_TYPE]: { schema: z.string().openapi({ format: "binary" }) },
        "application/x-ndjson": { schema: z.string() },
      },
    },
  },
  responses: { 202: accepted, ...errorResponses(400, 403, 409, 413) },
});

const list = createRoute({
  method: "get",
  path: "/households",
  callers: readers,
  summary: "List households",
  tags,
  request: { query: householdQuery },
  responses: {
    200: jsonContent(householdPage, "Households that the key may see, in the order of their registration"),
    ...errorResponses(400, 403),
  },
});

const listLocated = createRoute({
  method: "get",
  path: "/household-locations",
  callers: readers,
  summary: "List where households are, for a map",
  tags,
  request: { query: locatedHouseholdQuery },
  responses: {
    200: jsonContent(locatedHouseholdPage, "Households that the key may see and whose location is known"),
    ...errorResponses(400, 403),
  },
});

const getOne = createRoute({
  method: "get",
  path: "/households/{did}",
  callers: readers,
  summary: "Read a household",
  tags,
  request: { params: householdParams },
  responses: { 200: jsonContent(household, "The household"), ...errorResponses(403, 404) },
});

const change = createRoute({
  method: "patch",
  path: "/households/{did}",
  callers: onlyFor(["implementer"], WRITE_SCOPE),
  summary: "Set a household's location, or propose its first account",
  description:
    "The account counts once an evaluator has confirmed it (`POST /v1/households/{did}/account/confirm`). Afterwards only the account " +
    "itself or the regulator can propose another.",
  tags,
  request: { params: householdParams, body: jsonBody(householdChange) },
  responses: { 200: jsonContent(household, "The household after the change"), ...errorResponses(400, 403, 404, 409) },
});

export function householdRoutes(deps: RegistryDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(register, async (c) => c.json(await registerHousehold(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(importMany, async (c) => {
      const body = { contentType: c.req.header("content-type") ?? "", bytes: c.var.bodyBytes ?? new Uint8Array() };
      return respondAccepted(c, await importHouseholds(deps, requestContext(c), body));
    })
    .openapi(list, async (c) => c.json(await listHouseholds(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(listLocated, async (c) =>
      c.json(await listLocatedHouseholds(deps, requestContext(c), c.req.valid("query")), 200),
    )
    .openapi(change, async (c) =>
      c.json(await changeHousehold(deps, requestContext(c), c.req.valid("param").did, c.req.valid("json")), 200),
    )
    .openapi(getOne, async (c) => c.json(await getHousehold(deps, requestContext(c), c.req.valid("param").did), 200));
}
