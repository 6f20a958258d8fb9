import { OpenAPIHono, type RouteConfig } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { z } from "zod";
import { AppError, type RuleDetail } from "../errors.ts";
import { traced } from "../tracing/index.ts";
import { brokenTexts, parseJsonBody } from "../values/json.ts";
import { defaultBodyLimit, keylessBodyLimit, readBody } from "./body.ts";
import { type Callers, describeCallers, requireCaller } from "./callers.ts";
import type { AppEnv } from "./context.ts";
import { zodDetails } from "./error-response.ts";
import { runOnce } from "./idempotency.ts";
import { recordAct } from "./record-act.ts";

/** Options of createRoute in addition to the OpenAPI ones. */
export type RouteOptions = {
  /** Largest body in bytes. When absent: 1 MiB, or 64 KiB for a route that needs no key. */
  bodyLimit?: number;
  /** True: the body is not read before the handler, which streams it. */
  streamed?: boolean;
  /** True: strings of the JSON body may hold control characters. */
  anyText?: boolean;
  /** Who may call the route. Required for every route below /v1 that needs a key. */
  callers?: Callers;
  /** True: the route changes nothing although it is not a GET, so its requests are not recorded in the audit. */
  changesNothing?: boolean;
  /** Fields of the body that are easy to guess from a hash, such as a PIN: they are left out of the hash that is stored for an Idempotency-Key. */
  guessable?: readonly string[];
  /** Fields of the response that hold secrets: a response with one of them is never stored. */
  secrets?: readonly string[];
};

/** Base path of a router's routes, whether they accept an Idempotency-Key, and middleware that runs before each of them. */
export type RouterOptions<E extends AppEnv = AppEnv> = {
  base?: string;
  idempotent?: boolean;
  middleware?: MiddlewareHandler<E>;
};

type Part = { target: "param" | "query" | "json"; schema: z.ZodType; prefix?: string };

const jsonType = /^application\/([a-z.-]+\+)?json/i;

/**
 * Create a router of a feature: `createRouter().openapi(createRoute({…}), handler)`. For each request it
 * - refuses callers without access to the route first;
 * - refuses bodies over the route's limit with 413 before parsing;
 * - accepts JSON with any content type (a route with another kind of body finds it in `c.var.bodyBytes`);
 * - validates params, query and body in one step, so that one response names every invalid field;
 * - applies Idempotency-Key to every route but GET, unless the router turns it off;
 * - records in the audit who called a route other than GET that needs a key, and the result.
 */
export function createRouter<E extends AppEnv = AppEnv>(options: RouterOptions<E> = {}): OpenAPIHono<E> {
  const { base = "/v1", idempotent = true, middleware: first } = options;
  const router = new OpenAPIHono<E>();
  const register = (config: RouteConfig & RouteOptions, handler: MiddlewareHandler<E>) => {
    const usualLimit = needsKey(config) ? defaultBodyLimit : keylessBodyLimit;
    const { middleware, hide, callers, bodyLimit = usualLimit, ...rest } = config;
    const { streamed = false, anyText = false, changesNothing = false, secrets, guessable, ...declared } = rest;
    if (callers === undefined && base === "/v1" && needsKey(declared))
      throw new Error(`${declared.method} ${declared.path} must say who may call it.`);
    const route = { ...withStrictBody(declared), ...(callers === undefined ? {} : describeCallers(callers)) };
    if (!hide) router.openAPIRegistry.registerPath(route);
    const own = middleware === undefined ? [] : Array.isArray(middleware) ? middleware : [middleware];
    const once = idempotent && route.method !== "get";
    const name = `${route.method.toUpperCase()} ${base}${route.path}`;
    // Only routes below /v1 that need a key have an actor; `callers` says so.
    const isAct = callers !== undefined && route.method !== "get" && !changesNothing;
    const chain = [
      ...(first === undefined ? [] : [first]),
      ...own,
      ...(isAct ? [recordAct(name, route.summary ?? name)] : []),
      ...(callers === undefined ? [] : [requireCaller(callers)]),
      validateRequest(route, { bodyLimit, streamed, anyText }),
      traceService(name),
      ...(once ? [runOnce(name, { secrets, guessable })] : []),
    ];
    router.on(
      [route.method],
      [route.path.replaceAll(/\/{(.+?)}/g, "/:$1")],
      ...(chain as MiddlewareHandler<E>[]),
      handler,
    );
    return router;
  };
  router.openapi = register as unknown as typeof router.openapi;
  return router;
}

