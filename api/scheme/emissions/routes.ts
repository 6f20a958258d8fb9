import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import { type AppEnv, createRouter, errorResponses, everyKey, jsonContent } from "../../platform/http/index.ts";
import { calculation, calculationRequest } from "./schemas.ts";
import { calculateRequest, type RecordedParameters, requireRecordedApproval, serializeCalculation } from "./service.ts";

const calculate = createRoute({
  method: "post",
  path: "/emissions/calculate",
  callers: everyKey,
  changesNothing: true,
  tags: ["Emissions"],
  summary: "Calculate a year's emission reduction, every step shown; nothing is stored",
  request: { body: { required: true, content: jsonContent(calculationRequest) } },
  responses: {
    200: { description: "The reduction in tCO2e and the lines that lead to it", content: jsonContent(calculation) },
    ...errorResponses(400),
  },
});

/** Routes of the calculator. */
export function emissionRoutes(deps: { parameters: RecordedParameters }): OpenAPIHono<AppEnv> {
  return createRouter().openapi(calculate, async (c) => {
    const request = c.req.valid("json");
    await requireRecordedApproval(deps.parameters, request);
    return c.json(serializeCalculation(calculateRequest(request)), 200);
  });
}
