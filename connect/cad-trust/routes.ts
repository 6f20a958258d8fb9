import { createRoute } from "@hono/zod-openapi";
import {
  type App,
  createRouter,
  errorResponses,
  jsonContent,
  listQuery,
  onlyFor,
  requestContext,
} from "../../api/platform/http/index.ts";
import type { CadTrustDeps } from "./deps.ts";
import {
  plan,
  publication,
  publicationPage,
  publicationParams,
  recordPage,
  recordQuery,
} from "./publications/schemas.ts";
import { getPlan, getPublication, listPublications, listRecords, startPublication } from "./publications/service.ts";
import { newSettings, settings } from "./settings/schemas.ts";
import { getSettings, putSettings } from "./settings/service.ts";
import { listUndpProgrammes } from "./undp/programmes.ts";
import { undpProgrammes } from "./undp/schemas.ts";

const tags = ["Registries"];
const callers = onlyFor(["regulator"]);

const put = createRoute({
  method: "put",
  path: "/cad-trust/settings",
  callers,
  tags,
  summary: "Set the Climate Action Data Trust server, and what only the regulator knows of the projects",
  request: { body: { required: true, content: jsonContent(newSettings) } },
  responses: { 200: { description: "The settings", content: jsonContent(settings) }, ...errorResponses(400, 403, 409) },
});

const get = createRoute({
  method: "get",
  path: "/cad-trust/settings",
  callers,
  tags,
  summary: "Read the settings, without the API key",
  responses: { 200: { description: "The settings", content: jsonContent(settings) }, ...errorResponses(403, 404) },
});

const makePlan = createRoute({
  method: "get",
  path: "/cad-trust/plan",
  callers,
  tags,
  summary: "Show what a publication would create, edit and remove, and what the server would refuse",
  responses: {
    200: { description: "The plan; nothing was sent", content: jsonContent(plan) },
    ...errorResponses(403, 404, 502, 503),
  },
});

const start = createRoute({
  method: "post",
  path: "/cad-trust/publications",
  callers,
  tags,
  summary: "Publish what is missing or changed",
  description: "It runs in the background and continues after a restart. While one is open, that one is returned.",
  responses: {
    202: { description: "The publication", content: jsonContent(publication) },
    ...errorResponses(403, 404, 409),
  },
});

const list = createRoute({
  method: "get",
  path: "/cad-trust/publications",
  callers,
  tags,
  summary: "List publications",
  request: { query: listQuery },
  responses: {
    200: { description: "Newest first", content: jsonContent(publicationPage) },
    ...errorResponses(400, 403),
  },
});

const one = createRoute({
  method: "get",
  path: "/cad-trust/publications/{id}",
  callers,
  tags,
  summary: "Read a publication",
  request: { params: publicationParams },
  responses: {
    200: { description: "The publication", content: jsonContent(publication) },
    ...errorResponses(403, 404),
  },
});

const records = createRoute({
  method: "get",
  path: "/cad-trust/records",
  callers,
  tags,
  summary: "List the records that were sent, with the server's ids",
  request: { query: recordQuery },
  responses: {
    200: { description: "One page, by key", content: jsonContent(recordPage) },
    ...errorResponses(400, 403),
  },
});

const undp = createRoute({
  method: "get",
  path: "/cad-trust/undp-programmes",
  callers,
  tags,
  summary: "Read the projects as a file that UNDP's national registry imports",
  responses: {
    200: { description: "The projects", content: jsonContent(undpProgrammes) },
    ...errorResponses(400, 403, 404),
  },
});

/** Create the routes of the settings, the plan, publications and records. */
export function cadTrustRoutes(deps: CadTrustDeps): App {
  return createRouter()
    .openapi(put, async (c) => c.json(await putSettings(deps, requestContext(c), c.req.valid("json")), 200))
    .openapi(get, async (c) => c.json(await getSettings(deps, requestContext(c)), 200))
    .openapi(makePlan, async (c) => c.json(await getPlan(deps, requestContext(c)), 200))
    .openapi(start, async (c) => c.json(await startPublication(deps, requestContext(c)), 202))
    .openapi(list, async (c) => c.json(await listPublications(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(one, async (c) => c.json(await getPublication(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(undp, async (c) => c.json(await listUndpProgrammes(deps, requestContext(c)), 200))
    .openapi(records, async (c) => c.json(await listRecords(deps, requestContext(c), c.req.valid("query")), 200));
}
