import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, onlyFor, requestContext } from "../../platform/http/index.ts";
import { XLSX_TYPE } from "../../platform/values/import-rows.ts";
import { identifier } from "../../platform/values/text.ts";
import { accepted, jsonBody, jsonContent, respondAccepted } from "../registry/index.ts";
import { importDevices } from "./import.ts";
import { device, deviceChange, devicePage, deviceParams, deviceQuery, newDevice } from "./schemas.ts";
import { type DeviceDeps, getDevice, listDevices, registerDevice, retireDevice, WRITE_SCOPE } from "./service.ts";

const MiB = 1024 * 1024;
const tags = ["Registry"];
const callers = onlyFor(["regulator", "implementer"], WRITE_SCOPE);
const readers = onlyFor(["regulator", "evaluator", "implementer"], WRITE_SCOPE);

const register = createRoute({
  method: "post",
  path: "/devices",
  callers,
  summary: "Register an installed device",
  description: "It stays in the database; nothing about it is on chain. A serial is registered once.",
  tags,
  request: { body: jsonBody(newDevice) },
  responses: { 201: jsonContent(device, "The device"), ...errorResponses(400, 403, 409) },
});

const importMany = createRoute({
  method: "post",
  path: "/devices/import",
  callers,
  summary: "Register up to 100 000 devices of a plan from CSV or XLSX",
  description:
    "The header row has serial, model, householdDid, installedOn and, if wanted, retiredOn, in any order. Each row gets its own " +
    "answer at /v1/operations/{id}/rows.",
  tags,
  bodyLimit: 64 * MiB,
  request: {
    query: z.strictObject({ planId: identifier(128) }),
    body: {
      required: true,
      content: {
        "text/csv": { schema: z.string() },
        [XLSX_TYPE]: { schema: z.string().openapi({ format: "binary" }) },
      },
    },
  },
  responses: { 202: accepted, ...errorResponses(400, 403, 409, 413) },
});

const list = createRoute({
  method: "get",
  path: "/devices",
  callers: readers,
  summary: "List the devices of a plan",
  tags,
  request: { query: deviceQuery },
  responses: { 200: jsonContent(devicePage, "In the order of their serials"), ...errorResponses(400, 404) },
});

const getOne = createRoute({
  method: "get",
  path: "/devices/{serial}",
  callers: readers,
  summary: "Read a device",
  tags,
  request: { params: deviceParams },
  responses: { 200: jsonContent(device, "The device"), ...errorResponses(404) },
});

const retire = createRoute({
  method: "patch",
  path: "/devices/{serial}",
  callers,
  summary: "Retire a device",
  tags,
  request: { params: deviceParams, body: jsonBody(deviceChange) },
  responses: { 200: jsonContent(device, "The device, retired"), ...errorResponses(400, 403, 404, 409) },
});

/** The registry of installed devices. */
export function deviceRoutes(deps: DeviceDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(register, async (c) => c.json(await registerDevice(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(importMany, async (c) => {
      const { planId } = c.req.valid("query");
      const bytes = c.var.bodyBytes ?? new Uint8Array();
      const file = { planId, contentType: c.req.header("content-type") ?? "", bytes };
      return respondAccepted(c, await importDevices(deps, requestContext(c), file));
    })
    .openapi(list, async (c) => c.json(await listDevices(deps, requestContext(c), c.req.valid("query")), 200))
    .openapi(getOne, async (c) => c.json(await getDevice(deps, requestContext(c), c.req.valid("param").serial), 200))
    .openapi(retire, async (c) =>
      c.json(await retireDevice(deps, requestContext(c), c.req.valid("param").serial, c.req.valid("json")), 200),
    );
}
