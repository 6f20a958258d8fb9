import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import {
  type AppEnv,
  createRouter,
  errorResponses,
  everyKey,
  jsonContent,
  limitAddress,
  onlyFor,
  requestContext,
} from "../../platform/http/index.ts";
import type { PoolDeps } from "./deps.ts";
import { swapScope } from "./party.ts";
import { quotePool } from "./quote.ts";
import * as schemas from "./schemas.ts";
import { getPool } from "./serialize-pool.ts";
import { swap } from "./swap.ts";
import { getSwap, listSwaps } from "./swaps.ts";

const tags = ["Pool"];

const read = createRoute({
  method: "get",
  path: "/pool",
  tags,
  summary: "Read price, fee, reserves, caps and solvency of the pool; no key is needed",
  security: [],
  middleware: [limitAddress()] as const,
  request: { query: schemas.poolQuery },
  responses: {
    200: { description: "The pool at one block", content: jsonContent(schemas.pool) },
    ...errorResponses(404, 503),
  },
});

const quote = createRoute({
  method: "post",
  path: "/pool/quote",
  callers: everyKey,
  changesNothing: true,
  tags,
  summary: "Say exactly what a swap would give, and whether it would be carried out",
  request: { body: { required: true, content: jsonContent(schemas.quoteRequest) } },
  responses: {
    200: { description: "The quote", content: jsonContent(schemas.quote) },
    ...errorResponses(400, 404, 503),
  },
});

const swapRoute = createRoute({
  method: "post",
  path: "/pool/swap",
  callers: onlyFor(["implementer", "supplier"], swapScope),
  tags,
  summary: "Swap at the pool by the order of the party's own account",
  request: { body: { required: true, content: jsonContent(schemas.swapRequest) } },
  responses: {
    200: { description: "Without signatures: what the account signs", content: jsonContent(schemas.swapToSign) },
    201: { description: "The swap", content: jsonContent(schemas.swapRecord) },
    ...errorResponses(400, 403, 404, 409, 503),
  },
});

const list = createRoute({
  method: "get",
  path: "/pool/swaps",
  callers: everyKey,
  tags,
  summary: "List swaps",
  request: { query: schemas.swapListQuery },
  responses: {
    200: { description: "A page of swaps", content: jsonContent(schemas.swapPage) },
    ...errorResponses(400, 503),
  },
});

const readSwap = createRoute({
  method: "get",
  path: "/pool/swaps/{swapId}",
  callers: everyKey,
  tags,
  summary: "Read a swap from the chain",
  request: { params: schemas.swapParams },
  responses: { 200: { description: "The swap", content: jsonContent(schemas.swapRecord) }, ...errorResponses(404) },
});

/** Routes of the pool: read, quote, swap. */
export function poolRoutes(deps: PoolDeps): OpenAPIHono<AppEnv> {
  return createRouter()
    .openapi(read, async (c) => c.json(await getPool(deps, c.req.valid("query")), 200))
    .openapi(quote, async (c) => c.json(await quotePool(deps, c.req.valid("json")), 200))
    .openapi(swapRoute, async (c) => {
      const swapped = await swap(deps, requestContext(c), c.req.valid("json"));
      return "toSign" in swapped ? c.json(swapped.toSign, 200) : c.json(swapped.record, 201);
    })
    .openapi(list, async (c) => c.json(await listSwaps(deps, c.req.valid("query")), 200))
    .openapi(readSwap, async (c) => c.json(await getSwap(deps, c.req.valid("param").swapId), 200));
}
