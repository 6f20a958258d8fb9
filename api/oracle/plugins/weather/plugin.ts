import { z } from "zod";
import { refuseUrlParts } from "../../../platform/values/url-parts.ts";
import { defineOraclePlugin } from "../host/plugin.ts";
import type { Services } from "../host/services.ts";
import { defineOracleTool } from "../host/tool.ts";
import { weatherRoutes } from "./routes.ts";
import { type WeatherSource, weatherNow } from "./weather.ts";

const configSchema = z.object({
  WEATHER_API_URL: z
    .url({ protocol: /^https?$/, error: "must be an http(s) URL" })
    .superRefine(refuseUrlParts(["query", "fragment"], ""))
    .optional(),
});

export const weather = defineOraclePlugin<Services, typeof configSchema>({
  name: "weather",
  version: "1.0.0",
  manifest: {
    title: "Weather",
    summary: "Tells the weather in a city: temperature and conditions.",
    whenToUse: ["when the user asks about weather, temperature or rain in a place"],
    whenNotToUse: ["for forecasts of coming days"],
    examples: ["How warm is it in Lusaka?"],
    tags: ["weather", "temperature", "rain"],
    category: "data",
  },
  configSchema,
  getTools: (setup) => {
    const source = sourceOf(setup);
    return [
      defineOracleTool({
        name: "get_current_weather",
        description:
          "The current weather in a city. `source` shows whether it is current, or the long-term mean for this month.",
        inputSchema: z.strictObject({ city: z.string().min(1) }),
        destructive: false,
        readOnly: true,
        run: ({ input }) => weatherNow(source, input.city),
      }),
    ];
  },
  getRoutes: (setup) => weatherRoutes(sourceOf(setup)),
  getAuthExcludedRoutes: () => ["GET /weather/now"],
});

type Setup = { services: Services; config: z.output<typeof configSchema> };

function sourceOf({ services, config }: Setup): WeatherSource {
  return {
    baseUrl: config.WEATHER_API_URL?.replace(/\/+$/, ""),
    outbound: { allowLoopback: services.isEmbedded },
    now: () => services.clock.now(),
    log: services.log,
  };
}
