import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../platform/http/index.ts";
import { itmoBlockRoutes } from "./block-routes.ts";
import { bufferRoutes } from "./buffer-routes.ts";
import { conversionRoutes } from "./conversion-routes.ts";
import type { ItmoDeps } from "./deps.ts";
import { itmoRegistryRoutes } from "./registry-routes.ts";
import { settlementRoutes } from "./settlement-routes.ts";

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
