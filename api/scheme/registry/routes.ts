import type { OpenAPIHono } from "@hono/zod-openapi";
import type { AppEnv } from "../../platform/http/index.ts";
import { accountRoutes } from "./accounts/routes.ts";
import type { RegistryDeps } from "./deps.ts";
import { householdRoutes } from "./households/routes.ts";
import { implementerRoutes } from "./implementers/routes.ts";
import { issuerRoutes } from "./issuers/routes.ts";
import { planRoutes } from "./monitoring-plans/routes.ts";
import { productRoutes } from "./products/routes.ts";
import { supplierRoutes } from "./suppliers/routes.ts";

/** Every route of the registry, to be mounted one by one. */
export function registryRoutes(deps: RegistryDeps): OpenAPIHono<AppEnv>[] {
  return [
    // Before the suppliers' routes, which end in a path parameter.
    accountRoutes(deps),
    householdRoutes(deps),
    implementerRoutes(deps),
    supplierRoutes(deps),
    productRoutes(deps),
    issuerRoutes(deps),
    planRoutes(deps),
  ];
}