/** The work of a request after its checks, as a span. */
function traceService(name: string): MiddlewareHandler {
  return async function traceService(_, next) {
    await traced(`service ${name}`, {}, next);
  };
}

/** Check whether a route needs a key. Routes with `security: []` need none. */
function needsKey({ security }: RouteConfig): boolean {
  return security?.length !== 0;
}

function validateRequest(
  route: RouteConfig,
  {
    bodyLimit,
    streamed,
    anyText,
  }: Required<Omit<RouteOptions, "callers" | "changesNothing" | "secrets" | "guessable">>,
): MiddlewareHandler<AppEnv> {
  const parts = requestParts(route);
  const optionalBody = route.request?.body?.required !== true;
  const unread = streamed || route.method === "get";
  return async function validateRequest(c, next) {
    const bytes = unread ? new Uint8Array() : await readBody(c, bodyLimit);
    const details = brokenEscapes(c.req.url);
    for (const part of parts) {
      const value = part.target === "json" ? jsonValue(bytes, { optionalBody, anyText }) : readPart(c, part.target);
      if (part.target === "json") c.set("bodyJson", value);
      const result = part.schema.safeParse(value);
      if (result.success) c.req.addValidatedData(part.target, result.data as object);
      else details.push(...zodDetails(result.error, { prefix: part.prefix, input: value }));
      if (part.target !== "json" && result.success) details.push(...brokenTexts(value));
    }
    if (details.length > 0) {
      throw new AppError("INVALID_INPUT", "The request is not well formed; see details for each field.", {
        details: details.slice(0, 200),
      });
    }
    await next();
  };
}

type Body = NonNullable<RouteConfig["request"]>["body"];

function jsonMedia(body: Body): { type: string; schema: unknown } | undefined {
  const found = Object.entries(body?.content ?? {}).find(([type]) => jsonType.test(type));
  if (found === undefined || found[1] === undefined || !("schema" in found[1])) return undefined;
  return { type: found[0], schema: found[1].schema };
}

/** Return the route with a strict body object, so that the document shows that unknown fields are refused. */
function withStrictBody(route: RouteConfig): RouteConfig {
  const body = route.request?.body;
  const media = jsonMedia(body);
  if (body === undefined || media === undefined || !(media.schema instanceof z.ZodObject)) return route;
  if (media.schema.def.catchall instanceof z.ZodNever) return route;
  const content = { ...body.content, [media.type]: { schema: media.schema.strict() } };
  return { ...route, request: { ...route.request, body: { ...body, content } } };
}

/** Return the route's schemas with strict objects, so that an unknown field is refused and not dropped. */
function requestParts(route: RouteConfig): Part[] {
  const parts: Part[] = [];
  const { params, query, body } = route.request ?? {};
  if (params instanceof z.ZodType) parts.push({ target: "param", schema: params });
  parts.push({
    target: "query",
    schema: query instanceof z.ZodObject ? query.strict() : z.strictObject({}),
    prefix: "query",
  });
  const json = jsonMedia(body)?.schema;
  if (json instanceof z.ZodType) parts.push({ target: "json", schema: json });
  return parts;
}

/** Refuse a query with invalid escapes, which would otherwise be used without decoding. */
function brokenEscapes(url: string): RuleDetail[] {
  const start = url.indexOf("?");
  if (start === -1) return [];
  try {
    decodeURIComponent(url.slice(start));
    return [];
  } catch {
    return [{ path: "query", rule: "percent-encoding", message: "The query is not percent-encoded UTF-8." }];
  }
}

function readPart(c: Context<AppEnv>, target: "param" | "query"): unknown {
  if (target === "param") return c.req.param();
  return Object.fromEntries(
    Object.entries(c.req.queries()).map(([name, all]) => [name, all.length === 1 ? all[0] : all]),
  );
}

function jsonValue(bytes: Uint8Array, { optionalBody, anyText }: Record<"optionalBody" | "anyText", boolean>): unknown {
  if (bytes.byteLength === 0) {
    if (optionalBody) return {};
    throw new AppError("INVALID_INPUT", "A JSON body is expected.", {
      details: [{ path: "body", rule: "required", message: "The body is empty." }],
    });
  }
  return parseJsonBody(bytes, { anyText });
}
