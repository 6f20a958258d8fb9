import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, onlyFor, requestContext } from "../../../platform/http/index.ts";
import { jsonBody, jsonContent } from "../../registry/index.ts";
import { type DeviceDeps, WRITE_SCOPE } from "../service.ts";
import { calibration, calibrationPage, calibrationQuery, newCalibration } from "./schemas.ts";
import { listCalibrations, recordCalibration } from "./service.ts";

const tags = ["Registry"];

const record = createRoute({
  method: "post",
  path: "/scales",
  callers: onlyFor(["regulator", "implementer"], WRITE_SCOPE),
  summary: "Record the calibration of a scale that claims are weighed with",
  tags,
  request: { body: jsonBody(newCalibration) },
  responses: { 201: jsonContent(calibration, "The calibration"), ...errorResponses(400, 403, 409) },
});

const list = createRoute({
  method: "get",
  path: "/scales",
  callers: onlyFor(["regulator", "evaluator", "implementer"], WRITE_SCOPE),
  summary: "List the calibrations of a plan's scales",
  tags,
  request: { query: calibrationQuery },
  responses: { 200: jsonContent(calibrationPage, "By serial and day"), ...errorResponses(400, 404) },
});

/** Calibrations of scales. */
export function scaleRoutes(deps: DeviceDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(record, async (c) => c.json(await recordCalibration(deps, requestContext(c), c.req.valid("json")), 201))
    .openapi(list, async (c) => c.json(await listCalibrations(deps, requestContext(c), c.req.valid("query")), 200));
}
