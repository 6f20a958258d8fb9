import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../platform/http/index.ts";
import { itmoRegistryRoutes } from "./authorizations/routes.ts";
import { itmoBlockRoutes } from "./blocks/routes.ts";
import { bufferRoutes } from "./buffer/routes.ts";
import { conversionRoutes } from "./conversions/routes.ts";
import type { ItmoDeps } from "./deps.ts";
import { settlementRoutes } from "./settlements/routes.ts";

/** List every ITMO route to mount: routes with a fixed path come before those that take an id. */
export function itmoRoutes(deps: ItmoDeps): OpenAPIHono<AppEnv>[] {
  return [
    itmoRegistryRoutes(deps),
    conversionRoutes(deps),
    bufferRoutes(deps),
    settlementRoutes(deps),
    itmoBlockRoutes(deps),
  ];
}
