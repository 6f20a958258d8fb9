import { createRoute } from "@hono/zod-openapi";
import {
  type App,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  requestContext,
} from "../../../api/platform/http/index.ts";
import type { OdkDeps } from "../deps.ts";
import { reissueCollector } from "./reissue.ts";
import {
  collector,
  collectorPage,
  collectorParams,
  collectorQuery,
  createdCollector,
  newCollector,
} from "./schemas.ts";
import { createCollector, listCollectors, revokeCollector } from "./service.ts";

const tags = ["Field collection"];
/** Fields of a response that are shown only once. */
const secrets = ["url", "settings", "qrCode", "password"];

const create = createRoute({
  method: "post",
  path: "/odk/collectors",
  callers: onlyFor([]),
  secrets,
  tags,
  summary: "Make a person's link, QR code and password for ODK Collect or Enketo",
  request: { body: { required: true, content: jsonContent(newCollector) } },
  responses: {
    201: {
      description: "The collector; its link and password are shown only once",
      content: jsonContent(createdCollector),
    },
    ...errorResponses(400, 403, 404, 409),
  },
});

const reissue = createRoute({
  method: "post",
  path: "/odk/collectors/{id}/reissue",
  callers: onlyFor([]),
  secrets,
  tags,
  summary: "Make a collector's link, QR code and password again; the former ones end",
  description: "For a lost phone, and for collectors that were made before there were passwords.",
  request: { params: collectorParams },
  responses: {
    200: {
      description: "The collector; its link and password are shown only once",
      content: jsonContent(createdCollector),
    },
    ...errorResponses(403, 404, 409),
  },
});

const list = createRoute({
  method: "get",
  path: "/odk/collectors",
  callers: onlyFor([]),
  tags,
  summary: "List collectors",
  request: { query: collectorQuery },
  responses: {
    200: { description: "One page, oldest first", content: jsonContent(collectorPage) },
    ...errorResponses(400, 403),
  },
});

const revoke = createRoute({
  method: "delete",
  path: "/odk/collectors/{id}",
  callers: onlyFor([]),
  tags,
  summary: "End a collector's link, password and API key",
  request: { params: collectorParams },
  responses: {
    200: { description: "The revoked collector", content: jsonContent(collector) },
    ...errorResponses(403, 404),
  },
});

/** Create the routes of collectors: create, reissue, list, revoke. */
export function collectorRoutes(deps: OdkDeps): App {
  return createRouter()
    .openapi(create, async (c) => c.json(await createCollector(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(reissue, async (c) =>
      c.json(await reissueCollector(deps, requestContext(c), c.req.valid("param").id), 200),
    )
    .openapi(list, async (c) => c.json(await listCollectors(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(revoke, async (c) => c.json(await revokeCollector(deps, requestContext(c), c.req.valid("param").id), 200));
}
