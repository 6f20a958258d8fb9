import { createRoute, type RouteConfig, z } from "@hono/zod-openapi";
import { createRouter, type RouteOptions } from "../../platform/http/router.ts";
import { requireCaller } from "./require-caller.ts";

/** Routes of the oracle lie at the root, and none takes an Idempotency-Key: a message is a new message. */
export function oracleRouter() {
  return createRouter({ base: "", idempotent: false });
}

/** A route of the oracle that needs the caller. */
export function oracleRoute<P extends string, R extends Omit<RouteConfig & RouteOptions, "path"> & { path: P }>(
  route: R,
  { counted = true } = {},
) {
  const middleware = [requireCaller({ counted })];
  return createRoute({ tags: ["Oracle"], security: [{ ucan: [] }], middleware, ...route });
}

/** Session ids hold `$` and `:`, percent-encoded or not. */
export const sessionParams = z.object({
  sessionId: z
    .string()
    .min(1)
    .max(256)
    .openapi({ param: { name: "sessionId", in: "path" }, example: "$abc:hearth" }),
});

const pageNumber = (least: number, most: number, otherwise: number) =>
  z
    .string()
    .regex(/^\d{1,9}$/, "must be a whole number")
    .transform(Number)
    .pipe(z.number().min(least).max(most))
    .optional()
    .transform((value) => value ?? otherwise)
    .openapi({ type: "integer", minimum: least, maximum: most, default: otherwise });

export const limitQuery = (most: number) => pageNumber(1, most, 20);
export const offsetQuery = pageNumber(0, 999_999_999, 0);
