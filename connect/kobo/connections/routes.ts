import { createRoute } from "@hono/zod-openapi";
import {
  type App,
  createRouter,
  errorResponses,
  jsonContent,
  onlyFor,
  requestContext,
} from "../../../api/platform/http/index.ts";
import { startedOperation } from "../../../api/platform/operations/index.ts";
import type { KoboDeps } from "../deps.ts";
import { importRecords } from "../import.ts";
import {
  connection,
  connectionCheck,
  connectionDetail,
  connectionFields,
  connectionPage,
  connectionParams,
  connectionQuery,
  newConnection,
  newMapping,
} from "./schemas.ts";
import {
  changeMapping,
  checkConnection,
  createConnection,
  endConnection,
  listConnections,
  readConnection,
  readFields,
} from "./service.ts";

const tags = ["Field collection"];
const callers = onlyFor([]);
const ofConnection = "/kobo/connections/{id}";

const create = createRoute({
  method: "post",
  path: "/kobo/connections",
  callers,
  tags,
  summary: "Connect a KoboToolbox project",
  request: { body: { required: true, content: jsonContent(newConnection) } },
  responses: {
    201: { description: "The connection; its hook is made at Kobo", content: jsonContent(connection) },
    ...errorResponses(400, 403, 404, 409, 502),
  },
});

const list = createRoute({
  method: "get",
  path: "/kobo/connections",
  callers,
  tags,
  summary: "List Kobo connections",
  request: { query: connectionQuery },
  responses: {
    200: { description: "One page, oldest first", content: jsonContent(connectionPage) },
    ...errorResponses(400, 403),
  },
});

const read = createRoute({
  method: "get",
  path: ofConnection,
  callers,
  tags,
  summary: "Read a Kobo connection, and how its records go",
  request: { params: connectionParams },
  responses: {
    200: { description: "The connection", content: jsonContent(connectionDetail) },
    ...errorResponses(403, 404),
  },
});

const fields = createRoute({
  method: "get",
  path: `${ofConnection}/fields`,
  callers,
  tags,
  summary: "List the fields of Hearth's form with the questions of Kobo's",
  request: { params: connectionParams },
  responses: {
    200: { description: "Fields and questions", content: jsonContent(connectionFields) },
    ...errorResponses(400, 403, 404, 502),
  },
});

const map = createRoute({
  method: "put",
  path: `${ofConnection}/mapping`,
  callers,
  tags,
  summary: "Say from which questions fields are read",
  request: { params: connectionParams, body: { required: true, content: jsonContent(newMapping) } },
  responses: {
    200: { description: "The connection", content: jsonContent(connection) },
    ...errorResponses(400, 403, 404, 409, 502),
  },
});

const check = createRoute({
  method: "post",
  path: `${ofConnection}/check`,
  callers,
  tags,
  summary: "Check a Kobo connection, and repair its hook",
  request: { params: connectionParams },
  responses: {
    200: { description: "What was found", content: jsonContent(connectionCheck) },
    ...errorResponses(400, 403, 404, 409, 502),
  },
});

const importAll = createRoute({
  method: "post",
  path: `${ofConnection}/import`,
  callers,
  tags,
  summary: "Read the records that the project has",
  request: { params: connectionParams },
  responses: {
    202: { description: "The operation that reads them", content: jsonContent(startedOperation) },
    ...errorResponses(400, 403, 404, 409, 502),
  },
});

const end = createRoute({
  method: "delete",
  path: ofConnection,
  callers,
  tags,
  summary: "End a Kobo connection, its API key and its hook",
  request: { params: connectionParams },
  responses: { 200: { description: "The connection", content: jsonContent(connection) }, ...errorResponses(403, 404) },
});

/** Create the routes of Kobo connections. */
export function connectionRoutes(deps: KoboDeps): App {
  return createRouter()
    .openapi(create, async (c) => c.json(await createConnection(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listConnections(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(read, async (c) => c.json(await readConnection(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(fields, async (c) => c.json(await readFields(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(map, async (c) => {
      const { mapping } = c.req.valid("json");
      return c.json(await changeMapping(deps, requestContext(c), c.req.valid("param").id, mapping), 200);
    })
    .openapi(check, async (c) => c.json(await checkConnection(deps, requestContext(c), c.req.valid("param").id), 200))
    .openapi(importAll, async (c) => {
      const started = await importRecords(deps, requestContext(c), c.req.valid("param").id);
      c.header("Location", started.url);
      return c.json(started, 202);
    })
    .openapi(end, async (c) => c.json(await endConnection(deps, requestContext(c), c.req.valid("param").id), 200));
}
