import { createRoute, type OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import { createRouter, type RouteOptions } from "../../platform/http/index.ts";
import type { OracleEnv } from "./env.ts";
import { type CallerDeps, requireCaller } from "./require-caller.ts";

/** Create a router for public routes. The oracle's routes are at the root, and none takes an Idempotency-Key. */
export function oracleRouter(): OpenAPIHono<OracleEnv> {
  return createRouter<OracleEnv>({ base: "", idempotent: false });
}

/** Create a router whose routes need a caller; declare them with `callerRoute`. */
export function callerRouter(deps: CallerDeps, options: { counted?: boolean } = {}): OpenAPIHono<OracleEnv> {
  return createRouter<OracleEnv>({ base: "", idempotent: false, middleware: requireCaller(deps, options) });
}

/** Declare a route that needs a caller. */
export function callerRoute<P extends string, R extends Omit<RouteConfig & RouteOptions, "path"> & { path: P }>(
  route: R,
) {
  return createRoute({ tags: ["Oracle"], security: [{ ucan: [] }], ...route });
}

/** Longest id of a session, and longest name that a front end may give a thread, in characters. */
export const longestSessionId = 256;

/** Session ids contain `$` and `:`, percent-encoded or not. */
export const sessionParams = z.object({
  sessionId: z
    .string()
    .min(1)
    .max(longestSessionId)
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
