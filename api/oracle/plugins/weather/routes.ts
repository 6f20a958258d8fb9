import { createRoute, z } from "@hono/zod-openapi";
import { errorResponses, jsonContent, limitAddress } from "../../../platform/http/index.ts";
import { oracleRouter } from "../../http/router.ts";
import { type WeatherSource, weatherNow } from "./weather.ts";

const weather = z
  .object({
    ok: z.literal(true),
    city: z.string(),
    temp_c: z.number(),
    units: z.literal("celsius"),
    conditions: z.string(),
    latitude: z.number(),
    longitude: z.number(),
    source: z.enum(["forecast", "climatology"]),
  })
  .openapi("Weather");

const now = createRoute({
  method: "get",
  path: "/weather/now",
  tags: ["Oracle"],
  security: [],
  summary: "Read the weather in a city",
  // Limited, because each response may need two requests to a paid API.
  middleware: [limitAddress()] as const,
  // A missing city gets the same error as a blank one.
  request: { query: z.object({ city: z.string().default("").openapi({ example: "Lusaka" }) }) },
  responses: {
    200: { description: "Current, or the long-term mean: see `source`", content: jsonContent(weather) },
    ...errorResponses(400, 404, 429, 502),
  },
});

export function weatherRoutes(source: WeatherSource) {
  return oracleRouter().openapi(now, async (c) => c.json(await weatherNow(source, c.req.valid("query").city), 200));
}
